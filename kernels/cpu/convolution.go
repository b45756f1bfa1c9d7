package cpu

import (
	"sync"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/convolution"
	"github.com/weft-nd/weft/parallel"
)

// The integers of a convolution's kernel: workers and groups, then for each spatial axis as many as these.
const (
	convolutionWorkers = iota
	convolutionGroups
	convolutionAxes
)

const (
	convolutionStride = iota
	convolutionDilation
	convolutionBefore
	convolutionAxis
)

// convolver is what the kernels of one direction of convolutions do: for which views of data, result and weights they are, how
// much temporary memory they take and what they compute, for each element type. Of views that are not there the shape is set.
type convolver struct {
	views     func(outputs, inputs []device.View, integers []int64) (data, result, weights device.View)
	scratch32 func(c *convolving) int
	scratch64 func(c *convolving) int
	compute32 func(t *parallel.Thread, c *convolving, a *device.Arguments) error
	compute64 func(t *parallel.Thread, c *convolving, a *device.Arguments) error
	more      func(c *convolving, outputs, inputs []device.View, integers []int64) // sets what else the call needs; nil for nothing
}

// convolving is one call.
type convolving struct {
	convolution.Shape
	convolution.Operands
	workers   int
	pooling       // if maxima are taken
	count     int // of elements in a plane of a sparse gradient
	temporary unsafe.Pointer
	memory    []uint64 // for that, where the operator has borrowed none
}

// convolvings are calls to be used again.
var convolvings = sync.Pool{New: func() any { return new(convolving) }}

func (c *convolving) release() {
	*c = convolving{memory: c.memory}
	convolvings.Put(c)
}

// mostKept bounds the memory that a convolving has when it is not in use.
const mostKept = 256 << 10

// ownMemory returns so many bytes, with undefined contents.
func (c *convolving) ownMemory(bytes int) unsafe.Pointer {
	words := (bytes + 7) / 8
	if bytes > mostKept {
		return unsafe.Pointer(unsafe.SliceData(make([]uint64, words)))
	}
	if words > len(c.memory) {
		c.memory = make([]uint64, (words+511)/512*512) // Go aligns whole pages.
	}
	return unsafe.Pointer(unsafe.SliceData(c.memory))
}

// dense returns a convolver for all three arrays.
func dense(views func(outputs, inputs []device.View) (data, result, weights device.View),
	scratch32, scratch64 func(s *convolution.Shape, o *convolution.Operands, workers int) int,
	compute32, compute64 func(t *parallel.Thread, s *convolution.Shape, o *convolution.Operands, workers int, temporary unsafe.Pointer),
) *convolver {
	scratch := func(bytes func(s *convolution.Shape, o *convolution.Operands, workers int) int) func(c *convolving) int {
		return func(c *convolving) int { return bytes(&c.Shape, &c.Operands, c.workers) }
	}
	compute := func(run func(t *parallel.Thread, s *convolution.Shape, o *convolution.Operands, workers int, temporary unsafe.Pointer)) func(t *parallel.Thread, c *convolving, a *device.Arguments) error {
		return func(t *parallel.Thread, c *convolving, _ *device.Arguments) error {
			run(t, &c.Shape, &c.Operands, c.workers, c.temporary)
			return nil
		}
	}
	return &convolver{
		func(outputs, inputs []device.View, _ []int64) (data, result, weights device.View) {
			return views(outputs, inputs)
		},
		scratch(scratch32), scratch(scratch64), compute(compute32), compute(compute64), nil,
	}
}

var (
	forwardConvolver = dense(
		func(outputs, inputs []device.View) (data, result, weights device.View) {
			return inputs[0], outputs[0], inputs[1]
		},
		convolution.ForwardScratch[float32], convolution.ForwardScratch[float64], convolution.Forward[float32], convolution.Forward[float64],
	)
	dataConvolver = dense(
		func(outputs, inputs []device.View) (data, result, weights device.View) {
			return outputs[0], inputs[0], inputs[1]
		},
		convolution.DataScratch[float32], convolution.DataScratch[float64], convolution.Data[float32], convolution.Data[float64],
	)
	weightsConvolver = dense(
		func(outputs, inputs []device.View) (data, result, weights device.View) {
			return inputs[0], inputs[1], outputs[0]
		},
		convolution.WeightsScratch[float32], convolution.WeightsScratch[float64], convolution.Weights[float32], convolution.Weights[float64],
	)
)

var (
	_ = registerConvolver("conv", forwardConvolver)
	_ = registerConvolver("conv_bias", forwardConvolver)
	_ = registerConvolver("conv_gradient_data", dataConvolver)
	_ = registerConvolver("conv_transpose", dataConvolver)
	_ = registerConvolver("conv_gradient_weights", weightsConvolver)
)

// convolvers are those whose temporary memory ConvolutionScratch tells, by the operators.
var convolvers = map[string]*convolver{}

func registerConvolver(operator string, v *convolver) struct{} {
	convolvers[operator] = v
	return registerFloats(operator, v.entries()...)
}

// ConvolutionIntegers returns the integers of a convolution's kernel, for the spatial axes of which stride, dilation and the
// padding before them are given, and at most so many workers.
func ConvolutionIntegers(workers, groups int, stride, dilation, before []int) []int64 {
	all := append(make([]int64, 0, convolutionAxes+convolutionAxis*len(stride)), int64(workers), int64(groups))
	for axis := range stride {
		all = append(all, int64(stride[axis]), int64(dilation[axis]), int64(before[axis]))
	}
	return all
}

// ConvolutionScratch returns the bytes of temporary memory that the kernel of an operator takes for views with these shapes.
func ConvolutionScratch(operator string, outputs, inputs []device.View, integers []int64) int {
	v := convolvers[operator]
	c := convolvings.Get().(*convolving)
	defer c.release()
	v.arrange(c, outputs, inputs, integers)
	if outputs[0].DType == dtype.Float32 {
		return demand(v.scratch32(c))
	}
	return demand(v.scratch64(c))
}

func (v *convolver) entries() []entry {
	kernel := func(compute func(t *parallel.Thread, c *convolving, a *device.Arguments) error, scratchBytes func(c *convolving) int) Kernel {
		return func(t *parallel.Thread, a *device.Arguments) error {
			c := convolvings.Get().(*convolving)
			defer c.release()
			v.arrange(c, a.Outputs, a.Inputs, a.Integers)
			if c.temporary = a.Scratch.Host; c.temporary == nil {
				c.temporary = c.ownMemory(scratchBytes(c))
			}
			return compute(t, c, a)
		}
	}
	return []entry{{"float32", kernel(v.compute32, v.scratch32)}, {"float64", kernel(v.compute64, v.scratch64)}}
}

// arrange makes c, which is zero, the call for views of 3 to 5 axes.
func (v *convolver) arrange(c *convolving, outputs, inputs []device.View, integers []int64) {
	data, result, weights := v.views(outputs, inputs, integers)
	c.workers = int(integers[convolutionWorkers])
	groups := int(integers[convolutionGroups])
	c.Shape = convolution.Shape{
		Batch: data.Shape[0], Groups: groups, Channels: weights.Shape[1], Filters: weights.Shape[0] / groups,
		Axes: [3]convolution.Axis{convolution.NoAxis, convolution.NoAxis, convolution.NoAxis},
	}
	missing := 5 - len(data.Shape)
	for axis := range len(data.Shape) - 2 {
		of := integers[convolutionAxes+axis*convolutionAxis:]
		c.Axes[missing+axis] = convolution.Axis{
			Data: data.Shape[2+axis], Kernel: weights.Shape[2+axis], Result: result.Shape[2+axis],
			Stride: int(of[convolutionStride]), Dilation: int(of[convolutionDilation]), Before: int(of[convolutionBefore]),
		}
	}
	c.Data, c.Result, c.Weights = convolutionTensor(data), convolutionTensor(result), convolutionTensor(weights)
	if len(inputs) == 3 && len(inputs[2].Shape) == 1 {
		c.Bias.Start, c.Bias.Strides[0] = inputs[2].Pointer.Host, inputs[2].Strides[0]
	}
	if v.more != nil {
		v.more(c, outputs, inputs, integers)
	}
}

func convolutionTensor(view device.View) (t convolution.Tensor) {
	t.Start = view.Pointer.Host
	copy(t.Strides[:2], view.Strides)
	copy(t.Strides[2+5-len(view.Strides):], view.Strides[2:])
	return t
}
