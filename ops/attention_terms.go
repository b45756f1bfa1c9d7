package ops

import (
	"math"
	"slices"
)

// attentionTerms is an attention in terms of operators. The last two axes of all are matrices with a row for each time.
// All are of float32 or float64: with scores of 16 bits, weights would not be those of the logarithms, which are not
// rounded to as few.
type attentionTerms struct {
	r                     *Rule
	queries, keys, values Value
	weights               Value // exp(scores − logs), zero where a mask hides
}

// weigh computes the weights from the logarithms of the sums of their exponentials, and scores as masked returns them: −Inf hides.
func (a *attentionTerms) weigh(logs Value, masked func(scores Value) Value) {
	r := a.r
	scores := masked(a.scaled(a.queries, r.swapLast(a.keys)))
	lowest := r.Constant(math.Inf(-1), logs)
	logs = r.Apply("where", nil, r.Apply("equal", nil, logs, lowest), r.Constant(0, logs), logs) // of a time that sees nothing
	a.weights = r.Apply("exp", nil, r.Sub(scores, a.columns(logs)))
}

// single returns x, or floats of 16 bits as float32.
func (r *Rule) single(x Value) Value { return r.cast(x, singleOf(x.DType())) }

// setRounded is Set for a gradient that single operands made.
func (r *Rule) setRounded(i int, gradient Value) {
	r.Set(i, r.cast(r.SumTo(gradient, r.Shape(i)), r.DType(i)))
}

// columns returns an array of a number for each row as matrices of one column.
func (a attentionTerms) columns(x Value) Value {
	return a.r.Reshape(x, append(slices.Clone(x.Shape()), 1))
}

func (a attentionTerms) product(x, y Value) Value { return a.r.Apply("matmul", nil, x, y) }

// scaled is a product of matrices by 1/√size.
func (a attentionTerms) scaled(x, y Value) Value {
	shape := a.queries.Shape()
	return a.r.Scale(a.product(x, y), 1/math.Sqrt(float64(max(1, shape[len(shape)-1]))))
}

// sums returns the sums of the rows of x.
func (a attentionTerms) sums(x Value) Value {
	return a.r.Apply("sum", ReduceParams{Axes: []int{-1}, KeepDims: true}, x)
}

// slopesOfLogs returns the gradient of the scores, where u is that of the logarithms.
func (a attentionTerms) slopesOfLogs(u Value) Value {
	return a.r.Mul(a.weights, a.columns(u))
}

// offsets returns u vᵀ − d, where d are the sums of the rows of u y: with the weights it makes the gradient of the
// scores, where u is that of y.
func (a attentionTerms) offsets(y, u Value) Value {
	return a.r.Sub(a.product(u, a.r.swapLast(a.values)), a.sums(a.r.Mul(u, y)))
}

// attentionBend has the gradients of the operands of a gradient of attention.
type attentionBend struct{ queries, keys, values, y, logs, u, scores Value }

// bend returns the gradients of the gradients s k/√size, sᵀ q/√size and pᵀ u of queries, keys and values, whose own are
// upstream. The weights are p, and s = p (u vᵀ − d) the slopes of the scores.
func (a attentionTerms) bend(y, u Value, upstream [3]Value) (b attentionBend) {
	r := a.r
	offsets := a.offsets(y, u)
	slopes := r.Mul(a.weights, offsets)
	ofQueries, ofKeys, ofValues := upstream[0], upstream[1], upstream[2]

	ofSlopes := r.Add(a.scaled(ofQueries, r.swapLast(a.keys)), a.scaled(a.queries, r.swapLast(ofKeys)))
	ofWeights := r.Add(r.Mul(ofSlopes, offsets), a.product(u, r.swapLast(ofValues)))
	ofOffsets := r.Mul(ofSlopes, a.weights)
	ofSums := r.Neg(a.sums(ofOffsets))
	b.scores = r.Mul(ofWeights, a.weights)

	b.queries = r.Add(a.scaled(b.scores, a.keys), a.scaled(slopes, ofKeys))
	b.keys = r.Add(a.scaled(r.swapLast(b.scores), a.queries), a.scaled(r.swapLast(slopes), ofQueries))
	b.values = a.product(r.swapLast(ofOffsets), u)
	b.y = r.Mul(ofSums, u)
	sums := a.sums(b.scores)
	b.logs = r.Neg(r.Reshape(sums, sums.Shape()[:len(sums.Shape())-1]))
	b.u = r.Add(r.Add(a.product(ofOffsets, a.values), a.product(a.weights, ofValues)), r.Mul(ofSums, y))
	return b
}
