package cuda

import (
	"slices"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
)

// widened makes a recipe of float32 one of float16 and bfloat16, too: operands are converted in temporary memory, where the results are
// computed in float32, and rounded once.
func widened(r recipe) recipe {
	wide := r
	wide.widens = true
	wide.scratch = func(a *device.Arguments) int {
		b, bytes := widenedArguments(a)
		if r.scratch != nil {
			bytes += r.scratch(b)
		}
		return bytes
	}
	if r.workspace != nil {
		wide.workspace = func(u *unit, a *device.Arguments) int {
			b, _ := widenedArguments(a)
			return r.workspace(u, b)
		}
	}
	wide.run = func(l *launcher, a *device.Arguments) error {
		if l.types != dtype.Float16.String() && l.types != dtype.BFloat16.String() {
			return r.run(l, a)
		}
		b, _ := widenedArguments(a)
		for i, v := range a.Inputs {
			if err := l.convert(b.Inputs[i], v); err != nil {
				return err
			}
		}
		of := *l
		of.types = dtype.Float32.String()
		if err := r.run(&of, b); err != nil {
			return err
		}
		for i, v := range a.Outputs {
			if err := l.convert(v, b.Outputs[i]); err != nil {
				return err
			}
		}
		return nil
	}
	return wide
}

// widenedArguments returns a with float32 in place of elements of 16 bits, in row-major order at a.Scratch, and the bytes that they take.
func widenedArguments(a *device.Arguments) (wide *device.Arguments, bytes int) {
	b := *a
	b.Outputs, b.Inputs = slices.Clone(a.Outputs), slices.Clone(a.Inputs)
	for _, views := range [][]device.View{b.Outputs, b.Inputs} {
		for i, v := range views {
			if v.DType == dtype.Float16 || v.DType == dtype.BFloat16 {
				views[i] = rowMajor(b.Scratch, dtype.Float32, v.Shape)
				size := (4*v.Count() + 15) &^ 15
				b.Scratch, b.ScratchBytes, bytes = b.Scratch.Add(size), b.ScratchBytes-size, bytes+size
			}
		}
	}
	return &b, bytes
}

// convert enqueues a cast, if the element types differ.
func (l *launcher) convert(to, from device.View) error {
	if to.DType == from.DType {
		return nil
	}
	types := from.DType.String() + "/" + to.DType.String()
	return l.launch("cast", types, &device.Arguments{Outputs: []device.View{to}, Inputs: []device.View{from}})
}
