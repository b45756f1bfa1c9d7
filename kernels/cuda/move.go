package cuda

import (
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
)

// copyParts copies Inputs to Outputs, one by one.
func copyParts(l *launcher, a *device.Arguments) error {
	for i := range a.Inputs {
		if err := l.copy(a.Outputs[i], a.Inputs[i]); err != nil {
			return err
		}
	}
	return nil
}

func (l *launcher) copy(dst, src device.View) error {
	return l.launch("copy", l.types, &device.Arguments{Outputs: []device.View{dst}, Inputs: []device.View{src}})
}

// fill makes all elements of v the number nearest to value.
func (l *launcher) fill(v device.View, value float64, integer int64) error {
	return l.launch("fill", v.DType.String(), &device.Arguments{Outputs: []device.View{v}, Scalars: []float64{value}, Integers: []int64{integer}})
}

// pad copies Inputs[0] to Outputs[0] and fills the other outputs with Scalars[0].
func pad(l *launcher, a *device.Arguments) error {
	value := a.Scalars[0]
	integer := int64(value)
	if a.Outputs[0].DType == dtype.Uint64 {
		integer = int64(uint64(value))
	}
	for _, output := range a.Outputs[1:] {
		if err := l.fill(output, value, integer); err != nil {
			return err
		}
	}
	return l.copy(a.Outputs[0], a.Inputs[0])
}

// embed copies Inputs[0] to Outputs[1], a part of Outputs[0], which is zero elsewhere.
func embed(l *launcher, a *device.Arguments) error {
	if err := l.launch("clear", l.types, &device.Arguments{Outputs: a.Outputs[:1]}); err != nil {
		return err
	}
	return l.copy(a.Outputs[1], a.Inputs[0])
}

// triangle runs the kernel of matrices that keep what is up to the diagonal Integers[0], or from there on if upper is 1.
func triangle(upper int64) recipe {
	return recipe{kernel: "triangle", run: func(l *launcher, a *device.Arguments) error {
		shape := a.Outputs[0].Shape
		rank := len(shape)
		return l.launch("triangle", l.types, &device.Arguments{
			Outputs: a.Outputs, Inputs: a.Inputs, Integers: []int64{a.Integers[0], int64(shape[rank-2]), int64(shape[rank-1]), upper},
		})
	}}
}
