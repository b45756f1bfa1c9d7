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

// Attention of the times of each sample to each other, in several heads, whose queries, keys and values lie packed; see Attention.
var (
	SelfAttention = Register(&Operator{
		Name: "self_attention", Doc: "attention among the times of each sample; x (samples,times,3·features) has queries, keys and values, each of them head by head; the second result, (samples,heads,times), is the logarithm of the sum of the exponentials of the scores, float32 for float16 and bfloat16",
		Inputs: []string{"x"}, Params: AttentionParams{}, Accepts: floating, Convert: toFloat, Saves: SaveInputs | SaveOutputs,
		Infer: func(c *Call) {
			samples, times, features := checkSelfAttention(c)
			c.Output(c.Inputs[0].DType, []int{samples, times, features})
			c.Output(singleOf(c.Inputs[0].DType), []int{samples, c.Params.(AttentionParams).Heads, times})
		},
		Lower: lowerSelfAttention, Work: func(c *Call) int64 { return selfAttentionWork(c, 2) },
		Gradient: func(r *Rule) {
			if u := r.UpstreamOf(0); u != nil {
				r.Set(0, r.Apply("self_attention_gradient", r.Params(), r.Input(0), r.Output(), r.OutputOf(1), u))
			}
			if u := r.UpstreamOf(1); u != nil {
				a := r.attendPacked(r.Input(0), r.OutputOf(1))
				slopes := a.slopesOfLogs(u)
				zeros := r.zerosOf(Operand{Shape: a.values.Shape(), DType: a.values.DType()})
				g := a.packed(a.scaled(slopes, a.keys), a.scaled(r.swapLast(slopes), a.queries), zeros)
				if first := r.results[0]; first != nil {
					g = r.Add(r.single(first), g)
				}
				r.setRounded(0, g)
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
			samples, times, features := checkSelfAttention(c)
			c.checkShape(1, []int{samples, times, features})
			c.checkShape(2, []int{samples, c.Params.(AttentionParams).Heads, times})
			c.checkShape(3, []int{samples, times, features})
			c.Output(c.Inputs[0].DType, c.Inputs[0].Shape)
		},
		Lower: lowerSelfAttention, Work: func(c *Call) int64 { return selfAttentionWork(c, 5) },
		Gradient: func(r *Rule) {
			a := r.attendPacked(r.Input(0), r.Input(2))
			u := r.single(r.Upstream())
			b := a.bend(a.split(r.single(r.Input(1))), a.split(r.single(r.Input(3))), [3]Value{a.part(u, 0), a.part(u, 1), a.part(u, 2)})
			r.setRounded(0, a.packed(b.queries, b.keys, b.values))
			r.setRounded(1, a.merged(b.y))
			r.setRounded(2, b.logs)
			r.setRounded(3, a.merged(b.u))
		},
		Samples: selfAttentionGradientSamples(),
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

// checkSelfAttention returns the sizes of a call; it fails unless the operand has three axes, and as many features as it must.
func checkSelfAttention(c *Call) (samples, times, features int) {
	shape, heads := c.Inputs[0].Shape, c.Params.(AttentionParams).Heads
	if len(shape) != 3 || shape[2]%(3*heads) != 0 {
		c.Fail(fault.ErrShape, fmt.Sprintf("x has shape %s, want (samples,times,3·features) where %d heads divide the features", fault.FormatShape(shape), heads))
	}
	return shape[0], shape[1], shape[2] / 3
}

func lowerSelfAttention(c *Call, l *Lowered) {
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

// selfAttentionWork counts the operations of so many products of matrices, half of which a mask spares.
func selfAttentionWork(c *Call, products int64) int64 {
	shape := c.Inputs[0].Shape
	work := 2 * products * int64(storage.Count(shape)) / 3 * int64(shape[1])
	if c.Params.(AttentionParams).Causal {
		work /= 2
	}
	return work
}

// selfAttentionGradientSamples are those of self_attention with the shapes of its results.
func selfAttentionGradientSamples() (samples []Sample) {
	for _, s := range SelfAttention.Samples {
		x := s.Shapes[0]
		y := []int{x[0], x[1], x[2] / 3}
		samples = append(samples, Sample{[][]int{x, y, {x[0], s.Params.(AttentionParams).Heads, x[1]}, y}, s.Params})
	}
	return samples
}

// packedTerms is an attention in terms of operators of which the operand is packed.
type packedTerms struct {
	attentionTerms
	heads int
}

// attendPacked returns the attention for the parameters of the call.
func (r *Rule) attendPacked(x, logs Value) packedTerms {
	params := r.Params().(AttentionParams)
	p := packedTerms{attentionTerms{r: r}, params.Heads}
	x = r.single(x)
	p.queries, p.keys, p.values = p.part(x, 0), p.part(x, 1), p.part(x, 2)
	p.weigh(logs, func(scores Value) Value {
		if !params.Causal {
			return scores
		}
		hidden := r.BroadcastTo(r.Constant(math.Inf(-1), x), scores.Shape()[2:])
		return r.Add(scores, r.Apply("triu", TriangleParams{1}, hidden))
	})
	return p
}

// part returns the queries, keys or values of x, or the heads of an array that has one of them alone.
func (p packedTerms) part(x Value, number int) Value {
	r, shape := p.r, x.Shape()
	size := shape[2] / 3 / p.heads
	all := r.Reshape(x, []int{shape[0], shape[1], 3 * p.heads, size})
	spans := []storage.Span{{Count: shape[0], Step: 1}, {Count: shape[1], Step: 1}, {Start: number * p.heads, Count: p.heads, Step: 1}, {Count: size, Step: 1}}
	return r.Apply("transpose", TransposeParams{[]int{0, 2, 1, 3}}, r.Apply("slice", SliceParams{spans}, all))
}

// split returns the heads of an array of shape (samples, times, features), and merged the opposite.
func (p packedTerms) split(x Value) Value {
	shape := x.Shape()
	all := p.r.Reshape(x, []int{shape[0], shape[1], p.heads, shape[2] / p.heads})
	return p.r.Apply("transpose", TransposeParams{[]int{0, 2, 1, 3}}, all)
}

func (p packedTerms) merged(x Value) Value {
	shape := x.Shape()
	return p.r.Reshape(p.r.Apply("transpose", TransposeParams{[]int{0, 2, 1, 3}}, x), []int{shape[0], shape[2], shape[1] * shape[3]})
}

// packed returns an array of the shape of the operand.
func (p packedTerms) packed(queries, keys, values Value) Value {
	return p.r.Apply("concat", ConcatParams{2}, p.merged(queries), p.merged(keys), p.merged(values))
}
