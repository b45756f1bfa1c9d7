package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cpu"
	"github.com/weft-nd/weft/parallel"
)

// ConvMaxPoolParams are the parameters of conv_max_pool: those of conv, and the window.
type ConvMaxPoolParams struct {
	Stride    []int `doc:"as of conv"`
	Padding   []int `doc:"as of conv"`
	Dilation  []int `doc:"as of conv"`
	Groups    int   `doc:"as of conv" min:"0"`
	Window    []int `doc:"rows and columns of the windows, which lie beside one another"`
	Rectified bool  `doc:"whether relu follows; where that is zero the position is −1"`
}

// The convolution of images (samples,channels,rows,columns) whose result is looked at through windows alone, and its gradients, from
// those of the maxima.
var (
	ConvMaxPool = Register(&Operator{
		Name: "conv_max_pool", Doc: "maximum of each window over conv_bias of images, NaN if there is one; then its int32 position in the plane, the first of equal ones",
		Inputs: []string{"x", "weights", "bias"}, Params: ConvMaxPoolParams{}, Accepts: floating, Convert: toCommonFloat, Saves: SaveInput(0) | SaveInput(1) | SaveInput(1)<<32,
		Infer: func(c *Call) {
			c.checkImages(c.Inputs[0].Shape)
			c.checkBias()
			shape, window := c.convolved(), c.Params.(ConvMaxPoolParams).Window
			if len(window) != 2 || min(window[0], window[1]) < 1 {
				c.Fail(fault.ErrParameter, fmt.Sprintf("the window is %v (legal: two numbers, from 1)", window))
			}
			g := c.convolution()
			g.checkPlane(c, c.Inputs[0].Shape, c.Inputs[1].Shape)
			for axis, n := range window {
				if n > shape[2+axis] {
					c.Fail(fault.ErrShape, fmt.Sprintf("a window %v does not fit the result %s of the convolution", window, fault.FormatShape(shape)))
				}
				shape[2+axis] /= n
			}
			c.Output(c.Inputs[0].DType, shape)
			c.Output(dtype.Int32, slices.Clone(shape))
		},
		Lower: lowerConvPool, Work: func(c *Call) int64 {
			if c.Inputs[1].elements() == 0 {
				return 0
			}
			g := c.convolution()
			x, weights := c.Inputs[0].Shape, c.Inputs[1]
			return 2 * int64(x[0]*g.result(x, weights.Shape, 0)*g.result(x, weights.Shape, 1)) * weights.elements()
		},
		Gradient: func(r *Rule) {
			if r.UpstreamOf(0) == nil {
				return
			}
			p := r.Params().(ConvMaxPoolParams)
			if r.Wants(0) {
				q := ConvGradientDataParams{p.Stride, p.Padding, p.Dilation, p.Groups, r.Shape(0)[2:]}
				r.Set(0, r.Apply("conv_max_pool_gradient_data", q, r.Upstream(), r.OutputOf(1), r.Input(1)))
			}
			if r.Wants(1) || r.Wants(2) {
				q := ConvGradientWeightsParams{p.Stride, p.Padding, p.Dilation, p.Groups, r.Shape(1)[2:]}
				gradients := r.ApplyAll("conv_max_pool_gradient_weights", q, r.Input(0), r.Upstream(), r.OutputOf(1))
				r.Set(1, gradients[0])
				r.Set(2, gradients[1])
			}
		},
		Samples: []Sample{
			{Shapes: [][]int{{2, 2, 6, 7}, {3, 2, 3, 3}, {3}}, Params: ConvMaxPoolParams{Window: []int{2, 2}}},
			{Shapes: [][]int{{1, 4, 7, 8}, {4, 2, 2, 3}, {4}}, Params: ConvMaxPoolParams{Padding: []int{1}, Stride: []int{1, 2}, Groups: 2, Window: []int{3, 2}, Rectified: true}},
			{Shapes: [][]int{{1, 3, 9, 22}, {2, 3, 2, 3}, {2}}, Params: ConvMaxPoolParams{Window: []int{2, 2}, Rectified: true}},
			{Shapes: [][]int{{2, 3, 4, 4}, {2, 3, 1, 1}, {2}}, Params: ConvMaxPoolParams{Window: []int{2, 1}}},
			{Shapes: [][]int{{0, 2, 3, 3}, {2, 2, 2, 2}, {2}}, Params: ConvMaxPoolParams{Window: []int{2, 2}}},
		},
	})

	ConvMaxPoolGradientData = Register(&Operator{
		Name: "conv_max_pool_gradient_data", Doc: "gradient of a convolution's data, from that of elements of its result, their positions in the planes, and the weights; −1 is nowhere",
		Inputs: []string{"upstream", "positions", "weights"}, Params: ConvGradientDataParams{}, Accepts: floating, Convert: withPositions(1), Saves: SaveInputs,
		Infer: func(c *Call) {
			c.checkImages(c.Inputs[0].Shape)
			c.checkImages(c.Inputs[2].Shape)
			c.checkShape(1, c.Inputs[0].Shape)
			g := c.convolution()
			upstream, weights := c.Inputs[0].Shape, c.Inputs[2].Shape
			g.checkFilters(c, "the gradient", upstream[1], weights)
			sizes := c.forAxes("shape", c.Params.(ConvGradientDataParams).Shape, g.axes, 0)
			shape := append([]int{upstream[0], weights[1] * g.groups}, sizes[:g.axes]...)
			g.checkPlane(c, shape, weights)
			c.Output(c.Inputs[0].DType, shape)
		},
		Lower: lowerConvPool, Work: convWork(0, 2),
		Gradient: func(r *Rule) {
			p := r.Params().(ConvGradientDataParams)
			if r.Wants(0) {
				of := r.Apply("conv", ConvParams{p.Stride, p.Padding, p.Dilation, p.Groups}, r.Upstream(), r.Input(2))
				r.Set(0, r.Apply("max_pool_select", nil, of, r.Input(1)))
			}
			if r.Wants(2) {
				q := ConvGradientWeightsParams{p.Stride, p.Padding, p.Dilation, p.Groups, r.Shape(2)[2:]}
				r.Set(2, r.Apply("conv_max_pool_gradient_weights", q, r.Upstream(), r.Input(0), r.Input(1)))
			}
		},
		Samples: []Sample{
			{Shapes: [][]int{{2, 3, 1, 2}, {2, 3, 1, 2}, {3, 4, 2, 3}}, Params: ConvGradientDataParams{Shape: []int{4, 6}}},
			{Shapes: [][]int{{1, 4, 2, 2}, {1, 4, 2, 2}, {4, 1, 2, 3}}, Params: ConvGradientDataParams{Stride: []int{1, 2}, Groups: 2, Shape: []int{5, 10}}},
			{Shapes: [][]int{{2, 2, 3, 2}, {2, 2, 3, 2}, {2, 3, 2, 2}}, Params: ConvGradientDataParams{Padding: []int{1}, Shape: []int{4, 5}}},
			{Shapes: [][]int{{0, 2, 2, 2}, {0, 2, 2, 2}, {2, 2, 2, 2}}, Params: ConvGradientDataParams{Shape: []int{4, 5}}},
		},
	})

	ConvMaxPoolGradientWeights = Register(&Operator{
		Name: "conv_max_pool_gradient_weights", Doc: "gradients of a convolution's weights and bias, from its data, the gradient of elements of its result, and their positions in the planes; −1 is nowhere",
		Inputs: []string{"x", "upstream", "positions"}, Params: ConvGradientWeightsParams{}, Accepts: floating, Convert: withPositions(2), Saves: SaveInputs,
		Infer: func(c *Call) {
			c.checkImages(c.Inputs[0].Shape)
			g := c.convolution()
			x, upstream := c.Inputs[0].Shape, c.Inputs[1].Shape
			if !slices.Equal(upstream, c.Inputs[2].Shape) {
				c.Fail(fault.ErrShape, fmt.Sprintf("positions %s do not fit a gradient %s: want one of each element", fault.FormatShape(c.Inputs[2].Shape), fault.FormatShape(upstream)))
			}
			if x[1]%g.groups != 0 || upstream[1]%g.groups != 0 || x[0] != upstream[0] {
				c.Fail(fault.ErrShape, fmt.Sprintf("data %s and a gradient %s do not fit with %d groups", fault.FormatShape(x), fault.FormatShape(upstream), g.groups))
			}
			sizes := c.forAxes("kernel", c.Params.(ConvGradientWeightsParams).Kernel, g.axes, 1)
			weights := append([]int{upstream[1], x[1] / g.groups}, sizes[:g.axes]...)
			g.checkPlane(c, x, weights)
			c.Output(c.Inputs[0].DType, weights)
			c.Output(c.Inputs[0].DType, weights[:1])
		},
		Lower: lowerConvPool, Work: convWork(1, 3),
		Gradient: func(r *Rule) {
			p := r.Params().(ConvGradientWeightsParams)
			if r.Wants(0) && r.UpstreamOf(0) != nil {
				q := ConvGradientDataParams{p.Stride, p.Padding, p.Dilation, p.Groups, r.Shape(0)[2:]}
				r.Set(0, r.Apply("conv_max_pool_gradient_data", q, r.Input(1), r.Input(2), r.Upstream()))
			}
			if r.Wants(1) {
				upstream := [2]Value{r.UpstreamOf(0), r.UpstreamOf(1)}
				for i := range upstream {
					if upstream[i] == nil {
						upstream[i] = r.BroadcastTo(r.Constant(0, r.Input(1)), r.Result(i).Shape)
					}
				}
				of := r.Apply("conv_bias", ConvParams{p.Stride, p.Padding, p.Dilation, p.Groups}, r.Input(0), upstream[0], upstream[1])
				r.Set(1, r.Apply("max_pool_select", nil, of, r.Input(2)))
			}
		},
		Samples: []Sample{
			{Shapes: [][]int{{2, 4, 5, 6}, {2, 3, 1, 2}, {2, 3, 1, 2}}, Params: ConvGradientWeightsParams{Kernel: []int{2, 3}}},
			{Shapes: [][]int{{1, 4, 5, 10}, {1, 4, 2, 2}, {1, 4, 2, 2}}, Params: ConvGradientWeightsParams{Stride: []int{1, 2}, Groups: 2, Kernel: []int{2, 3}}},
			{Shapes: [][]int{{2, 3, 4, 5}, {2, 2, 3, 2}, {2, 2, 3, 2}}, Params: ConvGradientWeightsParams{Padding: []int{1}, Kernel: []int{2, 2}}},
			{Shapes: [][]int{{0, 2, 4, 4}, {0, 2, 2, 2}, {0, 2, 2, 2}}, Params: ConvGradientWeightsParams{Kernel: []int{2, 2}}},
		},
	})
)

// checkImages fails unless the shape has four axes.
func (c *Call) checkImages(shape []int) {
	if len(shape) != 4 {
		c.Fail(fault.ErrShape, fmt.Sprintf("shape %s does not fit: want four axes", fault.FormatShape(shape)))
	}
}

// checkPlane fails unless data and weights give a result whose positions int32 can hold.
func (g *convolution) checkPlane(c *Call, data, weights []int) {
	g.checkSizes(c, data, weights)
	rows, columns := g.result(data, weights, 0), g.result(data, weights, 1)
	if rows == 0 || columns == 0 || rows > math.MaxInt32/columns {
		c.Fail(fault.ErrShape, fmt.Sprintf("data %s and weights %s give planes of %d by %d elements", fault.FormatShape(data), fault.FormatShape(weights), rows, columns))
	}
}

// withPositions makes operand i int32, and the others of one type.
func withPositions(i int) func(c *Call) []dtype.DType {
	return func(c *Call) []dtype.DType {
		if d := c.Inputs[i].DType; !d.IsInteger() {
			c.Fail(fault.ErrDType, fmt.Sprintf("positions of %v, want integers", d))
		}
		all := []dtype.DType{dtype.Int32, dtype.Int32, dtype.Int32}
		first, second := (i+1)%3, (i+2)%3
		common := floatOf(dtype.Promote(c.Inputs[first].DType, c.Inputs[second].DType))
		all[first], all[second] = common, common
		return all
	}
}

// lowerConvPool tells the kernel the rows and columns of the convolution's result.
func lowerConvPool(c *Call, l *Lowered) {
	g := c.convolution()
	data, weights, window, rectified := c.Inputs[0].Shape, c.Inputs[1].Shape, []int(nil), false
	switch p := c.Params.(type) {
	case ConvMaxPoolParams:
		window, rectified = p.Window, p.Rectified
	case ConvGradientDataParams:
		data, weights = c.Outputs[0].Shape, c.Inputs[2].Shape
	case ConvGradientWeightsParams:
		weights = c.Outputs[0].Shape
	}
	integers := cpu.ConvolutionIntegers(parallel.Default().NumWorkers(), g.groups, g.stride[:g.axes], g.dilation[:g.axes], g.before[:g.axes])
	l.Integers = cpu.ConvolutionPoolIntegers(integers, []int{g.result(data, weights, 0), g.result(data, weights, 1)}, window, rectified)
	c.lowerConvScratch(l)
}
