package ndarray

import (
	"fmt"
	"math"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/ops"
)

// Weak returns a 0-d array of the exact value v that adapts to the other operands: it is used on their device, and in
// their dtype unless v is of a later kind (bool, integer, float, complex), as NumPy does with Python's numbers.
func Weak[T dtype.Element](v T) *Array { return WeakIn(DefaultEnv(), v) }

// WeakIn is Weak for operands whose engine is that of env.
func WeakIn[T dtype.Element](env *Env, v T) *Array {
	return (*Array)(FromSliceIn(env, []T{v}, []int{}...).tensor().AsScalar())
}

// withScalar calls op on a and v, a number of the dtype of a.
func withScalar(op *ops.Operator, a *Array, v float64) *Array {
	checkNotNil(op.Name, a)
	if problem := unfit(v, a.DType()); problem != "" {
		fail(op.Name, fault.ErrParameter, problem, a)
	}
	return call(op, nil, a, (*Array)(ops.Scalar(a.Env(), v, a.DType())))
}

// unfit returns why v is no value of element type d; empty if it is one. Floats are rounded.
func unfit(v float64, d dtype.DType) string {
	low, limit := 0.0, math.Ldexp(1, 8*d.Size())
	switch {
	case d == dtype.Bool:
		limit = 2
	case d.Kind() == dtype.KindSigned:
		low, limit = -limit/2, limit/2
	case d.Kind() != dtype.KindUnsigned:
		return ""
	}
	if v == math.Trunc(v) && v >= low && v < limit {
		return ""
	}
	return fmt.Sprintf("%v is no %v; nd.Weak gives numbers of other types", v, d)
}
