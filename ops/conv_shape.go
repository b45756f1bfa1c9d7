package ops

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cpu"
	"github.com/weft-nd/weft/parallel"
)

// convolution is the parameters of a convolution, for each of the spatial axes.
type convolution struct {
	axes, groups                     int
	stride, dilation, before, behind [mostAxes]int
}

// mostAxes is the most spatial axes.
const mostAxes = 3

// mostPixels is the most elements of a spatial axis, and the largest stride, dilation and padding: what is computed from them
// does not overflow.
const mostPixels = 1 << 30

// convolution checks the parameters that all operators of convolutions have, and that the operands have the same axes.
func (c *Call) convolution() (g convolution) {
	x, y := c.Inputs[0].Shape, c.Inputs[1].Shape
	if len(x) < 3 || len(x) > 5 || len(y) != len(x) {
		c.Fail(fault.ErrShape, fmt.Sprintf("shapes %s and %s are none of a convolution: want 3 to 5 axes each, as many in one as in the other", fault.FormatShape(x), fault.FormatShape(y)))
	}
	g.axes = len(x) - 2
	var p ConvParams
	switch q := c.Params.(type) {
	case ConvParams:
		p = q
	case ConvMaxPoolParams:
		p = ConvParams{q.Stride, q.Padding, q.Dilation, q.Groups}
	case ConvTransposeParams:
		p = ConvParams{q.Stride, q.Padding, q.Dilation, q.Groups}
	case ConvGradientDataParams:
		p = ConvParams{q.Stride, q.Padding, q.Dilation, q.Groups}
	case ConvGradientWeightsParams:
		p = ConvParams{q.Stride, q.Padding, q.Dilation, q.Groups}
	}
	g.groups = max(1, p.Groups)
	g.stride, g.dilation = c.forAxes("stride", p.Stride, g.axes, 1), c.forAxes("dilation", p.Dilation, g.axes, 1)
	if len(p.Padding) == 2*g.axes {
		copy(g.before[:], p.Padding[:g.axes])
		copy(g.behind[:], p.Padding[g.axes:])
	} else {
		g.before = c.forAxes("padding", p.Padding, g.axes, 0)
		g.behind = g.before
	}
	for axis := range g.axes {
		if n := max(x[2+axis], y[2+axis]); n > mostPixels {
			c.Fail(fault.ErrShape, fmt.Sprintf("%d elements along a spatial axis are too many", n))
		}
	}
	for axis := range g.axes {
		if min(g.stride[axis]-1, g.dilation[axis]-1, g.before[axis], g.behind[axis]) < 0 {
			c.Fail(fault.ErrParameter, fmt.Sprintf("stride %d, dilation %d or padding %d and %d along spatial axis %d is too small (legal: from 1, and for padding from 0)",
				g.stride[axis], g.dilation[axis], g.before[axis], g.behind[axis], axis))
		}
		if max(g.stride[axis], g.dilation[axis], g.before[axis], g.behind[axis]) > mostPixels {
			c.Fail(fault.ErrParameter, fmt.Sprintf("stride, dilation or padding along spatial axis %d is too large", axis))
		}
	}
	return g
}

// forAxes returns the numbers of a parameter for all spatial axes; none stand for the given one.
func (c *Call) forAxes(name string, given []int, axes, none int) (all [mostAxes]int) {
	if len(given) > 1 && len(given) != axes {
		c.Fail(fault.ErrParameter, fmt.Sprintf("%s %v does not fit %d spatial axes", name, given, axes))
	}
	for axis := range axes {
		switch len(given) {
		case 0:
			all[axis] = none
		case 1:
			all[axis] = given[0]
		default:
			all[axis] = given[axis]
		}
	}
	return all
}

// span is how far a filter reaches along a spatial axis.
func (g *convolution) span(weights []int, axis int) int {
	return (weights[2+axis]-1)*g.dilation[axis] + 1
}

// result returns the number of elements of the result along a spatial axis; less than one where the filters do not fit.
func (g *convolution) result(data, weights []int, axis int) int {
	room := data[2+axis] + g.before[axis] + g.behind[axis] - g.span(weights, axis)
	if room < 0 {
		return 0
	}
	return room/g.stride[axis] + 1
}

// checkFilters fails unless weights are those of as many filters, cut into groups.
func (g *convolution) checkFilters(c *Call, name string, filters int, weights []int) {
	if weights[0] != filters || filters%g.groups != 0 {
		c.Fail(fault.ErrShape, fmt.Sprintf("weights %s do not fit the %d channels of %s with %d groups", fault.FormatShape(weights), filters, name, g.groups))
	}
	c.checkFiltersHaveElements(weights)
}

// checkFiltersHaveElements fails if filters have none.
func (c *Call) checkFiltersHaveElements(weights []int) {
	if slices.Contains(weights[2:], 0) {
		c.Fail(fault.ErrShape, fmt.Sprintf("filters of weights %s have no elements", fault.FormatShape(weights)))
	}
}

// checkResult fails unless data and weights give a result of the shape given.
func (g *convolution) checkResult(c *Call, data, weights, given []int) {
	g.checkSizes(c, data, weights)
	for axis := range g.axes {
		if want := g.result(data, weights, axis); want != given[2+axis] || want == 0 {
			c.Fail(fault.ErrShape, fmt.Sprintf("a gradient %s does not fit: data %s and weights %s give %d elements along spatial axis %d",
				fault.FormatShape(given), fault.FormatShape(data), fault.FormatShape(weights), want, axis))
		}
	}
}

// checkSizes fails unless spatial axes that are parameters have numbers of elements.
func (g *convolution) checkSizes(c *Call, data, weights []int) {
	for _, n := range append(slices.Clone(data[2:]), weights[2:]...) {
		if n < 0 || n > mostPixels {
			c.Fail(fault.ErrShape, fmt.Sprintf("%d is no number of elements", n))
		}
	}
	c.checkFiltersHaveElements(weights)
}

// convWork is two operations for each element of the convolution's result and weight of its channel. The arguments are where
// both are among operands and results.
func convWork(result, weights int) func(c *Call) int64 {
	return func(c *Call) int64 {
		result, weights := c.argument(result), c.argument(weights)
		if weights.elements() == 0 {
			return 0
		}
		return 2 * result.elements() * (weights.elements() / int64(weights.Shape[0]))
	}
}

// argument returns one of the operands and, behind them, the results.
func (c *Call) argument(number int) *Operand {
	if number < len(c.Inputs) {
		return &c.Inputs[number]
	}
	return &c.Outputs[number-len(c.Inputs)]
}

func lowerConv(c *Call, l *Lowered) {
	g := c.convolution()
	l.Integers = cpu.ConvolutionIntegers(parallel.Default().NumWorkers(), g.groups, g.stride[:g.axes], g.dilation[:g.axes], g.before[:g.axes])
	if !isSmallProduct(c) {
		c.lowerConvScratch(l)
	}
}

// isSmallProduct is isBriefProduct, but bounds operands, too: where few of their elements count all the same they may be arranged anew, in
// more memory than is to be taken at the call. So it may be where there are none.
func isSmallProduct(c *Call) bool { return c.areBriefOperands() && isBriefProduct(c) }

// mostBriefOperand is the most bytes of an operand of a convolution, or of a product, that is brief: the kernel has
// memory of its own to arrange so much, which takes less time than to find out how much it needs.
const mostBriefOperand = 256 << 10

func (c *Call) areBriefOperands() bool {
	for i := range c.Inputs {
		if bytes := c.Inputs[i].elements() * int64(c.Outputs[0].DType.Size()); bytes == 0 || bytes > mostBriefOperand {
			return false
		}
	}
	return true
}

func (c *Call) lowerConvScratch(l *Lowered) {
	layouts := make([]device.View, 0, len(l.Outputs)+len(l.Inputs))
	for _, v := range l.Outputs {
		layouts = append(layouts, layoutOf(v))
	}
	for _, v := range l.Inputs {
		layouts = append(layouts, layoutOf(v))
	}
	l.Scratch = cpu.ConvolutionScratch(c.Operator.Name, layouts[:len(l.Outputs)], layouts[len(l.Outputs):], l.Integers)
}
