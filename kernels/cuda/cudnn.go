package cuda

import (
	"errors"
	"math"
	"slices"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cuda/driver"
)

// convolution is the kernel of a convolution: cuDNN's where there is one that takes it, and otherwise that of conv.cu.
type convolution struct {
	*compound
	direction driver.Direction
}

// directions are those of the operators that cuDNN may compute.
var directions = map[string]driver.Direction{
	"conv": driver.ToResult, "conv_bias": driver.ToResult, "conv_gradient_data": driver.ToData, "conv_transpose": driver.ToData, "conv_gradient_weights": driver.ToWeights,
}

// alignment is what cuDNN's kernels may take the addresses of arrays for multiples of.
const alignment = 16

// Launch enqueues the convolution.
func (k *convolution) Launch(s device.Stream, a *device.Arguments) error {
	own, err := k.streamOf(s)
	if err != nil {
		return err
	}
	c, arrays, ok := k.plan(a)
	for _, v := range arrays {
		ok = ok && v.Pointer.Address%alignment == 0
	}
	if !ok {
		return k.compound.Launch(s, a)
	}
	algorithm, taken, err := own.unit.chooseConvolution(&c)
	if err != nil {
		return err
	}
	if !taken {
		return k.compound.Launch(s, a)
	}
	if err := own.unit.convolutions.lacks(own.unit, algorithm.Workspace, a.ScratchBytes); err != nil {
		return err
	}
	err = own.enqueue(func(driverContext driver.Context) error {
		if len(a.Inputs) > 2 { // the bias is where the convolution is added
			bias, l := a.Inputs[2], &launcher{k.backend, driverContext, own, k.types}
			bias.Shape, bias.Strides = a.Outputs[0].Shape, make([]int, len(a.Outputs[0].Shape))
			bias.Strides[1] = a.Inputs[2].Strides[0]
			if err := l.copy(a.Outputs[0], bias); err != nil {
				return err
			}
		}
		if err := own.useDNN(driverContext); err != nil {
			return withHint(driver.DNNVariable, err)
		}
		at := driver.Convolved{
			Data: addressOf(arrays[0]), Weights: addressOf(arrays[1]), Result: addressOf(arrays[2]),
			Workspace: driver.Address(a.Scratch.Address), Add: len(a.Inputs) > 2,
		}
		if err := own.dnn.Convolve(&c, algorithm, &at); err != nil {
			return withHint(driver.DNNVariable, err)
		}
		own.launched()
		return nil
	})
	if errors.Is(err, errors.ErrUnsupported) {
		own.unit.convolutions.refused(&c)
		own.unit.refused(err)
		return k.compound.Launch(s, a)
	}
	return err
}

func addressOf(v device.View) driver.Address { return driver.Address(v.Pointer.Address) }

// Scratch returns the bytes of temporary memory for a call, whoever computes it.
func (k *convolution) Scratch(index int, a *device.Arguments) int {
	bytes := k.compound.Scratch(index, a)
	if c, _, ok := k.plan(a); ok {
		if u, err := k.backend.unit(index); err == nil {
			if algorithm, taken, err := u.chooseConvolution(&c); err == nil && taken { // Launch tells of the error
				return max(bytes, algorithm.Workspace)
			}
		}
	}
	return bytes
}

// plan returns what cuDNN is told of a call, and its data, weights and result; ok is false if it is not asked: it does not take arrays of
// other layouts, and padding that is not the same on both sides, and is not made for float64.
func (k *convolution) plan(a *device.Arguments) (c driver.Convolution, arrays [3]device.View, ok bool) {
	switch k.direction {
	case driver.ToResult:
		arrays = [3]device.View{a.Inputs[0], a.Inputs[1], a.Outputs[0]}
	case driver.ToData:
		arrays = [3]device.View{a.Outputs[0], a.Inputs[1], a.Inputs[0]}
	case driver.ToWeights:
		arrays = [3]device.View{a.Inputs[0], a.Outputs[0], a.Inputs[1]}
	}
	for _, v := range arrays {
		if count := v.Count(); count == 0 || count > math.MaxInt32 || v.DType == dtype.Float64 || !isRowMajor(v) {
			return c, arrays, false
		}
	}
	own := newConv(a, arrays[0], arrays[2], arrays[1])
	c = driver.Convolution{
		Direction: k.direction, Precision: precisionOf(arrays[0].DType), Axes: max(2, len(arrays[0].Shape)-2),
		Images: own.batch, Groups: own.groups, Channels: own.channels * own.groups, Filters: own.filters * own.groups,
		Data: [3]int(own.data.Shape[2:]), Weights: [3]int(own.weights.Shape[2:]), Result: [3]int(own.result.Shape[2:]),
		Stride: own.stride, Dilation: own.dilation, Padding: own.before,
	}
	for axis := range 3 {
		if max(c.Data[axis]+2*c.Padding[axis], c.Stride[axis], c.Dilation[axis]) > math.MaxInt32 { // cuDNN counts in int32
			return c, arrays, false
		}
		room := c.Data[axis] + 2*c.Padding[axis] - (c.Weights[axis]-1)*c.Dilation[axis] - 1
		if room < 0 || room/c.Stride[axis]+1 != c.Result[axis] {
			return c, arrays, false
		}
	}
	return c, arrays, true
}

// isRowMajor reports whether the elements of v follow one another.
func isRowMajor(v device.View) bool {
	next := 1
	for axis, size := range slices.Backward(v.Shape) {
		if size != 1 && v.Strides[axis] != next {
			return false
		}
		next *= size
	}
	return true
}

// chooseConvolution returns how cuDNN computes c.
func (u *unit) chooseConvolution(c *driver.Convolution) (a driver.Algorithm, taken bool, err error) {
	return u.convolutions.choose(u, c, driver.DNNVariable, func(c driver.Context) (chooser[driver.Convolution, driver.Algorithm], error) { return c.NewDNN(0) })
}

// useDNN makes the handle of cuDNN of the stream.
func (s *stream) useDNN(c driver.Context) (err error) {
	if s.dnn == nil {
		s.dnn, err = c.NewDNN(s.handle)
	}
	return err
}
