package ops

import (
	"fmt"

	"github.com/weft-nd/weft/fault"
)

// ConvGradientDataParams are those of conv with the spatial axes of its data.
type ConvGradientDataParams struct {
	Stride   []int `doc:"as of conv"`
	Padding  []int `doc:"as of conv"`
	Dilation []int `doc:"as of conv"`
	Groups   int   `doc:"as of conv" min:"0"`
	Shape    []int `doc:"spatial axes of the data"`
}

// ConvGradientWeightsParams are those of conv with the spatial axes of its weights.
type ConvGradientWeightsParams struct {
	Stride   []int `doc:"as of conv"`
	Padding  []int `doc:"as of conv"`
	Dilation []int `doc:"as of conv"`
	Groups   int   `doc:"as of conv" min:"0"`
	Kernel   []int `doc:"spatial axes of the weights"`
}

// ConvGradientData is the gradient of conv's data; its first operand is the gradient of conv's result.
var ConvGradientData = Register(&Operator{
	Name: "conv_gradient_data", Doc: "gradient of a convolution's data, from that of its result and the weights", Inputs: []string{"gradient", "weights"},
	Params: ConvGradientDataParams{}, Accepts: floating, Convert: toCommonFloat, Saves: SaveInputs, Lower: lowerConv, Brief: isSmallProduct, Work: convWork(0, 1),
	Infer: func(c *Call) {
		g := c.convolution()
		gradient, weights := c.Inputs[0].Shape, c.Inputs[1].Shape
		g.checkFilters(c, "the gradient", gradient[1], c.Inputs[1].Shape)
		sizes := c.forAxes("shape", c.Params.(ConvGradientDataParams).Shape, g.axes, 0)
		shape := append([]int{gradient[0], weights[1] * g.groups}, sizes[:g.axes]...)
		g.checkResult(c, shape, weights, gradient)
		c.Output(c.Inputs[0].DType, shape)
	},
	Gradient: func(r *Rule) {
		p := r.Params().(ConvGradientDataParams)
		if r.Wants(0) {
			r.Set(0, r.Apply("conv", ConvParams{p.Stride, p.Padding, p.Dilation, p.Groups}, r.Upstream(), r.Input(1)))
		}
		if r.Wants(1) {
			q := ConvGradientWeightsParams{p.Stride, p.Padding, p.Dilation, p.Groups, r.Shape(1)[2:]}
			r.Set(1, r.Apply("conv_gradient_weights", q, r.Upstream(), r.Input(0)))
		}
	},
	Samples: []Sample{
		{Shapes: [][]int{{2, 3, 3}, {3, 2, 3}}, Params: ConvGradientDataParams{Shape: []int{5}}},
		{Shapes: [][]int{{1, 4, 3, 2}, {4, 1, 2, 3}}, Params: ConvGradientDataParams{Stride: []int{2, 3}, Groups: 2, Shape: []int{7, 8}}},
		{Shapes: [][]int{{2, 2, 3, 4}, {2, 3, 3, 3}}, Params: ConvGradientDataParams{Padding: []int{1, 0, 2, 1}, Dilation: []int{2, 1}, Shape: []int{4, 5}}},
		{Shapes: [][]int{{0, 2, 3}, {2, 2, 2}}, Params: ConvGradientDataParams{Shape: []int{4}}}, {Shapes: [][]int{{1, 0, 3}, {0, 2, 2}}, Params: ConvGradientDataParams{Shape: []int{4}}},
	},
})

// ConvGradientWeights is the gradient of conv's weights; its second operand is the gradient of conv's result.
var ConvGradientWeights = Register(&Operator{
	Name: "conv_gradient_weights", Doc: "gradient of a convolution's weights, from its data and the gradient of its result", Inputs: []string{"x", "gradient"},
	Params: ConvGradientWeightsParams{}, Accepts: floating, Convert: toCommonFloat, Saves: SaveInputs, Lower: lowerConv, Brief: isSmallProduct, Work: convWork(1, 2),
	Infer: func(c *Call) {
		g := c.convolution()
		x, gradient := c.Inputs[0].Shape, c.Inputs[1].Shape
		if x[1]%g.groups != 0 || gradient[1]%g.groups != 0 || x[0] != gradient[0] {
			c.Fail(fault.ErrShape, fmt.Sprintf("data %s and a gradient %s do not fit with %d groups", fault.FormatShape(x), fault.FormatShape(gradient), g.groups))
		}
		sizes := c.forAxes("kernel", c.Params.(ConvGradientWeightsParams).Kernel, g.axes, 1)
		weights := append([]int{gradient[1], x[1] / g.groups}, sizes[:g.axes]...)
		g.checkResult(c, x, weights, gradient)
		c.Output(c.Inputs[0].DType, weights)
	},
	Gradient: func(r *Rule) {
		p := r.Params().(ConvGradientWeightsParams)
		if r.Wants(0) {
			q := ConvGradientDataParams{p.Stride, p.Padding, p.Dilation, p.Groups, r.Shape(0)[2:]}
			r.Set(0, r.Apply("conv_gradient_data", q, r.Input(1), r.Upstream()))
		}
		if r.Wants(1) {
			r.Set(1, r.Apply("conv", ConvParams{p.Stride, p.Padding, p.Dilation, p.Groups}, r.Input(0), r.Upstream()))
		}
	},
	Samples: []Sample{
		{Shapes: [][]int{{2, 3, 5}, {2, 2, 3}}, Params: ConvGradientWeightsParams{Kernel: []int{3}}},
		{Shapes: [][]int{{1, 4, 7, 8}, {1, 2, 3, 2}}, Params: ConvGradientWeightsParams{Stride: []int{2, 3}, Groups: 2, Kernel: []int{2, 3}}},
		{Shapes: [][]int{{2, 2, 4, 5}, {2, 3, 3, 4}}, Params: ConvGradientWeightsParams{Padding: []int{1, 0, 2, 1}, Dilation: []int{2, 1}, Kernel: []int{3, 3}}},
		{Shapes: [][]int{{0, 2, 4}, {0, 2, 3}}, Params: ConvGradientWeightsParams{Kernel: []int{2}}}, {Shapes: [][]int{{1, 0, 4}, {1, 2, 3}}, Params: ConvGradientWeightsParams{Kernel: []int{2}}},
	},
})
