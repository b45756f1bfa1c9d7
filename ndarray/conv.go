package ndarray

import (
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/ops"
)

// ConvParams are the parameters of a convolution; the zero value is one step of the filters at a time, without padding.
type ConvParams = ops.ConvParams

// ConvTransposeParams are the parameters of a transposed convolution.
type ConvTransposeParams = ops.ConvTransposeParams

// Conv returns the convolution of images x (samples,channels,…) by weights (filters,channels/groups,…), with 1 to 3 spatial
// axes, and bias (filters,) added, which may be nil: of shape (samples,filters,…), where a spatial axis of n elements with a filter
// of k has (n + padding before + padding behind − (k−1)·dilation − 1)/stride + 1, rounded down. Filters are not mirrored, and
// padding counts as zeros. It computes in float32 and float64; operands of different dtypes are promoted. It panics with *Error
// if the shapes or parameters do not fit.
func (x *Array) Conv(weights, bias *Array, p ConvParams) *Array {
	if bias == nil {
		return call(ops.Conv, p, x, weights)
	}
	return call(ops.ConvBias.CalledBy(ops.Conv.Name), p, x, weights, bias)
}

// ConvMaxPoolParams are the parameters of a convolution and of the windows over its result.
type ConvMaxPoolParams = ops.ConvMaxPoolParams

// ConvMaxPool returns the maximum of each window over the convolution of images x (samples,channels,rows,columns) by weights
// and bias. It has the bits of Conv, MaxPool for windows beside one another, and Relu if p.Rectified is set, but takes less
// memory and time, since the result of the convolution is not kept. The gradients are cheaper too; they are rounded in another
// order, and elements that are not a maximum count nothing in them, even times what is not finite. For float16 and bfloat16
// maxima are chosen before the convolution is rounded. Arrays on GPUs are computed on the CPU. Windows that do not fit entirely
// are left out. It panics with *Error if the shapes or parameters do not fit.
func (x *Array) ConvMaxPool(weights, bias *Array, p ConvMaxPoolParams) *Array {
	results := ops.Invoke(ops.ConvMaxPool, p, tensors([]*Array{x, weights, bias})...)
	results[1].Discard(fault.Here(1)) // positions, which gradients alone look at
	return (*Array)(results[0])
}

// ConvInto is Conv written to dst, which must have the shape and dtype of the result.
func ConvInto(dst, x, weights, bias *Array, p ConvParams) {
	if bias == nil {
		callInto(ops.Conv, p, dst, x, weights)
		return
	}
	callInto(ops.ConvBias.CalledBy(ops.Conv.Name), p, dst, x, weights, bias)
}

// ConvTranspose returns the transposed convolution of x (samples,channels,…) by weights (channels,filters/groups,…): what the
// gradient of a convolution with these parameters is to its data. A spatial axis of n elements with a filter of k becomes
// (n−1)·stride + (k−1)·dilation + 1 − padding before − padding behind + output padding. It panics with *Error if the shapes or
// parameters do not fit.
func (x *Array) ConvTranspose(weights *Array, p ConvTransposeParams) *Array {
	return call(ops.ConvTranspose, p, x, weights)
}
