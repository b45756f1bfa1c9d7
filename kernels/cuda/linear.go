package cuda

import (
	"slices"

	"github.com/weft-nd/weft/device"
)

// linear computes Outputs[0] = activation(Scalars[0]·x·weight + addends) of Inputs x, weight and one or two addends that have the shape
// of the result; Integers[0] is the activation.
func linear(l *launcher, a *device.Arguments) error {
	z, x, weight := a.Outputs[0], a.Inputs[0], a.Inputs[1]
	if z.Count() == 0 {
		return nil
	}
	if err := l.multiplyRows(z, x, weight); err != nil {
		return err
	}
	addends := a.Inputs[2:]
	return l.launch("linear", l.types, &device.Arguments{
		Outputs: a.Outputs, Inputs: addends, Scalars: a.Scalars, Integers: []int64{a.Integers[0], int64(len(addends))},
	})
}

// multiplyRows enqueues z = x·weight, where weight is a matrix and the others have any number of axes: as one product if their axes but
// the last can be one.
func (l *launcher) multiplyRows(z, x, weight device.View) error {
	if to, from, ok := asMatrices(z, x); ok {
		return l.multiply(to, from, weight)
	}
	last := len(z.Shape) - 1
	weight.Shape = slices.Concat(z.Shape[:last-1], weight.Shape)
	weight.Strides = slices.Concat(make([]int, last-1), weight.Strides)
	return l.multiply(z, x, weight)
}

// asMatrices returns z and x with their axes but the last as one; ok is false if those of one of them cannot be.
func asMatrices(z, x device.View) (to, from device.View, ok bool) {
	last := len(z.Shape) - 1
	rows, err := sharedAxes(z.Shape[:last], []device.View{
		{Shape: z.Shape[:last], Strides: z.Strides[:last]}, {Shape: x.Shape[:last], Strides: x.Strides[:last]},
	})
	if err != nil {
		return z, x, false
	}
	count, rows := collapse(rows)
	if len(rows) > 1 {
		return z, x, false
	}
	var one axis
	if len(rows) == 1 {
		one = rows[0]
	}
	for k, v := range []*device.View{&z, &x} {
		v.Shape = []int{int(count), v.Shape[last]}
		v.Strides = []int{one.strides[k], v.Strides[last]}
	}
	return z, x, true
}

// linearGradient computes the gradients of linear with one addend, of Inputs x, weight, result and upstream: with respect to weight, the
// addend and, if there is a third output, x. Integers[0] is 1 where the layer ends with relu.
func linearGradient(l *launcher, a *device.Arguments) error {
	x, weight, upstream := a.Inputs[0], a.Inputs[1], a.Inputs[3]
	if a.Integers[0] != 0 && upstream.Count() > 0 {
		behind := device.View{Pointer: a.Scratch, DType: upstream.DType, Shape: upstream.Shape, Strides: []int{upstream.Shape[1], 1}}
		err := l.launch("relu_gradient", l.types, &device.Arguments{Outputs: []device.View{behind}, Inputs: []device.View{a.Inputs[2], upstream}})
		if err != nil {
			return err
		}
		upstream = behind
	}
	if err := l.multiply(a.Outputs[0], transposed(x), upstream); err != nil {
		return err
	}
	err := l.fold("sum", &device.Arguments{
		Outputs: a.Outputs[1:2], Inputs: []device.View{transposed(upstream)}, Integers: []int64{1, 1}, Scratch: a.Scratch.Add(behindRelu(a)),
	})
	if err != nil || len(a.Outputs) < 3 {
		return err
	}
	return l.multiply(a.Outputs[2], upstream, transposed(weight))
}

// linearGradientScratch is room for the upstream gradient behind relu, and for its sum.
func linearGradientScratch(a *device.Arguments) int {
	shape := a.Inputs[3].Shape
	return behindRelu(a) + foldScratch(shape[1], shape[0])
}

// behindRelu is the bytes of the upstream gradient behind relu.
func behindRelu(a *device.Arguments) int {
	if a.Integers[0] == 0 {
		return 0
	}
	upstream := a.Inputs[3]
	return (upstream.Count()*upstream.DType.Size() + 15) &^ 15
}
