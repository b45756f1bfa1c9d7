//go:build linux && (amd64 || arm64)

package cuda

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cuda/cudatest"
)

// optimising is a device with memory, of which arrays take parts.
type optimising struct {
	*testing.T
	backend *Backend
	fake    *cudatest.Fake
	stream  *stream
	p       device.Pointer
	used    int
}

// roomOfUpdates is how many bytes the arrays of a test have.
const roomOfUpdates = 1 << 20

func newOptimising(t *testing.T) *optimising {
	b, fake := start(t, nil)
	s, err := b.NewStream(0)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	p, err := b.Allocate(0, roomOfUpdates)
	require.NoError(t, err)
	return &optimising{T: t, backend: b, fake: fake, stream: s.(*stream), p: p}
}

// array returns an array of count elements, each step behind the other.
func (o *optimising) array(d dtype.DType, count, step int) device.View {
	v := device.View{Pointer: o.p.Add(o.used), DType: d, Shape: []int{count}, Strides: []int{step}}
	o.used += (count*step*d.Size() + 15) &^ 15
	require.LessOrEqual(o, o.used, roomOfUpdates)
	return v
}

// layout returns the arguments of a step on arrays of some sizes; states are of their own type.
func (o *optimising) layout(d, state dtype.DType, states, numbers, step int, sizes ...int) *device.Arguments {
	a := &device.Arguments{Integers: []int64{int64(numbers)}}
	for i, size := range sizes {
		a.Outputs = append(a.Outputs, o.array(d, size, step))
		for range states {
			a.Outputs = append(a.Outputs, o.array(state, size, step))
		}
		a.Inputs = append(a.Inputs, o.array(d, size, step))
		for k := range numbers {
			a.Scalars = append(a.Scalars, 0.1+0.05*float64(k)+0.01*float64(i%2))
		}
	}
	done := o.array(dtype.Bool, 1, 1)
	done.Shape, done.Strides = nil, nil
	a.Outputs = append(a.Outputs, done)
	return a
}

// numberOf is what element i of array k holds before a step: some of it makes subnormal numbers.
func numberOf(k, i int) float64 {
	if i%5 == 4 {
		return 0x1p-140 * float64(k+1)
	}
	return math.Abs(math.Sin(float64(37*k + i)))
}

// encode returns the bits of x as elements of d.
func encode(d dtype.DType, x float64) uint64 {
	switch d {
	case dtype.Float16:
		return uint64(*(*uint16)(unsafe.Pointer(new(dtype.ToF16(float32(x))))))
	case dtype.BFloat16:
		return uint64(*(*uint16)(unsafe.Pointer(new(dtype.ToBF16(float32(x))))))
	case dtype.Float32:
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
}

// run makes a step on arrays with numbers, and returns the bits of all elements after it.
func (o *optimising) run(name string, a *device.Arguments) (bits [][]uint64) {
	host := make([]byte, roomOfUpdates)
	views := slices.Concat(a.Outputs[:len(a.Outputs)-1], a.Inputs)
	element := func(v device.View, i int) []byte {
		at := int(v.Pointer.Address-o.p.Address) + i*v.Strides[0]*v.DType.Size()
		return host[at:][:v.DType.Size()]
	}
	for k, v := range views {
		for i := range v.Shape[0] {
			for b, bits := element(v, i), encode(v.DType, numberOf(k, i)); len(b) > 0; b, bits = b[1:], bits>>8 {
				b[0] = byte(bits)
			}
		}
	}
	at := device.Pointer{Host: unsafe.Pointer(&host[0])}
	require.NoError(o, o.stream.Copy(o.p, at, roomOfUpdates))
	k, found := o.backend.Kernel(name)
	require.True(o, found)
	require.NoError(o, k.Launch(o.stream, a))
	require.NoError(o, o.stream.Copy(at, o.p, roomOfUpdates))
	require.NoError(o, o.stream.mustRecord(o.T).Wait())
	require.Equal(o, byte(1), host[a.Outputs[len(a.Outputs)-1].Pointer.Address-o.p.Address], "it is done")
	for _, v := range views {
		var all []uint64
		for i := range v.Shape[0] {
			var x uint64
			for _, b := range slices.Backward(element(v, i)) {
				x = x<<8 | uint64(b)
			}
			all = append(all, x)
		}
		bits = append(bits, all)
	}
	return bits
}

func TestStepsOnAllArraysTogetherHaveTheBitsOfStepsOneByOne(t *testing.T) {
	for _, operator := range []struct {
		name            string
		states, numbers int
	}{{"sgd", 1, 4}, {"adam", 2, 9}, {"rmsprop", 2, 6}} {
		for _, types := range [][2]dtype.DType{
			{dtype.Float32, dtype.Float32}, {dtype.Float64, dtype.Float64}, {dtype.Float16, dtype.Float16}, {dtype.BFloat16, dtype.BFloat16},
			{dtype.Float16, dtype.Float32}, {dtype.BFloat16, dtype.Float32},
		} {
			t.Run(fmt.Sprint(operator.name, types), func(t *testing.T) {
				o := newOptimising(t)
				sizes := []int{5, 2, 2048, 2049, 7}
				name := operator.name + "/" + types[0].String()
				before := o.fake.Get("launches")
				together := o.run(name, o.layout(types[0], types[1], operator.states, operator.numbers, 1, sizes...))
				require.Equal(t, before+1, o.fake.Get("launches"))
				o.used = 0
				apart := o.run(name, o.layout(types[0], types[1], operator.states, operator.numbers, 2, sizes...))
				require.Equal(t, before+1+len(sizes)+1, o.fake.Get("launches"), "strided ones, and what tells that it is done")
				require.Equal(t, apart, together)
				require.NotEqual(t, encode(types[0], numberOf(0, 0)), together[0][0])
			})
		}
	}
}

func TestOneLaunchHas64Arrays(t *testing.T) {
	for arrays, launches := range map[int]int{1: 1, 64: 1, 65: 2, 150: 3} {
		o := newOptimising(t)
		a := o.layout(dtype.Float32, dtype.Float32, 1, 4, 1, slices.Repeat([]int{3}, arrays)...)
		before := o.fake.Get("launches")
		o.run("sgd/float32", a)
		require.Equal(t, before+launches, o.fake.Get("launches"))
	}
}

func TestOneLaunchHas14SetsOfNumbers(t *testing.T) {
	o := newOptimising(t)
	a := o.layout(dtype.Float32, dtype.Float32, 1, 4, 1, slices.Repeat([]int{3}, 30)...)
	for i := range a.Scalars {
		a.Scalars[i] = float64(i) / 1000
	}
	before := o.fake.Get("launches")
	together := o.run("sgd/float32", a)
	require.Equal(t, before+3, o.fake.Get("launches"))
	o.used = 0
	b := o.layout(dtype.Float32, dtype.Float32, 1, 4, 2, slices.Repeat([]int{3}, 30)...)
	b.Scalars = a.Scalars
	require.Equal(t, o.run("sgd/float32", b), together)
}

// TestArraysThatShareMemoryAreUpdatedInOrder gives one array twice: the second step sees the first.
func TestArraysThatShareMemoryAreUpdatedInOrder(t *testing.T) {
	o := newOptimising(t)
	a := o.layout(dtype.Float32, dtype.Float32, 1, 4, 1, 3, 3)
	a.Outputs[2], a.Outputs[3] = a.Outputs[0], a.Outputs[1]
	before := o.fake.Get("launches")
	o.run("sgd/float32", a)
	require.Equal(t, before+3, o.fake.Get("launches"))
	a.Outputs[2], a.Inputs[1] = o.array(dtype.Float32, 3, 1), a.Inputs[0] // gradients may be one
	a.Outputs[3] = o.array(dtype.Float32, 3, 1)
	before = o.fake.Get("launches")
	o.run("sgd/float32", a)
	require.Equal(t, before+1, o.fake.Get("launches"))
}

func TestEmptyArraysAreUpdatedByNothing(t *testing.T) {
	o := newOptimising(t)
	before := o.fake.Get("launches")
	o.run("adam/float32", o.layout(dtype.Float32, dtype.Float32, 2, 9, 1, 0, 0))
	require.Equal(t, before+1, o.fake.Get("launches"), "what tells that it is done")
}

func TestNumbersOfUpdatesAreToldApartByTheirBits(t *testing.T) {
	u := &updater{numbers: 1}
	u.sets[0] = [maxNumbers]float64{0, math.NaN()}
	_, known := u.find([]float64{0, math.NaN()})
	require.True(t, known)
	set, known := u.find([]float64{math.Copysign(0, -1), math.NaN()})
	require.False(t, known)
	require.Equal(t, 1, set)
}
