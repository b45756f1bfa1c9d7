package nn

import (
	"iter"

	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
)

// Dense is a fully connected layer: x·weight + bias, or x·weight.
type Dense struct {
	deferred
	weight *nd.Array // (inputs, outputs)
	bias   *nd.Array // (outputs,); nil without one
}

// NewDense returns a float32 layer from arrays of shape (samples, inputs) to (samples, outputs). Weights are drawn from
// the generator of env, by [HeUniform]; the bias is zero. The inputs may be Unknown. [Unbiased] is the only option. It panics with *nd.Error
// if a number is negative.
func NewDense(env *nd.Env, inputs, outputs int, options ...BiasOption) *Dense {
	checkMaking("NewDense", env, 0, known(inputs), outputs)
	d := &Dense{}
	d.later("NewDense", inputs, func(inputs int) {
		d.weight = HeUniform(env, inputs, outputs, inputs, outputs)
		if len(options) == 0 {
			d.bias = nd.ZerosIn(env, dtype.Float32, outputs)
		}
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
	if d.bias != nil {
		addends = append([]*nd.Array{c.Param(d.bias)}, addends...)
	}
	return linear(x, c.Param(d.weight), activation, addends...)
}

// Named implements Layer.
func (d *Dense) Named() iter.Seq2[string, *nd.Array] {
	d.must("Dense")
	return func(yield func(string, *nd.Array) bool) {
		_ = yield("weight", d.weight) && d.bias != nil && yield("bias", d.bias)
	}
}

// linear is [nd.Array.Linear], without addends too.
func linear(x, weight *nd.Array, activation nd.Activation, addends ...*nd.Array) *nd.Array {
	if len(addends) > 0 {
		return x.Linear(weight, activation, addends...)
	}
	flow := between{array: x}
	flow.pass(x.MatMul(weight), true)
	switch activation {
	case nd.ReluActivation:
		flow.pass(flow.array.Relu(), true)
	case nd.GeluActivation:
		flow.pass(flow.array.Gelu(), true)
	}
	return flow.array
}
