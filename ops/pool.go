package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/storage"
)

// PoolParams are the parameters of max_pool, average_pool and its gradient. Lists have an element for each axis that
// the window moves along, or, but for Kernel, a single one for all.
type PoolParams struct {
	Kernel       []int `doc:"elements of the window along each of the last one to three axes"`
	Stride       []int `doc:"steps of the window; none means those of Kernel"`
	Padding      []int `doc:"elements added before each axis, then behind each; as many as axes are, or one, are both; none means no padding"`
	Dilation     []int `doc:"steps between elements of the window; none means one"`
	CeilMode     bool  `doc:"whether a window may begin inside and end behind the padding"`
	CountPadding bool  `doc:"whether averages count padding, as zeros"`
	Shape        []int `doc:"shape of x, of the gradient only"`
}

// PlaneParams are the parameters of max_pool_gradient.
type PlaneParams struct {
	Shape []int `doc:"shape of the result"`
}

// Pooling over windows in the planes of an array of shape (samples, channels, axes...). A window over nothing but padding has the
// maximum −Inf, at −1, and the average zero.
var (
	MaxPool = Register(&Operator{
		Name: "max_pool", Doc: "maximum of each window, NaN if there is one; then its int32 position in the plane, the first of equal ones", Inputs: []string{"x"},
		Params: PoolParams{}, Accepts: floating, Convert: toFloat, Saves: SaveInput(1) << 32,
		Infer: func(c *Call) {
			shape := inferPool(c, c.Inputs[0].Shape)
			c.Output(c.Inputs[0].DType, shape)
			c.Output(dtype.Int32, slices.Clone(shape))
		},
		Lower: lowerPool, Work: workOfPool,
		Gradient: func(r *Rule) {
			if r.UpstreamOf(0) != nil {
				r.Set(0, r.Apply("max_pool_gradient", PlaneParams{slices.Clone(r.Shape(0))}, r.Upstream(), r.OutputOf(1)))
			}
		},
		Samples: poolSamples,
	})

	MaxPoolGradient = Register(&Operator{
		Name: "max_pool_gradient", Doc: "zeros with the elements of upstream added at their positions in the planes, the gradient of max_pool; −1 is nowhere",
		Inputs: []string{"upstream", "positions"}, Params: PlaneParams{}, Accepts: floating, Convert: toPositions, Saves: SaveInput(1),
		Infer: func(c *Call) {
			c.checkShape(1, c.Inputs[0].Shape)
			c.checkPlanes(c.Params.(PlaneParams).Shape)
			c.Output(c.Inputs[0].DType, slices.Clone(c.Params.(PlaneParams).Shape))
		},
		Lower: lowerPlanes, Work: perElement,
		Gradient: func(r *Rule) { r.Set(0, r.Apply("max_pool_select", nil, r.Upstream(), r.Input(1))) },
		Samples: []Sample{
			{[][]int{{2, 3, 2, 3}, {2, 3, 2, 3}}, PlaneParams{[]int{2, 3, 4, 6}}}, {[][]int{{1, 2, 3}, {1, 2, 3}}, PlaneParams{[]int{1, 2, 24}}},
			{[][]int{{1, 1, 2, 2, 2}, {1, 1, 2, 2, 2}}, PlaneParams{[]int{1, 1, 2, 3, 4}}}, {[][]int{{0, 2, 3}, {0, 2, 3}}, PlaneParams{[]int{0, 2, 24}}},
		},
	})

	MaxPoolSelect = Register(&Operator{
		Name: "max_pool_select", Doc: "elements of x at positions in its planes; zero at −1", Inputs: []string{"x", "positions"}, Accepts: floating, Convert: toPositions,
		Saves: SaveInput(1),
		Infer: func(c *Call) {
			c.checkPlanes(c.Inputs[0].Shape)
			c.Output(c.Inputs[0].DType, slices.Clone(c.Inputs[1].Shape))
		},
		Lower: lowerPlanes, Work: perElement,
		Gradient: func(r *Rule) {
			r.Set(0, r.Apply("max_pool_gradient", PlaneParams{slices.Clone(r.Shape(0))}, r.Upstream(), r.Input(1)))
		},
		Samples: []Sample{
			{Shapes: [][]int{{2, 3, 4, 6}, {2, 3, 2, 3}}}, {Shapes: [][]int{{1, 2, 24}, {1, 2, 3}}}, {Shapes: [][]int{{1, 1, 2, 3, 4}, {1, 1, 2, 2, 2}}},
			{Shapes: [][]int{{0, 2, 24}, {0, 2, 3}}},
		},
	})

	AveragePool = Register(&Operator{
		Name: "average_pool", Doc: "mean of each window", Inputs: []string{"x"}, Params: PoolParams{}, Accepts: floating, Convert: toFloat,
		Infer: func(c *Call) { c.Output(c.Inputs[0].DType, inferPool(c, c.Inputs[0].Shape)) },
		Lower: lowerPool, Work: workOfPool,
		Gradient: func(r *Rule) {
			p := r.Params().(PoolParams)
			p.Shape = slices.Clone(r.Shape(0))
			r.Set(0, r.Apply("average_pool_gradient", p, r.Upstream()))
		},
		Samples: poolSamples,
	})

	AveragePoolGradient = Register(&Operator{
		Name: "average_pool_gradient", Doc: "each element of upstream spread evenly over its window, the gradient of average_pool", Inputs: []string{"upstream"},
		Params: PoolParams{}, Accepts: floating, Convert: toFloat,
		Infer: func(c *Call) {
			p := c.Params.(PoolParams)
			c.checkShape(0, inferPool(c, p.Shape))
			c.Output(c.Inputs[0].DType, slices.Clone(p.Shape))
		},
		Lower: lowerPool, Work: workOfPool,
		Gradient: func(r *Rule) {
			p := r.Params().(PoolParams)
			p.Shape = nil
			r.Set(0, r.Apply("average_pool", p, r.Upstream()))
		},
		Samples: gradientSamples(),
	})
)

var poolSamples = []Sample{
	{[][]int{{2, 3, 6, 7}}, PoolParams{Kernel: []int{2, 2}}}, {[][]int{{1, 2, 9}}, PoolParams{Kernel: []int{3}, Stride: []int{2}, Padding: []int{1}}},
	{[][]int{{1, 2, 7, 8}}, PoolParams{Kernel: []int{3, 2}, Stride: []int{2, 3}, Padding: []int{1, 0, 2, 1}, CeilMode: true, CountPadding: true}},
	{[][]int{{1, 1, 4, 5, 6}}, PoolParams{Kernel: []int{2, 3, 2}, Stride: []int{1, 1, 2}, Dilation: []int{2, 1, 3}}},
	{[][]int{{2, 1, 5, 40}}, PoolParams{Kernel: []int{3, 3}, Stride: []int{1, 1}, Padding: []int{1, 1}, CountPadding: true}},
	{[][]int{{1, 2, 6, 5}}, PoolParams{Kernel: []int{3, 2}, Stride: []int{2}, Padding: []int{1}, Dilation: []int{2}}},
	{[][]int{{1, 2, 3, 4}}, PoolParams{Kernel: []int{4, 7}, Stride: []int{2, 1}, Padding: []int{3, 4}}},
	{[][]int{{1, 1, 2, 3}}, PoolParams{Kernel: []int{2, 9}, Stride: []int{1, 7}, Padding: []int{1, 8}, Dilation: []int{1, 2}, CountPadding: true}},
	{[][]int{{0, 2, 4, 4}}, PoolParams{Kernel: []int{2, 2}}}, {[][]int{{2, 1, 0, 3}}, PoolParams{Kernel: []int{2, 2}, Padding: []int{1}}},
}

// gradientSamples are poolSamples for the upstream gradient.
func gradientSamples() (samples []Sample) {
	for _, s := range poolSamples {
		p, shape := s.Params.(PoolParams), s.Shapes[0]
		c := &Call{Params: p}
		p.Shape = shape
		samples = append(samples, Sample{[][]int{inferPool(c, shape)}, p})
	}
	return samples
}

// axis returns what p says of axis i of rank, with defaults.
func (p PoolParams) axis(i, rank int) (kernel, stride, dilation, before, after int) {
	kernel, stride, dilation = p.Kernel[i], p.Kernel[i], 1
	if n := len(p.Stride); n > 0 {
		stride = p.Stride[min(i, n-1)]
	}
	if n := len(p.Dilation); n > 0 {
		dilation = p.Dilation[min(i, n-1)]
	}
	switch n := len(p.Padding); {
	case n == 1:
		before, after = p.Padding[0], p.Padding[0]
	case n > 1:
		before, after = p.Padding[i], p.Padding[i+n-rank]
	}
	return kernel, stride, dilation, before, after
}

// inferPool returns the shape of the pooling of an array of the given shape. It fails if the windows do not fit.
func inferPool(c *Call, shape []int) []int {
	p := c.Params.(PoolParams)
	rank := len(p.Kernel)
	fits := func(list []int, counts ...int) bool { return len(list) == 0 || slices.Contains(counts, len(list)) }
	switch {
	case rank < 1 || rank > 3:
		c.Fail(fault.ErrParameter, fmt.Sprintf("kernel %v has %d axes (legal: 1 to 3)", p.Kernel, rank))
	case len(shape) != rank+2:
		c.Fail(fault.ErrShape, fmt.Sprintf("x %s has not the %d axes that kernel %v asks for", fault.FormatShape(shape), rank+2, p.Kernel))
	case !fits(p.Stride, 1, rank) || !fits(p.Dilation, 1, rank) || !fits(p.Padding, 1, rank, 2*rank):
		c.Fail(fault.ErrParameter, fmt.Sprintf("stride %v, dilation %v and padding %v do not fit the axes of kernel %v", p.Stride, p.Dilation, p.Padding, p.Kernel))
	}
	result := slices.Clone(shape)
	for i := range rank {
		kernel, stride, dilation, before, after := p.axis(i, rank)
		if min(kernel, stride, dilation) < 1 || min(before, after) < 0 || max(kernel, stride, dilation, before, after) > math.MaxInt32 {
			c.Fail(fault.ErrParameter, fmt.Sprintf("axis %d has kernel %d, stride %d, dilation %d and padding %d, %d (legal: from 1, padding from 0, to 2³¹ − 1)",
				i+2, kernel, stride, dilation, before, after))
		}
		n := shape[i+2]
		rest := n + before + after - dilation*(kernel-1) - 1
		if p.CeilMode {
			rest += stride - 1
		}
		count := rest/stride + 1
		if p.CeilMode && (count-1)*stride >= n+before {
			count--
		}
		if rest < 0 || count < 1 {
			c.Fail(fault.ErrShape, fmt.Sprintf("a window of %d elements does not fit axis %d of %s with padding %d, %d",
				dilation*(kernel-1)+1, i+2, fault.FormatShape(shape), before, after))
		}
		result[i+2] = count
	}
	c.checkPlanes(shape)
	return result
}

// checkPlanes fails unless shape has planes whose positions int32 can hold.
func (c *Call) checkPlanes(shape []int) {
	if len(shape) < 3 || len(shape) > 5 || len(c.Inputs) > 1 && (len(shape) != len(c.Inputs[1].Shape) || !slices.Equal(shape[:2], c.Inputs[1].Shape[:2])) {
		c.Fail(fault.ErrShape, fmt.Sprintf("shape %s does not fit: want (samples,channels,axes...) with one to three axes", fault.FormatShape(shape)))
	}
	if problem := storage.ShapeProblem(dtype.Float32, shape); problem != "" {
		c.Fail(fault.ErrShape, problem)
	}
	if count := storage.Count(shape[2:]); count > math.MaxInt32 {
		c.Fail(fault.ErrShape, fmt.Sprintf("planes of %d elements are too large: positions are int32", count))
	}
}

// lowerPool gives arrays three axes behind those of samples and channels.
func lowerPool(c *Call, l *Lowered) {
	p := c.Params.(PoolParams)
	rank := len(p.Kernel)
	lowerPlanes(c, l)
	l.Integers = make([]int64, 16)
	for i := range 3 {
		kernel, stride, dilation, before, after := 1, 1, 1, 0, 0
		if own := i - 3 + rank; own >= 0 {
			kernel, stride, dilation, before, after = p.axis(own, rank)
		}
		for j, v := range []int{kernel, stride, dilation, before, after} {
			l.Integers[3*j+i] = int64(v)
		}
	}
	if p.CountPadding {
		l.Integers[15] = 1
	}
}

// lowerPlanes gives arrays three axes behind those of samples and channels.
func lowerPlanes(_ *Call, l *Lowered) {
	for _, views := range [][]storage.View{l.Inputs, l.Outputs} {
		for i := range views {
			for len(views[i].Shape) < 5 {
				views[i] = views[i].WithAxis(2)
			}
		}
	}
}

// workOfPool counts the elements of all windows, of those larger than the planes as many as these have.
func workOfPool(c *Call) int64 {
	p, windows, planes := c.Params.(PoolParams), c.Outputs[0], c.Inputs[0].Shape
	if p.Shape != nil {
		windows, planes = c.Inputs[0], p.Shape
	}
	work := windows.elements()
	for i, n := range p.Kernel {
		work *= int64(min(n, planes[i+2]))
	}
	return work
}

// toPositions makes the second operand int32.
func toPositions(c *Call) []dtype.DType {
	if !c.Inputs[1].DType.IsInteger() {
		c.Fail(fault.ErrDType, fmt.Sprintf("positions of %v, want integers", c.Inputs[1].DType))
	}
	return []dtype.DType{floatOf(c.Inputs[0].DType), dtype.Int32}
}
