package ndarray

import (
	"math"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/ops"
)

// Weak returns a 0-d array of the exact value v that adapts to the other operands: it is used on their device, and in their
// dtype unless v is of a later kind in the order bool, integer, float, complex, as NumPy does with Python's numbers. Arithmetic
// panics with *Error if that is an integer dtype that cannot hold v. Comparisons use the exact number: every uint8 is greater
// than Weak(-1). Among floats v is rounded to their dtype. A weak array must not be written to.
func Weak[T dtype.Element](v T) *Array { return WeakIn(DefaultEnv(), v) }

// WeakIn is Weak for operands whose engine is that of env.
func WeakIn[T dtype.Element](env *Env, v T) *Array {
	checkEnv("WeakIn", env)
	return (*Array)(ops.Weak(env, v))
}

// withScalar calls op on a and v, a number of the dtype of a unless op compares.
func withScalar(op *ops.Operator, a *Array, v float64) *Array {
	checkNotNil(op.Name, a)
	d := a.DType()
	if op.Compares && !ops.Holds(d, v) {
		return call(op, nil, a, (*Array)(ops.Weak(a.Env(), v)))
	}
	if problem := ops.Unfit(v, d); problem != "" {
		fail(op.Name, fault.ErrParameter, problem+"; nd.Weak gives numbers of other types", a)
	}
	return call(op, nil, a, (*Array)(ops.Scalar(a.Env(), v, d)))
}

// ClipScalar is Clip with bounds in the dtype of a; infinities are none. It panics with *Error if a holds integers and a bound is
// none, or out of range.
func (a *Array) ClipScalar(low, high float64) *Array {
	checkNotNil("ClipScalar", a)
	d := a.DType()
	bound := func(v float64, open int) *Array {
		if d.IsInteger() && math.IsInf(v, open) {
			return nil
		}
		if problem := ops.Unfit(v, d); problem != "" {
			fail("ClipScalar", fault.ErrParameter, problem, a)
		}
		return (*Array)(ops.Scalar(a.Env(), v, d))
	}
	lowest, highest := bound(low, -1), bound(high, 1)
	if lowest == nil && highest == nil {
		return a.Copy()
	}
	return a.Clip(lowest, highest)
}
