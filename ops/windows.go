package ops

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/storage"
)

// SlidingWindowsParams are the parameters of sliding_windows.
type SlidingWindowsParams struct {
	Size int `doc:"elements of a window" min:"1"`
	Step int `doc:"elements from the start of one window to that of the next" default:"1" min:"1"`
	Axis int `doc:"axis that the windows are along" default:"-1"`
}

// SlidingWindows has results whose elements share memory with one another, where windows overlap.
var SlidingWindows = Register(&Operator{
	Name: "sliding_windows", Doc: "windows along an axis, the elements of each along a new last one; a view", Inputs: []string{"x"}, Params: SlidingWindowsParams{},
	Infer: func(c *Call) {
		p, shape := c.Params.(SlidingWindowsParams), c.Inputs[0].Shape
		axis := c.Axis(p.Axis, len(shape))
		if p.Size > shape[axis] {
			c.Fail(fault.ErrShape, fmt.Sprintf("windows of %d elements along axis %d, which has %d", p.Size, axis, shape[axis]))
		}
		c.Output(c.Inputs[0].DType, append(with(shape, axis, (shape[axis]-p.Size)/p.Step+1), p.Size))
	},
	View: func(c *Call, v storage.View) (storage.View, bool) {
		p := c.Params.(SlidingWindowsParams)
		axis := c.Axis(p.Axis, len(v.Shape))
		stride := v.Strides[axis]
		v.Strides = append(with(v.Strides, axis, stride*min(p.Step, v.Shape[axis])), stride)
		v.Shape = c.Outputs[0].Shape
		return v, true
	},
	Gradient: func(r *Rule) {
		p, shape := r.Params().(SlidingWindowsParams), r.Shape(0)
		r.Set(0, r.overlapped(p, (p.Axis+len(shape))%len(shape)))
	},
	Samples: []Sample{
		{Shapes: [][]int{{7}}, Params: SlidingWindowsParams{3, 1, 0}}, {Shapes: [][]int{{8, 3}}, Params: SlidingWindowsParams{5, 2, 0}},
		{Shapes: [][]int{{2, 9}}, Params: SlidingWindowsParams{2, 3, -1}}, {Shapes: [][]int{{2, 6, 2}}, Params: SlidingWindowsParams{6, 4, 1}},
		{Shapes: [][]int{{3, 10}}, Params: SlidingWindowsParams{4, 3, 1}}, {Shapes: [][]int{{4}}, Params: SlidingWindowsParams{1, 1, 0}},
		{Shapes: [][]int{{0, 3}}, Params: SlidingWindowsParams{2, 1, 1}},
	},
})

// overlapped returns the sums of the upstream gradient of all windows, along the given axis of the operand. Parts of
// windows that are as long as the step follow one another: those that have the same place in their windows are a line,
// and the lines of all places are added.
func (r *Rule) overlapped(p SlidingWindowsParams, axis int) Value {
	shape := r.Shape(0)
	rank, length := len(shape), shape[axis]
	p.Step = min(p.Step, length) // A longer one leads to no other window.
	front, back := make([]int, 0, rank+1), make([]int, rank)
	for i := range shape {
		if i != axis {
			back[i] = len(front)
			front = append(front, i)
		}
	}
	back[axis] = len(front)
	up := r.permute(r.Upstream(), append(front, axis, rank))
	rest := up.Shape()[:rank-1]
	count, places := up.Shape()[rank-1], (p.Size+p.Step-1)/p.Step
	whole := make([]storage.Span, rank-1)
	for i, n := range rest {
		whole[i] = storage.Span{Count: n, Step: 1}
	}
	spans := func(last ...storage.Span) []storage.Span { return slices.Concat(whole, last) }
	rows := count + places - 1
	var sum Value
	for place := range places {
		start := place * p.Step
		columns := storage.Span{Start: start, Count: min(p.Step, p.Size-start), Step: 1}
		part := r.Apply("slice", SliceParams{spans(storage.Span{Count: count, Step: 1}, columns)}, up)
		columns.Start = 0
		to := spans(storage.Span{Start: place, Count: count, Step: 1}, columns)
		part = r.Apply("embed", EmbedParams{slices.Concat(rest, []int{rows, p.Step}), to}, part)
		if sum == nil {
			sum = part
		} else {
			sum = r.Add(sum, part)
		}
	}
	covered := storage.Span{Count: min(rows*p.Step, length), Step: 1}
	line := r.Reshape(sum, slices.Concat(rest, []int{rows * p.Step}))
	if rows*p.Step > length {
		line = r.Apply("slice", SliceParams{spans(covered)}, line)
	}
	if rows*p.Step < length {
		line = r.Apply("embed", EmbedParams{slices.Concat(rest, []int{length}), spans(covered)}, line)
	}
	return r.permute(line, back)
}
