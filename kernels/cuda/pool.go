package cuda

import (
	"slices"

	"github.com/weft-nd/weft/device"
)

// pool runs the kernel of a pooling: Inputs[0] has planes that windows move over, Outputs planes of the windows; see pool.cu. All
// have five axes, and Integers are those of kernels/cpu/pool.go.
func pool(operator string) recipe {
	return recipe{run: func(l *launcher, a *device.Arguments) error {
		return l.overWindows(operator, a, a.Inputs[0].Shape, a.Outputs[0].Shape)
	}}
}

// averagePoolGradient is the other way round.
func averagePoolGradient(l *launcher, a *device.Arguments) error {
	return l.overWindows("average_pool_gradient", a, a.Outputs[0].Shape, a.Inputs[0].Shape)
}

// overWindows launches a kernel of pool.cu where windows move over planes of one shape, and make planes of another.
func (l *launcher) overWindows(operator string, a *device.Arguments, inside, outside []int) error {
	shape, from := a.Outputs[0].Shape, a.Inputs[0]
	if from.Count() == 0 {
		from = a.Outputs[0] // for memory that is there: windows over nothing read nothing
	}
	integers := slices.Clone(a.Integers)
	for _, of := range [][]int{inside, outside, from.Strides} {
		for _, n := range of[2:] {
			integers = append(integers, int64(n))
		}
	}
	from.Shape, from.Strides = shape, append(slices.Clone(from.Strides[:2]), 0, 0, 0)
	number := device.View{Shape: shape, Strides: []int{0, 0, shape[3] * shape[4], shape[4], 1}} // Only the places of its elements are looked at.
	return l.launch(operator, l.types, &device.Arguments{Outputs: a.Outputs, Inputs: []device.View{from, number}, Integers: integers})
}
