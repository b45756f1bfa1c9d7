package cpu

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
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
