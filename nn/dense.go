package nn

import (
	"iter"

	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
)

// Dense is a fully connected layer: x·weight + bias.
type Dense struct {
	deferred
	weight *nd.Array // (inputs, outputs)
	bias   *nd.Array // (outputs,)
}

// NewDense returns a float32 layer from arrays of shape (samples, inputs) to (samples, outputs). Weights are drawn from
// the generator of env, by [HeUniform]; the bias is zero. The inputs may be Unknown. It panics with *nd.Error if a number is negative.
func NewDense(env *nd.Env, inputs, outputs int) *Dense {
	checkMaking("NewDense", env, 0, known(inputs), outputs)
	d := &Dense{}
	d.later("NewDense", inputs, func(inputs int) {
		d.weight = HeUniform(env, inputs, outputs, inputs, outputs)
		d.bias = nd.ZerosIn(env, dtype.Float32, outputs)
	})
	return d
}

// Forward implements Layer.
func (d *Dense) Forward(c *Ctx, x *nd.Array) *nd.Array { return d.forward(c, x, nd.NoActivation) }

// forward computes the layer, the sum with other arrays, one at most, and an activation in one operator, which has the
// bits of the product, the sums and the activation one after another where these are of float32 or float64; narrower
// results are rounded once, at the end.
func (d *Dense) forward(c *Ctx, x *nd.Array, activation nd.Activation, addends ...*nd.Array) *nd.Array {
	checkForward("Dense", c, x)
	d.ready("Dense.Forward", x, -1)
	return x.Linear(c.Param(d.weight), activation, append([]*nd.Array{c.Param(d.bias)}, addends...)...)
}

// Named implements Layer.
func (d *Dense) Named() iter.Seq2[string, *nd.Array] {
	d.must("Dense")
	return func(yield func(string, *nd.Array) bool) {
		_ = yield("weight", d.weight) && yield("bias", d.bias)
	}
}
