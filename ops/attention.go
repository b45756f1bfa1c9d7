package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cpu"
	"github.com/weft-nd/weft/storage"
)

// AttentionParams are the parameters of self_attention.
type AttentionParams struct {
	Heads  int  `doc:"number of heads, which divides the features" default:"1" min:"1"`
	Causal bool `doc:"whether each time sees only itself and those before"`
}

// Scaled dot-product attention of several heads (Vaswani et al., "Attention is all you need", NeurIPS 2017): softmax(q kᵀ/√size) v
// for every head, where q, k and v hold a vector of that size for each time. The gradient computes the scores again, from the
// logarithms of the sums of their exponentials (Dao et al., "FlashAttention", NeurIPS 2022), so no matrix of times by times is kept.
var (
	SelfAttention = Register(&Operator{
		Name: "self_attention", Doc: "attention among the times of each sample; x (samples,times,3·features) has queries, keys and values, each of them head by head; the second result, (samples,heads,times), is the logarithm of the sum of the exponentials of the scores, float32 for float16 and bfloat16",
		Inputs: []string{"x"}, Params: AttentionParams{}, Accepts: floating, Convert: toFloat, Saves: SaveInputs | SaveOutputs,
		Infer: func(c *Call) {
			samples, times, features := checkAttention(c)
			c.Output(c.Inputs[0].DType, []int{samples, times, features})
			c.Output(singleOf(c.Inputs[0].DType), []int{samples, c.Params.(AttentionParams).Heads, times})
		},
		Lower: lowerAttention, Work: func(c *Call) int64 { return attentionWork(c, 2) },
		Gradient: func(r *Rule) {
			if u := r.UpstreamOf(0); u != nil {
				r.Set(0, r.Apply("self_attention_gradient", r.Params(), r.Input(0), r.Output(), r.OutputOf(1), u))
			}
			if u := r.UpstreamOf(1); u != nil {
				a := r.attend(r.Input(0), r.OutputOf(1))
				slopes := r.Mul(a.weights, a.columns(r.cast(u, a.queries.DType())))
				g := a.packed(a.scaled(slopes, a.keys), a.scaled(r.swapLast(slopes), a.queries), r.zeros(a.values.Shape()))
				if first := r.results[0]; first != nil {
					g = r.Add(first, g)
				}
				r.Set(0, g)
			}
		},
		Samples: []Sample{
			{Shapes: [][]int{{2, 3, 12}}, Params: AttentionParams{2, true}}, {Shapes: [][]int{{2, 3, 12}}, Params: AttentionParams{1, false}},
			{Shapes: [][]int{{1, 70, 9}}, Params: AttentionParams{3, true}}, {Shapes: [][]int{{1, 40, 12}}, Params: AttentionParams{2, false}},
			{Shapes: [][]int{{0, 3, 6}}, Params: AttentionParams{2, true}}, {Shapes: [][]int{{2, 0, 6}}, Params: AttentionParams{1, true}},
			{Shapes: [][]int{{2, 3, 0}}, Params: AttentionParams{1, true}},
		},
	})

	SelfAttentionGradient = Register(&Operator{
		Name: "self_attention_gradient", Doc: "gradient of self_attention with respect to x, whose results are y and logs, and the gradient of y is upstream",
		Inputs: []string{"x", "y", "logs", "upstream"}, Params: AttentionParams{}, Accepts: floating, Convert: toAttended, Saves: SaveInputs,
		Infer: func(c *Call) {
			samples, times, features := checkAttention(c)
			c.checkShape(1, []int{samples, times, features})
			c.checkShape(2, []int{samples, c.Params.(AttentionParams).Heads, times})
			c.checkShape(3, []int{samples, times, features})
			c.Output(c.Inputs[0].DType, c.Inputs[0].Shape)
		},
		Lower: lowerAttention, Work: func(c *Call) int64 { return attentionWork(c, 5) },
		Gradient: attentionBend,
		Samples:  attentionGradientSamples(),
	})
)

// toAttended gives all operands of a gradient their common type, but the logarithms one of no less than float32: weights are computed
// from them again.
func toAttended(c *Call) []dtype.DType {
	logs := c.Inputs[2]
	c.Inputs[2] = c.Inputs[0]
	wanted := toCommonFloat(c)
	c.Inputs[2] = logs
	wanted[2] = singleOf(wanted[0])
	return wanted
}

// checkAttention returns the sizes of a call; it fails unless the operand has three axes, and as many features as it must.
func checkAttention(c *Call) (samples, times, features int) {
	shape, heads := c.Inputs[0].Shape, c.Params.(AttentionParams).Heads
	if len(shape) != 3 || shape[2]%(3*heads) != 0 {
		c.Fail(fault.ErrShape, fmt.Sprintf("x has shape %s, want (samples,times,3·features) where %d heads divide the features", fault.FormatShape(shape), heads))
	}
	return shape[0], shape[1], shape[2] / 3
}

func lowerAttention(c *Call, l *Lowered) {
	p := c.Params.(AttentionParams)
	l.Integers = []int64{int64(p.Heads), 0}
	if p.Causal {
		l.Integers[1] = 1
	}
	views := []device.View{}
	for _, v := range slices.Concat(l.Inputs, l.Outputs) {
		views = append(views, layoutOf(v))
	}
	l.Scratch = cpu.LinesScratch(views...)
}

// attentionWork counts the operations of so many products of matrices, half of which a mask spares.
func attentionWork(c *Call, products int64) int64 {
	shape := c.Inputs[0].Shape
	work := 2 * products * int64(storage.Count(shape)) / 3 * int64(shape[1])
	if c.Params.(AttentionParams).Causal {
		work /= 2
	}
	return work
}

// attended is an attention in terms of operators. All matrices have the axes samples, heads, times, and columns.
type attended struct {
	r                     *Rule
	heads                 int
	scale                 float64
	queries, keys, values Value
	weights               Value // exp(scores − logs), zero where a mask hides
}

// attend returns the attention for the parameters of the call.
func (r *Rule) attend(x, logs Value) attended {
	p := r.Params().(AttentionParams)
	a := attended{r: r, heads: p.Heads}
	a.queries, a.keys, a.values = a.part(x, 0), a.part(x, 1), a.part(x, 2)
	size, times := a.queries.Shape()[3], x.Shape()[1]
	a.scale = 1 / math.Sqrt(float64(max(1, size)))
	scores := a.scaled(a.queries, r.swapLast(a.keys))
	if p.Causal {
		hidden := r.BroadcastTo(r.Constant(math.Inf(-1), x), []int{times, times})
		scores = r.Add(scores, r.Apply("triu", TriangleParams{1}, hidden))
	}
	a.weights = r.Apply("exp", nil, r.Sub(scores, a.columns(r.cast(logs, x.DType()))))
	return a
}

// part returns the queries, keys or values of x, or the heads of an array that has one of them alone.
func (a attended) part(x Value, number int) Value {
	r, shape := a.r, x.Shape()
	size := shape[2] / 3 / a.heads
	all := r.Reshape(x, []int{shape[0], shape[1], 3 * a.heads, size})
	spans := []storage.Span{{Count: shape[0], Step: 1}, {Count: shape[1], Step: 1}, {Start: number * a.heads, Count: a.heads, Step: 1}, {Count: size, Step: 1}}
	return r.Apply("transpose", TransposeParams{[]int{0, 2, 1, 3}}, r.Apply("slice", SliceParams{spans}, all))
}

// split returns the heads of an array of shape (samples, times, features), and merged the opposite.
func (a attended) split(x Value) Value {
	shape := x.Shape()
	all := a.r.Reshape(x, []int{shape[0], shape[1], a.heads, shape[2] / a.heads})
	return a.r.Apply("transpose", TransposeParams{[]int{0, 2, 1, 3}}, all)
}

func (a attended) merged(x Value) Value {
	shape := x.Shape()
	return a.r.Reshape(a.r.Apply("transpose", TransposeParams{[]int{0, 2, 1, 3}}, x), []int{shape[0], shape[2], shape[1] * shape[3]})
}

// packed returns an array of the shape of the operand.
func (a attended) packed(queries, keys, values Value) Value {
	return a.r.Apply("concat", ConcatParams{2}, a.merged(queries), a.merged(keys), a.merged(values))
}

// columns returns an array of a number for each row, of shape (samples, heads, times), as matrices of one column.
func (a attended) columns(x Value) Value { return a.r.Reshape(x, append(slices.Clone(x.Shape()), 1)) }

func (a attended) product(x, y Value) Value { return a.r.Apply("matmul", nil, x, y) }

func (a attended) scaled(x, y Value) Value { return a.r.Scale(a.product(x, y), a.scale) }

// sums returns the sums of the rows of x.
func (a attended) sums(x Value) Value {
	return a.r.Apply("sum", ReduceParams{Axes: []int{3}, KeepDims: true}, x)
}

// attentionBend is the gradient of self_attention_gradient: with weights p, the slopes of the scores are s = p (u vᵀ − d), where d
// are the sums of the rows of u y, and the results s k/√size, sᵀ q/√size and pᵀ u.
func attentionBend(r *Rule) {
	a := r.attend(r.Input(0), r.Input(2))
	y, u := a.split(r.Input(1)), a.split(r.Input(3))
	offsets := r.Sub(a.product(u, r.swapLast(a.values)), a.sums(r.Mul(u, y)))
	slopes := r.Mul(a.weights, offsets)
	ofQueries, ofKeys, ofValues := a.part(r.Upstream(), 0), a.part(r.Upstream(), 1), a.part(r.Upstream(), 2)

	ofSlopes := r.Add(a.scaled(ofQueries, r.swapLast(a.keys)), a.scaled(a.queries, r.swapLast(ofKeys)))
	ofWeights := r.Add(r.Mul(ofSlopes, offsets), a.product(u, r.swapLast(ofValues)))
	ofOffsets, ofScores := r.Mul(ofSlopes, a.weights), r.Mul(ofWeights, a.weights)
	ofSums := r.Neg(a.sums(ofOffsets))

	r.Set(0, a.packed(
		r.Add(a.scaled(ofScores, a.keys), a.scaled(slopes, ofKeys)),
		r.Add(a.scaled(r.swapLast(ofScores), a.queries), a.scaled(r.swapLast(slopes), ofQueries)),
		a.product(r.swapLast(ofOffsets), u),
	))
	r.Set(1, a.merged(r.Mul(ofSums, u)))
	r.Set(2, r.cast(r.Neg(r.Reshape(a.sums(ofScores), r.Shape(2))), r.DType(2)))
	r.Set(3, a.merged(r.Add(r.Add(a.product(ofOffsets, a.values), a.product(a.weights, ofValues)), r.Mul(ofSums, y))))
}

// attentionGradientSamples are those of self_attention with the shapes of its results.
func attentionGradientSamples() (samples []Sample) {
	for _, s := range SelfAttention.Samples {
		x := s.Shapes[0]
		y := []int{x[0], x[1], x[2] / 3}
		samples = append(samples, Sample{[][]int{x, y, {x[0], s.Params.(AttentionParams).Heads, x[1]}, y}, s.Params})
	}
	return samples
}
