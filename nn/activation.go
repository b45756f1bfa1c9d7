package nn

import (
	"fmt"
	"iter"
	"math"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// Activations as layers. Softmax and LogSoftmax are along the last axis.
var (
	Relu       Layer = &activation{(*nd.Array).Relu, nd.ReluActivation}
	Gelu       Layer = &activation{(*nd.Array).Gelu, nd.GeluActivation}
	Sigmoid          = Func((*nd.Array).Sigmoid)
	Tanh             = Func((*nd.Array).Tanh)
	Silu             = Func((*nd.Array).Silu)
	Softplus         = Func((*nd.Array).Softplus)
	Softmax          = Func(func(x *nd.Array) *nd.Array { return x.Softmax(-1) })
	LogSoftmax       = Func(func(x *nd.Array) *nd.Array { return x.LogSoftmax(-1) })
)

// LeakyRelu returns a layer of the function that is x where that is positive, and slope·x elsewhere (Maas, Hannun and Ng, "Rectifier
// nonlinearities improve neural network acoustic models", 2013). It panics with *nd.Error unless slope is from 0 to 1.
func LeakyRelu(slope float64) Layer {
	if !(slope >= 0 && slope <= 1) {
		mistake("LeakyRelu", fault.ErrParameter, fmt.Sprintf("the slope is %v (legal: from 0 to 1)", slope))
	}
	return &activation{func(x *nd.Array) *nd.Array {
		if !x.DType().IsFloat() {
			mistake("LeakyRelu.Forward", fault.ErrDType, fmt.Sprintf("x holds %v, not floats", x.DType()), x)
		}
		env, isPositive := x.Env(), x.Detach().GreaterScalar(0)
		factors := nd.Where(isPositive, nd.FullIn(env, x.DType(), 1), nd.FullIn(env, x.DType(), slope))
		discard(isPositive)
		y := x.Mul(factors) // whose gradient is one more product
		discard(factors)
		return y
	}, nd.NoActivation}
}

// Elu returns a layer of the function that is x where that is positive, and scale·(eˣ−1) elsewhere (Clevert, Unterthiner and
// Hochreiter, "Fast and accurate deep network learning by exponential linear units", 2016). It panics with *nd.Error unless scale is
// positive and finite.
func Elu(scale float64) Layer {
	if !(scale > 0) || math.IsInf(scale, 1) {
		mistake("Elu", fault.ErrParameter, fmt.Sprintf("the scale is %v (legal: positive and finite)", scale))
	}
	return Func(func(x *nd.Array) *nd.Array {
		isPositive := x.GreaterScalar(0)
		// The exponential is of what is not positive alone: elsewhere it may overflow, and its gradient be NaN.
		rest := nd.Where(isPositive, nd.Weak(0.0), x)
		return nd.Where(isPositive, x, rest.Expm1().MulScalar(scale))
	})
}

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
func (a *activation) fuses(c *Ctx) bool {
	return a.fused == nd.ReluActivation || a.fused == nd.GeluActivation && c.Tape == nil
}
