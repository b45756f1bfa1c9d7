package ops

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/storage"
)

// SliceParams are the parameters of slice.
type SliceParams struct {
	Spans []storage.Span `doc:"the indices taken along each axis"`
}

// wholeSpans are the spans of all elements.
func wholeSpans(shape []int) []storage.Span {
	spans := make([]storage.Span, len(shape))
	for axis, n := range shape {
		spans[axis] = storage.Span{Count: n, Step: 1}
	}
	return spans
}

// EmbedParams are the parameters of embed.
type EmbedParams struct {
	Shape []int          `doc:"shape of the result"`
	Spans []storage.Span `doc:"where the operand goes along each axis"`
}

// ConcatParams are the parameters of concat.
type ConcatParams struct {
	Axis int `doc:"axis along which the operands follow one another" default:"0"`
}

// Operators on parts of arrays.
var (
	Slice = Register(&Operator{
		Name: "slice", Doc: "a strided part along each axis; a view", Inputs: []string{"x"}, Params: SliceParams{},
		Infer: func(c *Call) {
			spans := c.Params.(SliceParams).Spans
			c.checkSpans(spans, c.Inputs[0].Shape)
			c.Output(c.Inputs[0].DType, spanCounts(spans))
		},
		View: func(c *Call, v storage.View) (storage.View, bool) { return v.Slice(c.Params.(SliceParams).Spans), true },
		Gradient: func(r *Rule) {
			r.Set(0, r.Apply("embed", EmbedParams{r.Shape(0), r.Params().(SliceParams).Spans}, r.Upstream()))
		},
		Samples: []Sample{
			{Shapes: [][]int{{4, 5}}, Params: SliceParams{[]storage.Span{{Start: 1, Count: 2, Step: 1}, {Start: 4, Count: 3, Step: -2}}}},
			{Shapes: [][]int{{3}}, Params: SliceParams{[]storage.Span{{Start: 3, Count: 0, Step: 1}}}},
			{Shapes: [][]int{{}}, Params: SliceParams{}},
		},
	})

	Embed = Register(&Operator{
		Name: "embed", Doc: "zeros with x written to a strided part", Inputs: []string{"x"}, Params: EmbedParams{},
		Infer: func(c *Call) {
			p := c.Params.(EmbedParams)
			c.checkSizes(p.Shape)
			c.checkSpans(p.Spans, p.Shape)
			if counts := spanCounts(p.Spans); !slices.Equal(counts, c.Inputs[0].Shape) {
				c.Fail(fault.ErrShape, fmt.Sprintf("x has shape %s, its place %s", fault.FormatShape(c.Inputs[0].Shape), fault.FormatShape(counts)))
			}
			c.Output(c.Inputs[0].DType, slices.Clone(p.Shape))
		},
		Lower: func(c *Call, l *Lowered) {
			l.Outputs = append(l.Outputs, l.Outputs[0].Slice(c.Params.(EmbedParams).Spans))
		},
		Gradient: func(r *Rule) {
			r.Set(0, r.Apply("slice", SliceParams{r.Params().(EmbedParams).Spans}, r.Upstream()))
		},
		Samples: []Sample{
			{Shapes: [][]int{{2, 3}}, Params: EmbedParams{[]int{4, 5}, []storage.Span{{Start: 1, Count: 2, Step: 1}, {Start: 4, Count: 3, Step: -2}}}},
			{Shapes: [][]int{{0}}, Params: EmbedParams{[]int{3}, []storage.Span{{Start: 3, Count: 0, Step: 1}}}},
			{Shapes: [][]int{{}}, Params: EmbedParams{Shape: []int{}}},
		},
	})

	Concat = Register(&Operator{
		Name: "concat", Doc: "the operands one after another along an axis", Inputs: []string{"xs..."}, Params: ConcatParams{},
		Convert: toCommon,
		Infer:   inferConcat,
		Lower: func(c *Call, l *Lowered) {
			whole, at := l.Outputs[0], 0
			axis := c.Axis(c.Params.(ConcatParams).Axis, len(whole.Shape))
			l.Outputs = make([]storage.View, len(c.Inputs))
			for i, in := range c.Inputs {
				l.Outputs[i] = whole
				l.Outputs[i].Shape = in.Shape
				if in.elements() > 0 { // Where there are none, the place may be behind the memory.
					l.Outputs[i].Offset += at * whole.Strides[axis]
				}
				at += in.Shape[axis]
			}
		},
		Gradient: func(r *Rule) {
			c := &Call{Params: r.Params()}
			for i := range r.Count() {
				c.Inputs = append(c.Inputs, Operand{Shape: r.Shape(i)})
			}
			for i, spans := range concatSpans(c) {
				if r.Wants(i) {
					r.Set(i, r.Apply("slice", SliceParams{spans}, r.Upstream()))
				}
			}
		},
		Samples: []Sample{
			{Shapes: [][]int{{2, 3}, {1, 3}, {4, 3}}, Params: ConcatParams{0}}, {Shapes: [][]int{{2, 3}, {2, 0}, {2, 2}}, Params: ConcatParams{-1}},
			{Shapes: [][]int{{3}}, Params: ConcatParams{0}},
		},
	})
)

// checkSpans fails unless there is one span for each axis and each lies within it.
func (c *Call) checkSpans(spans []storage.Span, shape []int) {
	if len(spans) != len(shape) {
		c.Fail(fault.ErrMisuse, fmt.Sprintf("%d spans given for %d axes", len(spans), len(shape)))
	}
	for axis, s := range spans {
		last := s.Start + (s.Count-1)*s.Step
		if s.Count < 0 || s.Step == 0 || s.Count > 0 && (min(s.Start, last) < 0 || max(s.Start, last) >= shape[axis]) {
			c.Fail(fault.ErrIndex, fmt.Sprintf("indices %d to %d by %d leave axis %d, which has %d elements", s.Start, last, s.Step, axis, shape[axis]))
		}
	}
}

func spanCounts(spans []storage.Span) []int {
	counts := make([]int, len(spans))
	for axis, s := range spans {
		counts[axis] = s.Count
	}
	return counts
}

func inferConcat(c *Call) {
	if len(c.Inputs) == 0 {
		c.Fail(fault.ErrMisuse, "there is nothing to concatenate")
	}
	first := c.Inputs[0].Shape
	axis := c.Axis(c.Params.(ConcatParams).Axis, len(first))
	shape := slices.Clone(first)
	for i, in := range c.Inputs[1:] {
		for a := range max(len(first), len(in.Shape)) {
			if len(in.Shape) != len(first) || a != axis && in.Shape[a] != first[a] {
				c.Fail(fault.ErrShape, fmt.Sprintf("shapes %s and %s (operand %d) differ in another axis than %d",
					fault.FormatShape(first), fault.FormatShape(in.Shape), i+1, axis))
			}
		}
		shape[axis] += in.Shape[axis]
	}
	c.Output(c.Inputs[0].DType, shape)
}

// concatSpans returns where in the result each operand goes.
func concatSpans(c *Call) [][]storage.Span {
	first := c.Inputs[0].Shape
	axis := c.Axis(c.Params.(ConcatParams).Axis, len(first))
	start := 0
	places := make([][]storage.Span, len(c.Inputs))
	for i, in := range c.Inputs {
		places[i] = make([]storage.Span, len(first))
		for a, n := range in.Shape {
			places[i][a] = storage.Span{Count: n, Step: 1}
		}
		places[i][axis].Start = start
		start += in.Shape[axis]
	}
	return places
}
