package nn

import (
	"fmt"
	"iter"
	"math"

	"github.com/weft-nd/weft/dtype"
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
	unbiased      bool
}

// AttentionOption changes a MultiHeadAttention.
type AttentionOption interface{ ofAttention(a *MultiHeadAttention) }

// attentionOption is an AttentionOption of attention alone.
type attentionOption func(a *MultiHeadAttention)

func (o attentionOption) ofAttention(a *MultiHeadAttention) { o(a) }

// Causal lets each time see only itself and those before.
func Causal() AttentionOption {
	return attentionOption(func(a *MultiHeadAttention) { a.causal = true })
}

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
	a := &MultiHeadAttention{heads: heads}
	for i, option := range options {
		if option == nil {
			mistake("NewMultiHeadAttention", fault.ErrMisuse, fmt.Sprintf("option %d is nil", i))
		}
		option.ofAttention(a)
	}
	var biases []BiasOption
	if a.unbiased {
		biases = []BiasOption{Unbiased()}
	}
	a.project, a.join = NewDense(env, features, 3*features, biases...), NewDense(env, features, features, biases...)
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

// Attend is Forward where the times of x, of shape (samples, times, features), look at those of memory, of shape
// (samples, others, features), which may be x. A mask, nil if there is none, broadcasts to (samples, times, others), or
// with an axis of heads behind the samples; it is that of [nd.Attention], so that bools of shape (samples, 1, others)
// tell which times of memory are no padding. A causal layer lets time i of x see times 0 to i of memory. It panics with
// *nd.Error if the shapes do not fit.
func (a *MultiHeadAttention) Attend(c *Ctx, x, memory, mask *nd.Array) *nd.Array {
	const call = "MultiHeadAttention.Attend"
	checkCall(call, c, x)
	checkCall(call, c, memory)
	features := a.join.weight.Shape()[1]
	own, others := x.Shape(), memory.Shape()
	if len(own) != 3 || len(others) != 3 || own[0] != others[0] || own[2] != features || others[2] != features {
		mistake(call, fault.ErrShape, fmt.Sprintf("x has shape %s and the memory %s, want (samples,times,%d) and (samples,others,%[3]d)",
			fault.FormatShape(own), fault.FormatShape(others), features), x, memory)
	}
	given := nd.InOneCapture(x, memory, mask)
	x, memory, mask = given[0], given[1], given[2]
	weight := c.Param(a.project.weight)
	project := func(from *nd.Array, first, last int) *nd.Array {
		part := nd.Span(first*features, last*features)
		if a.unbiased {
			return from.MatMul(weight.Index(nd.Whole, part))
		}
		return from.Linear(weight.Index(nd.Whole, part), nd.NoActivation, c.Param(a.project.bias).Index(part))
	}
	byHeads := func(from *nd.Array, part int) *nd.Array {
		shape := from.Shape()
		projected := from.Index(nd.Whole, nd.Whole, nd.Span(part*features, (part+1)*features))
		return projected.Reshape(shape[0], shape[1], a.heads, features/a.heads).Transpose(0, 2, 1, 3)
	}
	queries, seen := project(x, 0, 1), project(memory, 1, 3)
	attended := nd.Attention(byHeads(queries, 0), byHeads(seen, 0), byHeads(seen, 1), a.masked(mask, own[1], others[1], x.Env()))
	return a.join.Forward(c, attended.Transpose(0, 2, 1, 3).Reshape(own...))
}

// masked returns a mask with an axis of heads that hides what is causally hidden, too; nil if nothing is hidden.
func (a *MultiHeadAttention) masked(mask *nd.Array, times, others int, env *nd.Env) *nd.Array {
	if mask != nil && mask.Rank() == 3 {
		mask = mask.ExpandDims(1)
	}
	if !a.causal {
		return mask
	}
	before := nd.OnesIn(env, dtype.Bool, times, others).Tril(0)
	switch {
	case mask == nil:
		return before
	case mask.DType() == dtype.Bool:
		return mask.LogicalAnd(before)
	}
	return nd.Where(before, mask, nd.FullIn(env, mask.DType(), math.Inf(-1)))
}

// Named implements Layer. The projection gives the queries, the keys and then the values, each of them head by head.
func (a *MultiHeadAttention) Named() iter.Seq2[string, *nd.Array] { return a.parts().Named() }

// Initialise implements Weighted.
func (a *MultiHeadAttention) Initialise(env *nd.Env, draw Initialiser) {
	a.parts().Initialise(env, draw)
}

func (a *MultiHeadAttention) parts() Parts { return Parts{{"project", a.project}, {"join", a.join}} }
