package ndarray

import "github.com/weft-nd/weft/ops"

// Activation is the function that Linear applies last.
type Activation = ops.Activation

// The activations: none, max(x, 0), and x · (1 + erf(x/√2)) / 2 (Hendrycks and Gimpel, 2016).
const (
	NoActivation   = ops.NoActivation
	ReluActivation = ops.ReluActivation
	GeluActivation = ops.GeluActivation
)

// Linear returns activation(a·weight + addends), a fully connected layer in one operator: a has the shape (...,inputs), weight
// (inputs,outputs), and the one or two addends, such as a bias and the input of a residual connection, broadcast to the result,
// (...,outputs). All are promoted to one float dtype. The result has the bits of a.MatMul(weight), then Add for each addend in
// turn, then Relu or Gelu, but takes less time, since everything is done while the product is in the cache. It panics with
// *Error if the shapes do not fit, or without addends.
func (a *Array) Linear(weight *Array, activation Activation, addends ...*Array) *Array {
	return call(ops.Linear, ops.LinearParams{Activation: activation, Alpha: 1}, append([]*Array{a, weight}, addends...)...)
}

// LinearInto is Linear written to dst, which must have the shape and dtype of the result.
func LinearInto(dst, a, weight *Array, activation Activation, addends ...*Array) {
	callInto(ops.Linear, ops.LinearParams{Activation: activation, Alpha: 1}, dst, append([]*Array{a, weight}, addends...)...)
}
