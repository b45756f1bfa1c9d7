package cpu

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

func checkSGD[T dtype.Float](t *testing.T) {
	const rate, momentum, decay = 0.1, 0.9, 0.01
	r := random()
	for _, how := range outputLayouts {
		a := &device.Arguments{Integers: []int64{4}}
		var weights, velocities [][]T
		for _, shape := range shapes {
			w, v, g := newFilled(r, shape, how, finite[T]), newFilled(r, shape, how, finite[T]), newFilled(r, shape, how, finite[T])
			a.Inputs = append(a.Inputs, g)
			a.Scalars = append(a.Scalars, decay, momentum, rate, 0)
			a.Outputs = append(a.Outputs, w, v)
			ws, vs := elements[T](w), elements[T](v)
			for i, gradient := range elements[T](g) {
				vs[i] = T(T(momentum)*vs[i]) + (gradient + T(T(decay)*ws[i]))
				ws[i] -= T(T(rate)*vs[i]) + T(T(0)*gradient)
			}
			weights, velocities = append(weights, ws), append(velocities, vs)
		}
		status := fromSlice([]bool{false})
		a.Outputs = append(a.Outputs, status)
		run(t, name[T]("sgd"), a)
		for i, shape := range shapes {
			requireEqual(t, weights[i], elements[T](a.Outputs[2*i]), shape)
			requireEqual(t, velocities[i], elements[T](a.Outputs[2*i+1]), shape)
		}
		require.Equal(t, []bool{true}, elements[bool](status))
	}
}

func TestSGDUpdatesWeightsAndVelocities(t *testing.T) {
	checkSGD[float32](t)
	checkSGD[float64](t)
}

func TestUpdatesOfSeveralArraysDoNotDependOnWorkers(t *testing.T) {
	sizes := []int{50_000, 0, 10, 512, 513, 1, 9_000}
	sameBits[float32](t, func(thread *parallel.Thread) device.View {
		r := random()
		a := &device.Arguments{Integers: []int64{4}}
		all := newView(r, dtype.Float32, []int{sumOf(sizes)}, rowMajor)
		rest := all
		for _, n := range sizes {
			w := rest
			w.Shape = []int{n}
			rest.Pointer = rest.Pointer.Add(4 * n)
			assign(w, elements[float32](newFilled(r, []int{n}, rowMajor, finite[float32])))
			a.Outputs = append(a.Outputs, w, newFilled(r, []int{n}, rowMajor, finite[float32]))
			a.Inputs = append(a.Inputs, newFilled(r, []int{n}, rowMajor, finite[float32]))
			a.Scalars = append(a.Scalars, 0.01, 0.9, 0.1, 0)
		}
		a.Outputs = append(a.Outputs, fromSlice([]bool{false}))
		require.NoError(t, call(t, thread, "sgd/float32", a))
		return all
	})
}

// TestUpdatesOfSharedMemoryFollowOneAnother has an array that is updated twice, and the velocity of one that is the gradient of another.
func TestUpdatesOfSharedMemoryFollowOneAnother(t *testing.T) {
	const n = 20_000
	r := random()
	weights, velocity, other := newFilled(r, []int{n}, rowMajor, finite[float32]), newFilled(r, []int{n}, rowMajor, finite[float32]), newFilled(r, []int{n}, rowMajor, finite[float32])
	gradient := newFilled(r, []int{n}, rowMajor, finite[float32])
	want := elements[float32](weights)
	v, o := elements[float32](velocity), elements[float32](other)
	for i, g := range elements[float32](gradient) {
		v[i] = float32(0.5*v[i]) + g
		want[i] -= v[i]
		o[i] = float32(0.5*o[i]) + v[i]
		want[i] -= o[i]
	}
	run(t, "sgd/float32", &device.Arguments{
		Outputs: views(weights, velocity, weights, other, fromSlice([]bool{false})), Inputs: views(gradient, velocity),
		Integers: []int64{4}, Scalars: []float64{0, 0.5, 1, 0, 0, 0.5, 1, 0},
	})
	requireEqual(t, want, elements[float32](weights))
	requireEqual(t, o, elements[float32](other))
}

func sumOf(sizes []int) (sum int) {
	for _, n := range sizes {
		sum += n
	}
	return sum
}
