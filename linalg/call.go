package linalg

import (
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// call applies an operator, whose errors name the function of this package.
func call(function string, op *ops.Operator, params any, operands ...*nd.Array) []*nd.Array {
	return nd.Invoke(op.CalledBy("linalg."+function), params, operands...)
}

// mistake panics with the error of a mistaken call.
func mistake(function string, reason error, detail string, operands ...*nd.Array) {
	panic(fault.Mistake(fault.Here(1), "linalg."+function, reason, detail, operands...))
}

// checkMatrices panics unless all operands are there and have two axes at least.
func checkMatrices(function string, operands ...*nd.Array) {
	checkNotNil(function, operands...)
	for _, a := range operands {
		if a.Rank() < 2 {
			mistake(function, fault.ErrShape, "an operand has shape "+fault.FormatShape(a.Shape())+", want (...,rows,columns)", operands...)
		}
	}
}

func checkNotNil(function string, operands ...*nd.Array) {
	for _, a := range operands {
		if a == nil {
			mistake(function, fault.ErrMisuse, "an operand is nil")
		}
		(*ops.Tensor)(a).CheckAccess("linalg."+function, engine.Read, fault.Here(2))
	}
}

// floats returns a, cast to float64 if it is of integers or bools.
func floats(a *nd.Array) *nd.Array {
	if d := a.DType(); d.IsInteger() || d == dtype.Bool {
		return a.Cast(dtype.Float64)
	}
	return a
}
