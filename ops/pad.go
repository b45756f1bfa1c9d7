package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/storage"
)

// PadParams are the parameters of pad.
type PadParams struct {
	Before []int   `doc:"elements added in front of each axis"`
	After  []int   `doc:"elements added behind each axis"`
	Value  float64 `doc:"value of what is added" default:"0"`
}

// RollParams are the parameters of roll.
type RollParams struct {
	Shifts []int `doc:"places by which elements move along each of the axes"`
	Axes   []int `doc:"axes along which they move, each at most once"`
}

// Operators that place x in larger or other surroundings.
var (
	Pad = Register(&Operator{
		Name: "pad", Doc: "x with elements of one value around it", Inputs: []string{"x"}, Params: PadParams{},
		Infer: func(c *Call) {
			p := c.Params.(PadParams)
			shape := c.padded(p.Before, p.After)
			if d := c.Inputs[0].DType; d.IsInteger() && !holds(d, p.Value) {
				c.Fail(fault.ErrParameter, fmt.Sprintf("%v cannot hold %v", d, p.Value))
			}
			c.Output(c.Inputs[0].DType, shape)
		},
		Lower: lowerPad,
		Gradient: func(r *Rule) {
			r.Set(0, r.Apply("slice", SliceParams{r.Params().(PadParams).centre(r.Shape(0))}, r.Upstream()))
		},
		Samples: []Sample{
			{Shapes: [][]int{{2, 3}}, Params: PadParams{[]int{1, 0}, []int{2, 3}, 1}}, {Shapes: [][]int{{2, 3, 4}}, Params: PadParams{[]int{1, 2, 0}, []int{0, 1, 1}, 0}},
			{Shapes: [][]int{{}}, Params: PadParams{Value: 2}}, {Shapes: [][]int{{0, 2}}, Params: PadParams{[]int{1, 0}, []int{1, 1}, 3}},
			{Shapes: [][]int{{0}}, Params: PadParams{[]int{0}, []int{0}, 1}}, {Shapes: [][]int{{70, 40}}, Params: PadParams{[]int{3, 5}, []int{4, 1}, 1}},
		},
	})

	Roll = Register(&Operator{
		Name: "roll", Doc: "elements moved along axes, those that leave coming in at the other end", Inputs: []string{"x"}, Params: RollParams{},
		Infer: func(c *Call) {
			p := c.Params.(RollParams)
			if len(p.Shifts) != len(p.Axes) {
				c.Fail(fault.ErrParameter, fmt.Sprintf("%d shifts given for %d axes", len(p.Shifts), len(p.Axes)))
			}
			if len(p.Axes) > 0 {
				c.Axes(p.Axes, len(c.Inputs[0].Shape))
			}
			c.Output(c.Inputs[0].DType, c.Inputs[0].Shape)
		},
		Lower: lowerRoll,
		Gradient: func(r *Rule) {
			p := r.Params().(RollParams)
			back := make([]int, len(p.Shifts))
			for i, shift := range p.Shifts {
				back[i] = -shift
			}
			r.Set(0, r.Apply("roll", RollParams{back, p.Axes}, r.Upstream()))
		},
		Samples: []Sample{
			{Shapes: [][]int{{5}}, Params: RollParams{[]int{2}, []int{0}}}, {Shapes: [][]int{{3, 4}}, Params: RollParams{[]int{-1, 7}, []int{0, -1}}},
			{Shapes: [][]int{{}}, Params: RollParams{}}, {Shapes: [][]int{{0, 3}}, Params: RollParams{[]int{1, 1}, []int{0, 1}}},
			{Shapes: [][]int{{2, 3, 4}}, Params: RollParams{[]int{1, 0, 2}, []int{1, 0, 2}}},
		},
	})
)

// padded returns the shape of the first operand with so many elements more on both sides of each axis.
func (c *Call) padded(before, after []int) []int {
	shape := slices.Clone(c.Inputs[0].Shape)
	if len(before) != len(shape) || len(after) != len(shape) {
		c.Fail(fault.ErrParameter, fmt.Sprintf("paddings of %d and %d axes given for %d", len(before), len(after), len(shape)))
	}
	if slices.Min(append(slices.Concat(before, after), 0)) < 0 {
		c.Fail(fault.ErrParameter, fmt.Sprintf("negative paddings %v and %v", before, after))
	}
	for axis, n := range shape {
		if before[axis] > math.MaxInt-n || after[axis] > math.MaxInt-n-before[axis] {
			c.Fail(fault.ErrShape, fmt.Sprintf("axis %d, of %d elements, padded by %d and %d has more than an int counts", axis, n, before[axis], after[axis]))
		}
		shape[axis] += before[axis] + after[axis]
	}
	return shape
}

// holds reports whether v is an integer of type d.
func holds(d dtype.DType, v float64) bool {
	low, high := 0.0, math.Exp2(float64(8*d.Size()))
	if d.Kind() == dtype.KindSigned {
		low, high = -high/2, high/2
	}
	return v == math.Trunc(v) && v >= low && v < high
}

// centre returns where x, of the given shape, is in the result.
func (p PadParams) centre(shape []int) []storage.Span {
	spans := make([]storage.Span, len(shape))
	for axis, n := range shape {
		spans[axis] = storage.Span{Start: p.Before[axis], Count: n, Step: 1}
	}
	return spans
}

// lowerPad makes results of the centre, and of what is in front of it and behind it along each axis.
func lowerPad(c *Call, l *Lowered) {
	p, whole := c.Params.(PadParams), l.Outputs[0]
	l.Scalars = []float64{p.Value}
	centre := p.centre(c.Inputs[0].Shape)
	l.Outputs = []storage.View{whole.Slice(centre)}
	spans := wholeSpans(whole.Shape)
	for axis, n := range whole.Shape {
		for _, side := range []storage.Span{{Count: p.Before[axis], Step: 1}, {Start: n - p.After[axis], Count: p.After[axis], Step: 1}} {
			if spans[axis] = side; side.Count > 0 {
				l.Outputs = append(l.Outputs, whole.Slice(spans))
			}
		}
		spans[axis] = centre[axis]
	}
}

// lowerRoll makes pairs of parts of the result and of x: each axis has one before and one behind the place where it begins.
func lowerRoll(c *Call, l *Lowered) {
	p, x, result := c.Params.(RollParams), l.Inputs[0], l.Outputs[0]
	whole := wholeSpans(x.Shape)
	from, to := [][]storage.Span{whole}, [][]storage.Span{whole}
	for i, axis := range p.Axes {
		axis = c.Axis(axis, len(x.Shape))
		n := x.Shape[axis]
		if n == 0 {
			continue
		}
		shift := (p.Shifts[i]%n + n) % n
		if shift == 0 {
			continue
		}
		from = halved(from, axis, storage.Span{Count: n - shift, Step: 1}, storage.Span{Start: n - shift, Count: shift, Step: 1})
		to = halved(to, axis, storage.Span{Start: shift, Count: n - shift, Step: 1}, storage.Span{Count: shift, Step: 1})
	}
	l.Inputs, l.Outputs = nil, nil
	for i := range from {
		l.Inputs, l.Outputs = append(l.Inputs, x.Slice(from[i])), append(l.Outputs, result.Slice(to[i]))
	}
}

// halved returns parts with each of two spans of an axis.
func halved(parts [][]storage.Span, axis int, first, second storage.Span) (halves [][]storage.Span) {
	for _, part := range parts {
		for _, span := range []storage.Span{first, second} {
			half := slices.Clone(part)
			half[axis] = span
			halves = append(halves, half)
		}
	}
	return halves
}
