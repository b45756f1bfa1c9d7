package ops

import (
	"fmt"
	"math"

	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/storage"
)

// PadWithParams are the parameters of pad_with.
type PadWithParams struct {
	Before []int  `doc:"elements added in front of each axis"`
	After  []int  `doc:"elements added behind each axis"`
	Mode   string `doc:"what is added: the element at the end, those beside it backwards, those from it on backwards, or those at the other end" default:"edge" enum:"edge,reflect,symmetric,wrap"`
}

// PadWith continues x by its own elements, each at most once on each side but in mode edge.
var PadWith = Register(&Operator{
	Name: "pad_with", Doc: "x with its own elements around it", Inputs: []string{"x"}, Params: PadWithParams{},
	Infer: func(c *Call) {
		p, x := c.Params.(PadWithParams), c.Inputs[0].Shape
		shape := c.padded(p.Before, p.After)
		for axis, n := range x {
			if reach := Reach(p.Mode, n); max(p.Before[axis], p.After[axis]) > reach {
				c.Fail(fault.ErrParameter, fmt.Sprintf("axis %d, of %d elements, padded by %d and %d in mode %s, where it reaches for %d",
					axis, n, p.Before[axis], p.After[axis], p.Mode, reach))
			}
		}
		c.Output(c.Inputs[0].DType, shape)
	},
	Lower: lowerPadWith,
	Gradient: func(r *Rule) {
		p, g := r.Params().(PadWithParams), r.Upstream()
		for axis, n := range r.Shape(0) {
			g = r.folded(g, axis, n, p.continuations(axis, n))
		}
		r.Set(0, g)
	},
	Samples: []Sample{
		{Shapes: [][]int{{2, 3}}, Params: PadWithParams{[]int{1, 0}, []int{2, 5}, "edge"}}, {Shapes: [][]int{{2, 3, 4}}, Params: PadWithParams{[]int{1, 2, 0}, []int{0, 1, 3}, "reflect"}},
		{Shapes: [][]int{{2, 3}}, Params: PadWithParams{[]int{2, 1}, []int{1, 3}, "symmetric"}}, {Shapes: [][]int{{2, 3}}, Params: PadWithParams{[]int{1, 3}, []int{2, 1}, "wrap"}},
		{Shapes: [][]int{{}}, Params: PadWithParams{Mode: "wrap"}}, {Shapes: [][]int{{0, 2}}, Params: PadWithParams{[]int{0, 1}, []int{0, 1}, "reflect"}},
		{Shapes: [][]int{{70, 40}}, Params: PadWithParams{[]int{3, 5}, []int{4, 1}, "reflect"}},
	},
})

// Reach returns by how many elements an axis of n is continued at most, on each side, by pad_with in the given mode.
func Reach(mode string, n int) int {
	switch {
	case mode == "edge" && n > 0:
		return math.MaxInt
	case mode == "reflect":
		return max(n-1, 0)
	}
	return n
}

// continuation is a part of an axis of the result, and where its elements come from; by steps of zero, they are all the same.
type continuation struct{ to, from storage.Span }

// continuations returns the parts of an axis of n elements, of which the first is the whole of x.
func (p PadWithParams) continuations(axis, n int) []continuation {
	before, after := p.Before[axis], p.After[axis]
	front, behind := storage.Span{Count: before}, storage.Span{Start: n - 1, Count: after}
	switch p.Mode {
	case "reflect":
		front.Start, front.Step, behind.Start, behind.Step = before, -1, n-2, -1
	case "symmetric":
		front.Start, front.Step, behind.Start, behind.Step = before-1, -1, n-1, -1
	case "wrap":
		front.Start, front.Step, behind.Start, behind.Step = n-before, 1, 0, 1
	}
	parts := []continuation{{storage.Span{Start: before, Count: n, Step: 1}, storage.Span{Count: n, Step: 1}}}
	if before > 0 {
		parts = append(parts, continuation{storage.Span{Count: before, Step: 1}, front})
	}
	if after > 0 {
		parts = append(parts, continuation{storage.Span{Start: before + n, Count: after, Step: 1}, behind})
	}
	return parts
}

// lowerPadWith makes pairs of parts of the result and of x.
func lowerPadWith(c *Call, l *Lowered) {
	p, x, result := c.Params.(PadWithParams), l.Inputs[0], l.Outputs[0]
	l.Inputs, l.Outputs = nil, nil
	to, from := make([]storage.Span, len(x.Shape)), make([]storage.Span, len(x.Shape))
	var add func(axis int)
	add = func(axis int) {
		if axis == len(x.Shape) {
			l.Inputs, l.Outputs = append(l.Inputs, x.Slice(from)), append(l.Outputs, result.Slice(to))
			return
		}
		for _, part := range p.continuations(axis, x.Shape[axis]) {
			to[axis], from[axis] = part.to, part.from
			add(axis + 1)
		}
	}
	add(0)
}

// folded returns the n elements along an axis of g that are its first part, with those of the others added where they come from.
func (r *Rule) folded(g Value, axis, n int, parts []continuation) Value {
	part := func(span storage.Span) Value {
		spans := wholeSpans(g.Shape())
		spans[axis] = span
		return r.Apply("slice", SliceParams{spans}, g)
	}
	if len(parts) == 1 {
		return g
	}
	sum := part(parts[0].to)
	for _, other := range parts[1:] {
		added := part(other.to)
		if other.from.Step == 0 {
			added = r.Apply("sum", ReduceParams{Axes: []int{axis}, KeepDims: true}, added)
			other.from.Count, other.from.Step = 1, 1
		}
		spans := wholeSpans(sum.Shape())
		spans[axis] = other.from
		sum = r.Add(sum, r.Apply("embed", EmbedParams{sum.Shape(), spans}, added))
	}
	return sum
}
