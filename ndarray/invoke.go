package ndarray

import "github.com/weft-nd/weft/ops"

// Invoke calls an operator, such as one that the program registers, and returns all its results; see ops.Invoke. It panics with
// *Error if an operand is nil, or the operands or params do not fit.
func Invoke(op *ops.Operator, params any, operands ...*Array) []*Array {
	results := ops.Invoke(op, params, tensors(operands)...)
	arrays := make([]*Array, len(results))
	for i, t := range results {
		arrays[i] = (*Array)(t)
	}
	return arrays
}
