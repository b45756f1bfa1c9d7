package cpu

import (
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/factor"
	"github.com/weft-nd/weft/parallel"
)

// cholesky computes Outputs[0], the lower triangular factors of the matrices of Inputs[0].
func cholesky[E factor.Element]() entry {
	return entry{dtype.Of[E]().String(), func(t *parallel.Thread, a *device.Arguments) error {
		if a.Outputs[0].Count() == 0 {
			return nil
		}
		m, s := matricesOf(a.Outputs[0]), scratch{memory: a.Scratch}
		l, finish := copiedLines[E](t, &s, a.Outputs[0], a.Inputs[0])
		ends := m.each(t, cube(m.rows, 1.0/3), func(t *parallel.Thread, number int) int {
			l := l[number*m.size():][:m.size()]
			failed := factor.Cholesky(t, m.rows, l, m.rows)
			for i := range m.rows {
				clear(l[i*m.rows+i+1 : (i+1)*m.rows])
			}
			return failed
		})
		if number, found := ends.first(); found {
			return m.fail(number, "is not positive definite: its pivot %d is not above zero", ends[number])
		}
		finish()
		return nil
	}}
}

var _ = register("cholesky", cholesky[float32](), cholesky[float64](), cholesky[complex64](), cholesky[complex128]())
