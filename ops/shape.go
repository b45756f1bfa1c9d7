package ops

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/storage"
)

// ReshapeParams are the parameters of reshape.
type ReshapeParams struct {
	Shape []int `doc:"new shape; one size may be -1 and follows from the others"`
}

// TransposeParams are the parameters of transpose.
type TransposeParams struct {
	Axes []int `doc:"the axis of the operand that each axis of the result is; none reverses the order"`
}

// BroadcastParams are the parameters of broadcast_to.
type BroadcastParams struct {
	Shape []int `doc:"shape to repeat to"`
}

// Operators that look at their operand in another way. Their results are views: they share memory with the operand.
var (
	// Reshape copies the operand if strides cannot express the new shape.
	Reshape = Register(&Operator{
		Name: "reshape", Doc: "the same elements, row-major, in another shape; a view where strides allow", Inputs: []string{"x"},
		Params: ReshapeParams{},
		Infer:  func(c *Call) { c.Output(c.Inputs[0].DType, reshapedShape(c)) },
		View:   func(c *Call, v storage.View) (storage.View, bool) { return v.Reshape(c.Outputs[0].Shape) },
		Gradient: func(r *Rule) {
			r.Set(0, r.Reshape(r.Upstream(), r.Shape(0)))
		},
		Samples: []Sample{
			{Shapes: [][]int{{2, 6}}, Params: ReshapeParams{[]int{3, -1}}}, {Shapes: [][]int{{}}, Params: ReshapeParams{[]int{1, 1}}},
			{Shapes: [][]int{{0, 2}}, Params: ReshapeParams{[]int{2, 0}}}, {Shapes: [][]int{{4}}, Params: ReshapeParams{[]int{2, 2}}},
			{Shapes: [][]int{{1}}, Params: ReshapeParams{[]int{}}},
		},
	})

	Transpose = Register(&Operator{
		Name: "transpose", Doc: "axes in another order, reversed if none is given; a view", Inputs: []string{"x"},
		Params: TransposeParams{},
		Infer: func(c *Call) {
			shape := []int{}
			for _, axis := range permutedAxes(c) {
				shape = append(shape, c.Inputs[0].Shape[axis])
			}
			c.Output(c.Inputs[0].DType, shape)
		},
		View: func(c *Call, v storage.View) (storage.View, bool) { return v.Permute(permutedAxes(c)), true },
		Gradient: func(r *Rule) {
			axes := r.Params().(TransposeParams).Axes
			inverse := make([]int, len(axes))
			for i, axis := range axes {
				inverse[(axis+len(axes))%len(axes)] = i
			}
			r.Set(0, r.Apply("transpose", TransposeParams{inverse}, r.Upstream()))
		},
		Samples: []Sample{
			{Shapes: [][]int{{2, 3, 4}}, Params: TransposeParams{[]int{1, -1, 0}}}, {Shapes: [][]int{{2, 3}}, Params: TransposeParams{}},
			{Shapes: [][]int{{}}, Params: TransposeParams{}}, {Shapes: [][]int{{0, 3}}, Params: TransposeParams{}},
		},
	})

	BroadcastTo = Register(&Operator{
		Name: "broadcast_to", Doc: "repeated to a shape by NumPy's rule; a view", Inputs: []string{"x"}, Params: BroadcastParams{},
		Infer: func(c *Call) {
			shape := slices.Clone(c.Params.(BroadcastParams).Shape)
			c.checkSizes(shape)
			if joint := c.broadcastPair(c.Inputs[0].Shape, shape); !slices.Equal(joint, shape) {
				c.Fail(fault.ErrShape, fmt.Sprintf("shape %s does not broadcast to %s", fault.FormatShape(c.Inputs[0].Shape), fault.FormatShape(shape)))
			}
			c.Output(c.Inputs[0].DType, shape)
		},
		View: func(c *Call, v storage.View) (storage.View, bool) { return v.Broadcast(c.Outputs[0].Shape), true },
		Gradient: func(r *Rule) {
			r.Set(0, r.Upstream())
		},
		Samples: []Sample{
			{Shapes: [][]int{{3, 1}}, Params: BroadcastParams{[]int{2, 3, 4}}}, {Shapes: [][]int{{}}, Params: BroadcastParams{[]int{2}}},
			{Shapes: [][]int{{1, 3}}, Params: BroadcastParams{[]int{0, 3}}}, {Shapes: [][]int{{2}}, Params: BroadcastParams{[]int{2}}},
		},
	})
)

// checkSizes fails on a negative size.
func (c *Call) checkSizes(shape []int) {
	for _, n := range shape {
		if n < 0 {
			c.Fail(fault.ErrShape, fmt.Sprintf("negative size in shape %s", fault.FormatShape(shape)))
		}
	}
}

func reshapedShape(c *Call) []int {
	shape := slices.Clone(c.Params.(ReshapeParams).Shape)
	have, known, open := storage.Count(c.Inputs[0].Shape), 1, -1
	for i, n := range shape {
		switch {
		case n >= 0:
			known *= n
		case n == -1 && open < 0:
			open = i
		default:
			c.Fail(fault.ErrShape, fmt.Sprintf("shape %s has a negative size that does not follow from the others", fault.FormatShape(shape)))
		}
	}
	if open >= 0 && known > 0 && have%known == 0 {
		shape[open] = have / known
		return shape
	}
	if open >= 0 || known != have {
		c.Fail(fault.ErrShape, fmt.Sprintf("%d elements do not fill shape %s", have, fault.FormatShape(shape)))
	}
	return shape
}

func permutedAxes(c *Call) []int {
	rank := len(c.Inputs[0].Shape)
	axes := slices.Clone(c.Params.(TransposeParams).Axes)
	if len(axes) == 0 {
		for axis := rank - 1; axis >= 0; axis-- {
			axes = append(axes, axis)
		}
		return axes
	}
	if len(axes) != rank {
		c.Fail(fault.ErrAxis, fmt.Sprintf("%d axes named, want all %d", len(axes), rank))
	}
	c.Axes(axes, rank)
	for i := range axes {
		axes[i] = c.Axis(axes[i], rank)
	}
	return axes
}
