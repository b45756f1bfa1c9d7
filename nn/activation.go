package nn

import (
	"iter"

	nd "github.com/weft-nd/weft/ndarray"
)

// Activations as layers.
var (
	Relu    Layer = &activation{(*nd.Array).Relu, nd.ReluActivation}
	Gelu    Layer = &activation{(*nd.Array).Gelu, nd.GeluActivation}
	Sigmoid       = Func((*nd.Array).Sigmoid)
	Tanh          = Func((*nd.Array).Tanh)
)

// activation is a function that a Dense layer before it can end with.
type activation struct {
	compute func(x *nd.Array) *nd.Array
	fused   nd.Activation
}

// Forward implements Layer.
func (a *activation) Forward(c *Ctx, x *nd.Array) *nd.Array {
	checkForward("Activation", c, x)
	return a.compute(x)
}

// Named implements Layer.
func (*activation) Named() iter.Seq2[string, *nd.Array] { return func(func(string, *nd.Array) bool) {} }

// fuses tells whether it pays to compute the function with the layer before. The gradient of gelu needs what is before it, the
// sum that one operator for both does not keep and would compute again.
func (a *activation) fuses(c *Ctx) bool { return a.fused == nd.ReluActivation || c.Tape == nil }
