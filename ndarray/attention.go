package ndarray

import (
	"fmt"
	"math"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/ops"
)

// SelfAttention returns softmax(q kᵀ/√size) v of each head (Vaswani et al., "Attention is all you need", 2017), of shape
// (samples, times, features), where a of shape (samples, times, 3·features) holds, for each time, the queries q, then the keys
// k, then the values v, each of them head by head, of size features/heads. If causal is set, each time attends only to itself
// and earlier times. The second result, of shape (samples, heads, times), is the logarithm of the sum of the exponentials of
// the scores q kᵀ/√size. Integers become float64. It panics with *Error if a has another rank, or heads does not divide the
// features.
func (a *Array) SelfAttention(heads int, causal bool) (y, logSums *Array) {
	results := ops.Invoke(ops.SelfAttention, ops.AttentionParams{Heads: heads, Causal: causal}, (*ops.Tensor)(a))
	return (*Array)(results[0]), (*Array)(results[1])
}

// Attention returns softmax(q kᵀ/√size) v, of shape (...,times,width), for queries q of shape (...,times,size), keys k
// of shape (...,others,size) and values v of shape (...,others,width), whose axes before the last two broadcast
// (Vaswani et al., 2017). A mask, nil if there is none, broadcasts to (...,times,others): one of bools is true where a
// time sees another, and one of floats is added to q kᵀ/√size, so that −Inf hides. A time that sees none gets zeros. On
// the host it holds some rows of (...,times,others) at a time; elsewhere, and for the gradient of a mask and gradients
// of gradients, all of it is in memory. It panics with *Error if an array is no floats, but for a mask of bools, or the
// shapes do not fit.
func Attention(q, k, v, mask *Array) *Array {
	const operator = "Attention"
	operands := []*Array{q, k, v}
	if mask != nil {
		operands = append(operands, mask)
	}
	checkNotNil(operator, operands...)
	defer named(operator, operands...)
	for i, a := range operands {
		if !a.DType().IsFloat() && !(i == 3 && a.DType() == dtype.Bool) {
			fail(operator, fault.ErrDType, fmt.Sprintf("array %d of %d is %v, want floats, or bools as a mask", i, len(operands), a.DType()), operands...)
		}
		if i < 3 && a.Rank() < 2 {
			fail(operator, fault.ErrShape, fmt.Sprintf("array %d of %d has shape %s, want two axes or more", i, len(operands), fault.FormatShape(a.Shape())), operands...)
		}
	}
	operands = InOneCapture(operands...)
	if q, k, v = operands[0], operands[1], operands[2]; mask != nil {
		mask = operands[3]
	}
	if !q.Device().OnHost() {
		return attentionOfOperators(q, k, v, mask)
	}
	results := ops.Invoke(ops.Attention, nil, tensors(operands)...)
	results[1].Discard(fault.Here(1))
	return (*Array)(results[0])
}

// attentionOfOperators is Attention by operators that devices have.
func attentionOfOperators(q, k, v, mask *Array) *Array {
	var made temporaries
	size := q.Shape()[q.Rank()-1]
	scaled := made.add(q.MulScalar(1 / math.Sqrt(float64(max(1, size)))))
	scores := made.add(scaled.MatMul(k.MatrixTranspose()))
	if mask == nil {
		return made.discard(made.add(scores.Softmax(-1)).MatMul(v), q, k, v)
	}
	times, others := scores.Shape()[scores.Rank()-2], scores.Shape()[scores.Rank()-1]
	heads := BroadcastShapes(scores.Shape()[:scores.Rank()-2], v.Shape()[:v.Rank()-2])
	mask.BroadcastTo(append(heads, times, others)...) // not the other way round
	lowest, zero := WeakIn(q.Env(), math.Inf(-1)), WeakIn(q.Env(), 0)
	if mask.DType() == dtype.Bool {
		scores = made.add(Where(mask, scores, lowest))
	} else {
		scores = made.add(scores.Add(mask))
	}
	if others == 0 {
		return made.discard(made.add(scores.Softmax(-1)).MatMul(v), q, k, v, mask)
	}
	hidden := made.add(made.add(scores.MaxKeepDims(-1)).Equal(lowest))
	weights := made.add(made.add(Where(hidden, zero, scores)).Softmax(-1)) // A row of −Inf would have no gradient.
	return made.discard(made.add(Where(hidden, zero, weights)).MatMul(v), q, k, v, mask)
}
