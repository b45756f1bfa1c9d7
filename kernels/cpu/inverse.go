package cpu

import (
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/factor"
	"github.com/weft-nd/weft/parallel"
)

// matrixInverse computes Outputs[0], the inverses of the matrices of Inputs[0].
func matrixInverse[E factor.Element]() entry {
	return entry{dtype.Of[E]().String(), func(t *parallel.Thread, a *device.Arguments) error {
		if a.Outputs[0].Count() == 0 {
			return nil
		}
		s := scratch{memory: a.Scratch}
		f := newFactors[E](t, &s, a.Inputs[0])
		if err := f.check(); err != nil {
			return err
		}
		x, finish := writeLines[E](t, &s, a.Outputs[0])
		f.each(t, cube(f.rows, 4.0/3), func(t *parallel.Thread, number int) int {
			x := x[number*f.size():][:f.size()]
			clear(x)
			for i := range f.rows {
				x[i*f.rows+i] = 1
			}
			f.solve(t, number, x, f.rows)
			return sound
		})
		finish()
		return nil
	}}
}

var _ = register("inverse", matrixInverse[float32](), matrixInverse[float64](), matrixInverse[complex64](), matrixInverse[complex128]())
