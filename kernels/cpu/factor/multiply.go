package factor

import "github.com/weft-nd/weft/parallel"

// Matrix is a matrix in row-major order, of which the numbers are the elements, or the parts of complex ones.
type Matrix struct {
	Numbers []float64
	Columns int // from row to row
	Complex bool
	Adjoint bool // it counts as conjugate and transposed
}

func (m Matrix) view() view[float64] {
	v := view[float64]{m.Numbers, m.Columns, 1, m.Complex, false}
	if m.Complex {
		v.row, v.column = 2*m.Columns, 2
	}
	if m.Adjoint {
		v = v.adjoint()
	}
	return v
}

// Multiply computes c = a·b, of so many rows, columns and terms, of which there are some; c is no adjoint.
func Multiply(t *parallel.Thread, rows, columns, terms int, a, b, c Matrix) {
	multiply(t, rows, columns, terms, 1, 0, a.view(), b.view(), c.view())
}
