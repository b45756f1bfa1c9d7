package nn

import (
	"fmt"
	"iter"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// MultiHeadAttention lets each time of a sample look at the times of the same sample, in several heads (Vaswani et al., "Attention
// is all you need", NeurIPS 2017): queries q, keys k and values v are linear functions of the features, each head computes
// softmax(q kᵀ/√size) v of its share of them, and the result is a linear function of those of all heads.
type MultiHeadAttention struct {
	project, join *Dense // (features, 3·features) and (features, features)
	heads         int
	causal        bool
}

// AttentionOption changes a MultiHeadAttention.
type AttentionOption func(*MultiHeadAttention)

// Causal lets each time see only itself and those before.
func Causal() AttentionOption { return func(a *MultiHeadAttention) { a.causal = true } }

// NewMultiHeadAttention returns a float32 layer from arrays of shape (samples, times, features) to arrays of the same shape. Weights
// are drawn from the generator of env, by [XavierUniform]; biases are zero. It panics with *nd.Error if a number is not positive,
// or heads does not divide features.
func NewMultiHeadAttention(env *nd.Env, features, heads int, options ...AttentionOption) *MultiHeadAttention {
	checkMaking("NewMultiHeadAttention", env, 1, features, heads)
	if features%heads != 0 {
		mistake("NewMultiHeadAttention", fault.ErrParameter, fmt.Sprintf("%d heads do not divide %d features", heads, features))
	}
	checkParts("NewMultiHeadAttention", 3, features)
	defer named("NewMultiHeadAttention")
	a := &MultiHeadAttention{project: NewDense(env, features, 3*features), join: NewDense(env, features, features), heads: heads}
	for i, option := range options {
		if option == nil {
			mistake("NewMultiHeadAttention", fault.ErrMisuse, fmt.Sprintf("option %d is nil", i))
		}
		option(a)
	}
	a.Initialise(env, XavierUniform)
	return a
}

// Forward implements Layer.
func (a *MultiHeadAttention) Forward(c *Ctx, x *nd.Array) *nd.Array { return a.forward(c, x) }

// forward computes the layer, and the sum with other arrays, one at most.
func (a *MultiHeadAttention) forward(c *Ctx, x *nd.Array, addends ...*nd.Array) *nd.Array {
	checkForward("MultiHeadAttention", c, x)
	flow := between{array: x}
	flow.pass(a.project.Forward(c, x), true)
	attended, logs := flow.array.SelfAttention(a.heads, a.causal)
	flow.pass(attended, true)
	flow.pass(a.join.forward(c, attended, nd.NoActivation, addends...), true)
	(*ops.Tensor)(logs).Discard(fault.Here(1))
	return flow.array
}

// Named implements Layer. The projection gives the queries, the keys and then the values, each of them head by head.
func (a *MultiHeadAttention) Named() iter.Seq2[string, *nd.Array] { return a.parts().Named() }

// Initialise implements Weighted.
func (a *MultiHeadAttention) Initialise(env *nd.Env, draw Initialiser) {
	a.parts().Initialise(env, draw)
}

func (a *MultiHeadAttention) parts() Parts { return Parts{{"project", a.project}, {"join", a.join}} }
