package cuda

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
)

// take selects the parts of Inputs[0] along the axis Integers[0] that Inputs[1] names; Integers[1] is the mode.
func take(l *launcher, a *device.Arguments) error {
	x, indices, axis, mode := a.Inputs[0], a.Inputs[1], int(a.Integers[0]), a.Integers[1]
	if err := l.check(indices, mode, x.Shape[axis], outOfRange(axis, x.Shape[axis])); err != nil || a.Outputs[0].Count() == 0 {
		return err
	}
	rank, integers := len(indices.Shape), along(x, axis, mode)
	x.Strides = slices.Concat(x.Strides[:axis], make([]int, rank), x.Strides[axis+1:])
	indices.Strides = slices.Concat(make([]int, axis), indices.Strides, make([]int, len(x.Strides)-axis-rank))
	x.Shape, indices.Shape = a.Outputs[0].Shape, a.Outputs[0].Shape
	return l.launch("take", l.types, &device.Arguments{Outputs: a.Outputs, Inputs: []device.View{x, indices}, Integers: integers})
}

// scatterAdd adds Inputs[0] to a zero Outputs[0] where take would have read it.
func scatterAdd(l *launcher, a *device.Arguments) error {
	z, x, indices, axis, mode := a.Outputs[0], a.Inputs[0], a.Inputs[1], int(a.Integers[0]), a.Integers[1]
	if err := l.check(indices, mode, z.Shape[axis], outOfRange(axis, z.Shape[axis])); err != nil || z.Count() == 0 {
		return err
	}
	rank, integers := len(indices.Shape), along(z, axis, mode)
	order := []int{} // of the axes of x, those of the indices last
	for i := range x.Shape {
		if i < axis || i >= axis+rank {
			order = append(order, i)
		}
	}
	outer := len(order)
	for i := range rank {
		order = append(order, axis+i)
	}
	x = permuted(x, order)
	z.Shape, z.Strides = without(z.Shape, axis), without(z.Strides, axis)
	z = extended(z, x.Shape)
	indices.Shape, indices.Strides = x.Shape, slices.Concat(make([]int, outer), indices.Strides)
	return l.launch("scatter_add", l.types, &device.Arguments{
		Outputs: []device.View{z}, Inputs: []device.View{x, indices}, Integers: append(integers, int64(rank)),
	})
}

// along returns the integers of the kernels of gather.cu for an axis of x.
func along(x device.View, axis int, mode int64) []int64 {
	return []int64{mode, 1, 1, int64(x.Shape[axis]), 0, 0, int64(x.Strides[axis])}
}

// overPlane returns them for the last three axes of x, of five.
func overPlane(x device.View) []int64 {
	integers := []int64{modeNowhere}
	for _, of := range [][]int{x.Shape, x.Strides} {
		for _, n := range of[2:] {
			integers = append(integers, int64(n))
		}
	}
	return integers
}

// checkPositions looks at positions in the planes of x.
func (l *launcher) checkPositions(positions, x device.View) error {
	count := x.Shape[2] * x.Shape[3] * x.Shape[4]
	return l.check(positions, modeNowhere, count, func(index string) string {
		return fmt.Sprintf("index %s is out of range for a plane of %d elements", index, count)
	})
}

// maxPoolGradient adds Inputs[0] to a zero Outputs[0] at the positions Inputs[1] in the planes; those at −1 go nowhere.
func maxPoolGradient(l *launcher, a *device.Arguments) error {
	z, u, positions := a.Outputs[0], a.Inputs[0], a.Inputs[1]
	if err := l.checkPositions(positions, z); err != nil || z.Count() == 0 {
		return err
	}
	integers := append(overPlane(z), 3)
	z.Shape, z.Strides = z.Shape[:2], z.Strides[:2]
	return l.launch("scatter_add", l.types, &device.Arguments{
		Outputs: []device.View{extended(z, u.Shape)}, Inputs: []device.View{u, positions}, Integers: integers,
	})
}

// maxPoolSelect computes the elements of Inputs[0] at the positions Inputs[1] in the planes; zero at −1.
func maxPoolSelect(l *launcher, a *device.Arguments) error {
	x, positions := a.Inputs[0], a.Inputs[1]
	if err := l.checkPositions(positions, x); err != nil || positions.Count() == 0 {
		return err
	}
	integers := overPlane(x)
	x.Shape, x.Strides = x.Shape[:2], x.Strides[:2]
	return l.launch("take", l.types, &device.Arguments{
		Outputs: a.Outputs, Inputs: []device.View{extended(x, positions.Shape), positions}, Integers: integers,
	})
}

// ones are the bits of a one for floats; that of the others is 1, and so is what complex numbers have in their first half.
var ones = map[dtype.DType]int64{
	dtype.Float16: 0x3c00, dtype.BFloat16: 0x3f80, dtype.Float32: 0x3f800000, dtype.Float64: 0x3ff << 52, dtype.Complex64: 0x3f800000, dtype.Complex128: 0x3ff << 52,
}

// oneHot sets Outputs[0] to zero but for a one along the last axis where Inputs[0] says.
func oneHot(l *launcher, a *device.Arguments) error {
	z, indices := a.Outputs[0], a.Inputs[0]
	last := len(z.Shape) - 1
	depth := z.Shape[last]
	err := l.check(indices, modeExact, depth, func(index string) string {
		return fmt.Sprintf("index %s is out of range for depth %d", index, depth)
	})
	if err != nil {
		return err
	}
	one, isFloat := ones[z.DType]
	if !isFloat {
		one = 1
	}
	counter := device.View{Shape: z.Shape, Strides: make([]int, len(z.Shape))} // Only the places of its elements are looked at.
	counter.Strides[last] = 1
	return l.launch("one_hot", l.types, &device.Arguments{
		Outputs: a.Outputs, Inputs: []device.View{extended(indices, z.Shape), counter}, Integers: []int64{one},
	})
}

// crossEntropy runs an operator on logits, of shape (n, classes): views of shape (n,) are repeated for all classes.
func crossEntropy(operator string) recipe {
	return recipe{run: func(l *launcher, a *device.Arguments) error {
		shape := a.Inputs[0].Shape
		err := l.check(a.Inputs[1], modeExact, shape[1], func(index string) string {
			return fmt.Sprintf("label %s is out of range for %d classes", index, shape[1])
		})
		if err != nil {
			return err
		}
		rows := device.Arguments{}
		for _, v := range a.Outputs {
			rows.Outputs = append(rows.Outputs, extended(v, shape))
		}
		for _, v := range a.Inputs {
			rows.Inputs = append(rows.Inputs, extended(v, shape))
		}
		return l.launch(operator, l.types, &rows)
	}}
}

// extended returns v repeated along the axes that shape has behind those of v.
func extended(v device.View, shape []int) device.View {
	v.Strides = slices.Concat(v.Strides, make([]int, len(shape)-len(v.Strides)))
	v.Shape = shape
	return v
}

func permuted(v device.View, order []int) device.View {
	shape, strides := make([]int, len(order)), make([]int, len(order))
	for i, axis := range order {
		shape[i], strides[i] = v.Shape[axis], v.Strides[axis]
	}
	v.Shape, v.Strides = shape, strides
	return v
}

func without(list []int, i int) []int { return slices.Concat(list[:i], list[i+1:]) }
