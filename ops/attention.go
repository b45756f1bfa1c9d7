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

// Scaled dot-product attention (Vaswani et al., "Attention is all you need", NeurIPS 2017): softmax(q kᵀ/√size + mask)
// v. Some rows of the matrix of scores are computed at a time, and the gradient computes them again, from the
// logarithms of the sums of their exponentials (Dao et al., "FlashAttention", NeurIPS 2022), so that the matrix is
// never kept.
var (
	Attention = Register(&Operator{
		Name: "attention", Doc: "attention of queries q (...,times,size) to keys k (...,others,size) with values v (...,others,width), whose axes before broadcast; a mask, if there is one, broadcasts to (...,times,others): bools tell what is seen, numbers are added to the scores; " +
			"the second result, (...,times), is the logarithm of the sum of the exponentials of the scores, float32 for float16 and bfloat16, and −Inf where a time sees nothing, whose first result is zero",
		Inputs: []string{"q", "k", "v", "mask?"}, Accepts: floating, Convert: toMasked(3), Saves: SaveInputs | SaveOutputs,
		Infer: func(c *Call) {
			s := c.attention(3)
			c.Output(c.Inputs[0].DType, s.with(s.times, s.width))
			c.Output(singleOf(c.Inputs[0].DType), s.with(s.times))
		},
		Lower: lowerAttention,
		Work: func(c *Call) int64 {
			s := c.attention(3)
			return s.work(s.size + s.width)
		},
		Gradient: attentionSlopes,
		Samples: []Sample{
			{Shapes: [][]int{{4, 2}, {5, 2}, {5, 3}, {4, 5}}}, {Shapes: [][]int{{2, 3, 4, 2}, {3, 5, 2}, {2, 1, 5, 3}}},
			{Shapes: [][]int{{2, 70, 3}, {40, 3}, {1, 40, 2}, {1, 40}}}, {Shapes: [][]int{{2, 2, 3, 2}, {2, 1, 4, 2}, {4, 2}, {2, 1, 3, 1}}},
			{Shapes: [][]int{{0, 3, 2}, {4, 2}, {4, 2}, {3, 4}}}, {Shapes: [][]int{{2, 0, 2}, {4, 2}, {4, 3}}},
			{Shapes: [][]int{{3, 0}, {4, 0}, {4, 2}, {4}}}, {Shapes: [][]int{{3, 2}, {4, 2}, {4, 0}}},
		},
	})

	AttentionGradient = Register(&Operator{
		Name: "attention_gradient", Doc: "gradients of attention with respect to q, k and v, not summed along axes that were broadcast, whose results are y and logs, and the gradient of y is upstream",
		Inputs: []string{"q", "k", "v", "y", "logs", "upstream", "mask?"}, Accepts: floating, Convert: toMasked(6), Saves: SaveInputs,
		Infer: func(c *Call) {
			s := c.attention(6)
			c.checkShape(3, s.with(s.times, s.width))
			c.checkShape(4, s.with(s.times))
			c.checkShape(5, s.with(s.times, s.width))
			c.Output(c.Inputs[0].DType, s.with(s.times, s.size))
			c.Output(c.Inputs[0].DType, s.with(s.others, s.size))
			c.Output(c.Inputs[0].DType, s.with(s.others, s.width))
		},
		Lower: lowerAttention,
		Work: func(c *Call) int64 {
			s := c.attention(6)
			return s.work(3*s.size + 2*s.width)
		},
		Gradient: func(r *Rule) {
			a := r.attend(r.Input(4), 6)
			var upstream [3]Value
			for i := range upstream {
				upstream[i] = r.single(r.upstreamOr(i, r.Result(i)))
			}
			b := a.bend(r.single(r.Input(3)), r.single(r.Input(5)), upstream)
			for i, gradient := range []Value{b.queries, b.keys, b.values, b.y, b.logs, b.u} {
				r.setRounded(i, gradient)
			}
			if r.Count() > 6 && r.DType(6).IsFloat() {
				r.setRounded(6, b.scores)
			}
		},
		Samples: attentionGradientSamples(),
	})
)

// attentionShape are the sizes of attention, and the axes before them that all operands broadcast to.
type attentionShape struct {
	heads                      []int
	times, others, size, width int
}

// with returns the shape of an array that has the given axes for each head.
func (s attentionShape) with(axes ...int) []int { return append(slices.Clone(s.heads), axes...) }

// work counts the operations of products of rows of so many elements in all.
func (s attentionShape) work(elements int) int64 {
	return 2 * int64(storage.Count(s.heads)) * int64(s.times) * int64(s.others) * int64(elements)
}

// attention returns the sizes of a call, of which a mask is the operand of the given number. It fails unless they fit.
func (c *Call) attention(mask int) (s attentionShape) {
	q, k, v := c.Inputs[0].Shape, c.Inputs[1].Shape, c.Inputs[2].Shape
	for i, shape := range [][]int{q, k, v} {
		if len(shape) < 2 {
			c.Fail(fault.ErrShape, fmt.Sprintf("%s has shape %s, want two axes or more", c.Operator.Inputs[i], fault.FormatShape(shape)))
		}
	}
	heads := func(shape []int) []int { return shape[:len(shape)-2] }
	last := func(shape []int) (rows, columns int) { return shape[len(shape)-2], shape[len(shape)-1] }
	s.times, s.size = last(q)
	s.others, s.width = last(v)
	if rows, columns := last(k); rows != s.others || columns != s.size {
		c.Fail(fault.ErrShape, fmt.Sprintf("q %s, k %s and v %s do not fit: want (...,times,size), (...,others,size) and (...,others,width)",
			fault.FormatShape(q), fault.FormatShape(k), fault.FormatShape(v)))
	}
	s.heads = c.broadcastPair(c.broadcastPair(heads(q), heads(k)), heads(v))
	for _, m := range c.Inputs[mask:] {
		if whole := s.with(s.times, s.others); !broadcastsTo(m.Shape, whole) {
			c.Fail(fault.ErrShape, fmt.Sprintf("the mask %s does not broadcast to the scores %s", fault.FormatShape(m.Shape), fault.FormatShape(whole)))
		}
	}
	return s
}

// broadcastsTo reports whether an array of the given shape broadcasts to one of the shape whole.
func broadcastsTo(shape, whole []int) bool {
	for i := range shape {
		if n := fromEnd(shape, i); i >= len(whole) || n != 1 && n != fromEnd(whole, i) {
			return false
		}
	}
	return true
}

// toMasked gives all operands their common floating-point type, but for bools that are the mask, of the given number,
// and for logarithms before it, which have no less than float32: weights are computed from them again.
func toMasked(mask int) func(c *Call) []dtype.DType {
	return func(c *Call) []dtype.DType {
		var apart []int
		const logs = 4
		if mask > logs {
			apart = append(apart, logs)
		}
		isBool := len(c.Inputs) > mask && c.Inputs[mask].DType == dtype.Bool
		if isBool {
			apart = append(apart, mask)
		}
		wanted := c.want(floatOf(c.commonType(0, apart...)))
		if mask > logs {
			wanted[logs] = singleOf(wanted[0])
		}
		if isBool {
			wanted[mask] = dtype.Bool
		}
		return wanted
	}
}

// lowerAttention repeats the operands along the axes of heads.
func lowerAttention(c *Call, l *Lowered) {
	mask := len(c.Operator.Inputs) - 1
	s := c.attention(mask)
	views := []device.View{}
	for i, v := range l.Inputs {
		switch {
		case i < 3:
			v = v.Broadcast(s.with(v.Shape[len(v.Shape)-2:]...))
		case i == mask:
			v = v.Broadcast(s.with(s.times, s.others))
		}
		if l.Inputs[i] = v; i != mask {
			views = append(views, layoutOf(v))
		}
	}
	for _, v := range l.Outputs {
		views = append(views, layoutOf(v))
	}
	l.Scratch = cpu.AttentionScratch(views...)
}

// attend returns the attention of the first operands for the logarithms, and a mask, if there is one, that is the
// operand of the given number.
func (r *Rule) attend(logs Value, mask int) attentionTerms {
	a := attentionTerms{r: r, queries: r.single(r.Input(0)), keys: r.single(r.Input(1)), values: r.single(r.Input(2))}
	a.weigh(logs, func(scores Value) Value {
		switch {
		case r.Count() <= mask:
			return scores
		case r.DType(mask) == dtype.Bool:
			return r.Apply("where", nil, r.Input(mask), scores, r.Constant(math.Inf(-1), scores))
		}
		return r.Add(scores, r.single(r.Input(mask)))
	})
	return a
}

// attentionSlopes is the gradient of attention.
func attentionSlopes(r *Rule) {
	var gradients [4]Value
	add := func(i int, part Value) {
		if gradients[i] != nil {
			part = r.Add(r.single(gradients[i]), part)
		}
		gradients[i] = part
	}
	isAdded := r.Count() > 3 && r.DType(3).IsFloat() && r.Wants(3)
	if u := r.UpstreamOf(0); u != nil {
		if r.Wants(0) || r.Wants(1) || r.Wants(2) {
			operands := []Value{r.Input(0), r.Input(1), r.Input(2), r.Output(), r.OutputOf(1), u}
			if r.Count() > 3 {
				operands = append(operands, r.Input(3))
			}
			for i, gradient := range r.ApplyAll("attention_gradient", nil, operands...) {
				add(i, gradient)
			}
		}
		if isAdded {
			a := r.attend(r.OutputOf(1), 3)
			add(3, r.Mul(a.weights, a.offsets(r.single(r.Output()), r.single(u))))
		}
	}
	if u := r.UpstreamOf(1); u != nil {
		a := r.attend(r.OutputOf(1), 3)
		slopes := a.slopesOfLogs(u)
		add(0, a.scaled(slopes, a.keys))
		add(1, a.scaled(r.swapLast(slopes), a.queries))
		if isAdded {
			add(3, slopes)
		}
	}
	for i, gradient := range gradients {
		if gradient != nil {
			r.setRounded(i, gradient)
		}
	}
}

// attentionGradientSamples are those of attention with the shapes of its results.
func attentionGradientSamples() (samples []Sample) {
	for _, sample := range Attention.Samples {
		c := &Call{Operator: Attention}
		for _, shape := range sample.Shapes {
			c.Inputs = append(c.Inputs, Operand{Shape: shape})
		}
		s := c.attention(3)
		y := s.with(s.times, s.width)
		shapes := append(slices.Clone(sample.Shapes[:3]), y, s.with(s.times), y)
		samples = append(samples, Sample{Shapes: append(shapes, sample.Shapes[3:]...)})
	}
	return samples
}
