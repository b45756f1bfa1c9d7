package ops

import (
	"fmt"

	"github.com/weft-nd/weft/fault"
)

// ConvTransposeParams are the parameters of conv_transpose, those of the convolution that it is the transpose of.
type ConvTransposeParams struct {
	Stride        []int `doc:"steps of the filters, for each spatial axis"`
	Padding       []int `doc:"what the result lacks on its sides: none, one number, one for each spatial axis, or those before all axes and then those behind"`
	Dilation      []int `doc:"distance of a filter's elements, for each spatial axis"`
	Groups        int   `doc:"groups of channels, each with filters of its own; 0 stands for 1" min:"0"`
	OutputPadding []int `doc:"elements more behind each spatial axis, less than the stride"`
}

// ConvTranspose is the transpose of a convolution; its weights are (channels,filters of a group,…).
var ConvTranspose = Register(&Operator{
	Name: "conv_transpose", Doc: "transpose of a convolution: each element of x adds the filters of its channel, times itself, to the result", Inputs: []string{"x", "weights"},
	Params: ConvTransposeParams{}, Accepts: floating, Convert: toCommonFloat, Saves: SaveInputs, Lower: lowerConv, Brief: isSmallProduct, Work: convWork(0, 1),
	Infer: func(c *Call) {
		g := c.convolution()
		x, weights := c.Inputs[0].Shape, c.Inputs[1].Shape
		g.checkFilters(c, "x", x[1], c.Inputs[1].Shape)
		shape := []int{x[0], weights[1] * g.groups}
		more := c.forAxes("output padding", c.Params.(ConvTransposeParams).OutputPadding, g.axes, 0)
		for axis := range g.axes {
			if more[axis] < 0 || more[axis] >= g.stride[axis] {
				c.Fail(fault.ErrParameter, fmt.Sprintf("output padding is %d along spatial axis %d (legal: from 0 to below the stride, which is %d)", more[axis], axis, g.stride[axis]))
			}
			size := (x[2+axis]-1)*g.stride[axis] + g.span(weights, axis) - g.before[axis] - g.behind[axis] + more[axis]
			if x[2+axis] == 0 || size < 0 {
				c.Fail(fault.ErrShape, fmt.Sprintf("%d elements along spatial axis %d, less padding %d and %d, leave nothing", x[2+axis], axis, g.before[axis], g.behind[axis]))
			}
			shape = append(shape, size)
		}
		c.Output(c.Inputs[0].DType, shape)
	},
	Gradient: func(r *Rule) {
		p := r.Params().(ConvTransposeParams)
		if r.Wants(0) {
			r.Set(0, r.Apply("conv", ConvParams{p.Stride, p.Padding, p.Dilation, p.Groups}, r.Upstream(), r.Input(1)))
		}
		if r.Wants(1) {
			q := ConvGradientWeightsParams{p.Stride, p.Padding, p.Dilation, p.Groups, r.Shape(1)[2:]}
			r.Set(1, r.Apply("conv_gradient_weights", q, r.Upstream(), r.Input(0)))
		}
	},
	Samples: []Sample{
		{Shapes: [][]int{{2, 3, 4}, {3, 2, 3}}, Params: ConvTransposeParams{}},
		{Shapes: [][]int{{1, 4, 3, 2}, {4, 1, 2, 3}}, Params: ConvTransposeParams{Stride: []int{2, 3}, OutputPadding: []int{1}, Groups: 2}},
		{Shapes: [][]int{{2, 2, 3, 4}, {2, 3, 3, 3}}, Params: ConvTransposeParams{Padding: []int{1, 0, 2, 1}, Dilation: []int{2, 1}, Stride: []int{1, 2}}},
		{Shapes: [][]int{{1, 2, 2, 2, 3}, {2, 2, 2, 2, 2}}, Params: ConvTransposeParams{Stride: []int{2}, Padding: []int{1}}},
		{Shapes: [][]int{{0, 2, 3}, {2, 2, 2}}, Params: ConvTransposeParams{}}, {Shapes: [][]int{{2, 0, 3}, {0, 2, 2}}, Params: ConvTransposeParams{}},
	},
})
