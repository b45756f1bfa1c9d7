package ops

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/fault"
)

// ConvParams are the parameters of conv and conv_bias. Of stride and dilation an empty list stands for ones, and a single number
// for all spatial axes.
type ConvParams struct {
	Stride   []int `doc:"steps of the filters, for each spatial axis"`
	Padding  []int `doc:"zeros around the data: none, one number, one for each spatial axis, or those before all axes and then those behind"`
	Dilation []int `doc:"distance of a filter's elements, for each spatial axis"`
	Groups   int   `doc:"groups of channels, each with filters of its own; 0 stands for 1" min:"0"`
}

// Convolutions of images with 1 to 3 spatial axes, (samples,channels,…), by weights (filters,channels of a group,…). The operators
// that are linear in data, weights and result are each other's gradients.
var (
	Conv = Register(&Operator{
		Name: "conv", Doc: "convolution of images by filters that are not mirrored; padding counts as zeros", Inputs: []string{"x", "weights"},
		Params: ConvParams{}, Accepts: floating, Convert: toCommonFloat, Saves: SaveInputs, Infer: inferConv, Lower: lowerConv, Brief: isSmallProduct, Work: convWork(2, 1),
		Gradient: gradientsOfConv,
		Samples:  convSamples,
	})

	ConvBias = Register(&Operator{
		Name: "conv_bias", Doc: "convolution of images by filters that are not mirrored, and a number added for each filter", Inputs: []string{"x", "weights", "bias"},
		Params: ConvParams{}, Accepts: floating, Convert: toCommonFloat, Saves: SaveInput(0) | SaveInput(1), Lower: lowerConv, Brief: isSmallProduct, Work: convWork(3, 1),
		Infer: func(c *Call) {
			c.checkBias()
			inferConv(c)
		},
		Gradient: func(r *Rule) {
			gradientsOfConv(r)
			if r.Wants(2) {
				axes := []int{0}
				for axis := 2; axis < len(r.Shape(0)); axis++ {
					axes = append(axes, axis)
				}
				r.Set(2, r.Apply("sum", ReduceParams{Axes: axes}, r.Upstream()))
			}
		},
		Samples: withBias(convSamples),
	})
)

var convSamples = []Sample{
	{Shapes: [][]int{{2, 3, 5}, {2, 3, 3}}, Params: ConvParams{}},
	{Shapes: [][]int{{2, 2, 5, 4}, {3, 2, 3, 3}}, Params: ConvParams{Padding: []int{1}}},
	{Shapes: [][]int{{1, 4, 7, 8}, {6, 2, 2, 3}}, Params: ConvParams{Stride: []int{2, 3}, Groups: 2}},
	{Shapes: [][]int{{2, 2, 6, 5}, {2, 2, 3, 3}}, Params: ConvParams{Padding: []int{1, 0, 2, 1}, Dilation: []int{2, 1}, Stride: []int{1, 2}}},
	{Shapes: [][]int{{1, 3, 4, 4}, {3, 1, 3, 3}}, Params: ConvParams{Padding: []int{1}, Groups: 3}},
	{Shapes: [][]int{{1, 2, 3, 4, 3}, {2, 2, 2, 3, 2}}, Params: ConvParams{Padding: []int{0, 1, 1}, Stride: []int{2, 1, 1}}},
	{Shapes: [][]int{{2, 3, 4, 4}, {4, 3, 1, 1}}, Params: ConvParams{}},
	{Shapes: [][]int{{1, 0, 8, 8}, {16, 0, 3, 3}}, Params: ConvParams{}},
	{Shapes: [][]int{{0, 2, 3}, {2, 2, 2}}, Params: ConvParams{}}, {Shapes: [][]int{{2, 0, 3}, {2, 0, 2}}, Params: ConvParams{}}, {Shapes: [][]int{{2, 2, 3}, {0, 2, 2}}, Params: ConvParams{}},
}

func withBias(samples []Sample) (all []Sample) {
	for _, s := range samples {
		all = append(all, Sample{Shapes: append(slices.Clone(s.Shapes), []int{s.Shapes[1][0]}), Params: s.Params})
	}
	return all
}

func inferConv(c *Call) { c.Output(c.Inputs[0].DType, c.convolved()) }

// checkBias fails unless there is a bias for each filter.
func (c *Call) checkBias() {
	if bias := c.Inputs[2].Shape; len(bias) != 1 || len(c.Inputs[1].Shape) > 0 && bias[0] != c.Inputs[1].Shape[0] {
		c.Fail(fault.ErrShape, fmt.Sprintf("a bias %s does not fit weights %s: want one number for each filter",
			fault.FormatShape(bias), fault.FormatShape(c.Inputs[1].Shape)))
	}
}

// convolved returns the shape of a convolution's result. It fails if the operands do not fit.
func (c *Call) convolved() []int {
	g := c.convolution()
	x, weights := c.Inputs[0].Shape, c.Inputs[1].Shape
	if x[1] != weights[1]*g.groups || weights[0]%g.groups != 0 {
		c.Fail(fault.ErrShape, fmt.Sprintf("weights %s do not fit data %s with %d groups: want (filters,%d,…), filters divided by the groups",
			fault.FormatShape(weights), fault.FormatShape(x), g.groups, x[1]/g.groups))
	}
	c.checkFiltersHaveElements(weights)
	shape := append(make([]int, 0, len(x)), x[0], weights[0])
	for axis := range g.axes {
		size := g.result(x, weights, axis)
		if size == 0 {
			c.Fail(fault.ErrShape, fmt.Sprintf("a filter of %d elements does not fit in %d with padding %d and %d along spatial axis %d",
				g.span(weights, axis), x[2+axis], g.before[axis], g.behind[axis], axis))
		}
		shape = append(shape, size)
	}
	return shape
}

// gradientsOfConv sets the gradients of data and weights.
func gradientsOfConv(r *Rule) {
	p := r.Params().(ConvParams)
	if r.Wants(0) {
		q := ConvGradientDataParams{p.Stride, p.Padding, p.Dilation, p.Groups, r.Shape(0)[2:]}
		r.Set(0, r.Apply("conv_gradient_data", q, r.Upstream(), r.Input(1)))
	}
	if r.Wants(1) {
		q := ConvGradientWeightsParams{p.Stride, p.Padding, p.Dilation, p.Groups, r.Shape(1)[2:]}
		r.Set(1, r.Apply("conv_gradient_weights", q, r.Input(0), r.Upstream()))
	}
}
