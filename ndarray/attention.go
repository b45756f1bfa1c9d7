package ndarray

import "github.com/weft-nd/weft/ops"

// SelfAttention returns softmax(q kᵀ/√size) v of each head (Vaswani et al., "Attention is all you need", 2017), of shape (samples,
// times, features), where a of shape (samples, times, 3·features) has the queries q, the keys k and the values v of each time one
// behind the other, each of them head by head, of size features/heads. If it is causal each time sees only itself and those before.
// The second result, of shape (samples, heads, times), is the logarithm of the sum of the exponentials of the scores q kᵀ/√size.
// Integers become float64. It panics with *Error if a has another rank, or heads does not divide the features.
func (a *Array) SelfAttention(heads int, causal bool) (y, logSums *Array) {
	results := ops.Invoke(ops.SelfAttention, ops.AttentionParams{Heads: heads, Causal: causal}, (*ops.Tensor)(a))
	return (*Array)(results[0]), (*Array)(results[1])
}
