package cuda

import (
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
)

// spread runs the variance of the last Integers[0] axes of Inputs[0], or its root if root is 1; Scalars[0] is the
// correction. See spread.cu.
func spread(root int64) recipe {
	return recipe{kernel: "spread", scratch: spreadScratch, run: func(l *launcher, a *device.Arguments) error {
		shape := a.Inputs[0].Shape
		split := len(shape) - int(a.Integers[0])
		means := device.View{Pointer: a.Scratch, DType: dtype.Float64, Shape: shape[:split], Strides: make([]int, split)}
		next := 1
		for axis := split - 1; axis >= 0; axis-- {
			means.Strides[axis] = next
			next *= shape[axis]
		}
		for known := range int64(2) {
			err := l.fold("spread", &device.Arguments{
				Outputs: []device.View{means, a.Outputs[0]}, Inputs: a.Inputs, Scalars: a.Scalars,
				Integers: []int64{a.Integers[0], known, root}, Scratch: a.Scratch.Add(meansBytes(next)),
			})
			if err != nil {
				return err
			}
		}
		return nil
	}}
}

// meansBytes is room for so many means, such that what follows is aligned.
func meansBytes(count int) int { return (8*count + 15) &^ 15 }

func spreadScratch(a *device.Arguments) int {
	shape := a.Inputs[0].Shape
	return meansBytes(elements(shape[:len(shape)-int(a.Integers[0])])) + reductionScratch(a)
}
