package ndarray

import (
	"fmt"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
)

// IsClose returns, for each element x of a and y of b, broadcast, whether |x − y| ≤ absolute + relative·|y|, as NumPy's
// isclose, whose default tolerances are 1e-5 (relative) and 1e-8. Infinities are close to themselves alone, and NaN to nothing.
// Integers are compared as float64, floats of 16 bits as float32. AllTrue of the result is NumPy's allclose. It panics with
// *Error if a tolerance is negative or NaN, or the shapes do not broadcast.
func (a *Array) IsClose(b *Array, relative, absolute float64) *Array {
	const operator = "IsClose"
	checkNotNil(operator, a, b)
	defer named(operator, a, b)
	if !(relative >= 0 && absolute >= 0) {
		fail(operator, fault.ErrParameter, fmt.Sprintf("the tolerances are %v and %v (legal: at least 0)", relative, absolute), a, b)
	}
	operands := InOneCapture(a, b)
	a, b = operands[0], operands[1]
	var made temporaries
	x, y := a.Detach().inexact(&made), b.Detach().inexact(&made)
	distance := made.add(made.add(x.Sub(y)).Abs())
	tolerance := made.add(made.add(made.add(y.Abs()).MulScalar(relative)).AddScalar(absolute))
	near := made.add(made.add(distance.LessEqual(tolerance)).LogicalAnd(made.add(y.IsFinite())))
	return made.discard(near.LogicalOr(made.add(a.Equal(b))), a, b)
}

// inexact returns a as floats or complex numbers, of parts of 32 bits at least.
func (a *Array) inexact(made *temporaries) *Array {
	switch d := a.DType(); {
	case d.IsComplex():
		return a
	case !d.IsFloat():
		return made.add(a.Cast(dtype.Float64))
	case d.Size() < 4:
		return made.add(a.Cast(dtype.Float32))
	}
	return a
}
