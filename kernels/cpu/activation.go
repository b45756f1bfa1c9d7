package cpu

import (
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/calculus"
)

// relu is max(x, 0); NaN stays NaN.
func relu[T dtype.Real](dst, x []T) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = max(v, 0)
	}
}

var (
	_ = registerLoops("relu", unaryLoop(relu[float32], light), unaryLoop(relu[float64], light))
	_ = registerLoops("relu", unaryLoop(relu[int8], light), unaryLoop(relu[int16], light), unaryLoop(relu[int32], light), unaryLoop(relu[int64], light))
	_ = registerLoops("relu", unaryLoop(relu[uint8], light), unaryLoop(relu[uint16], light), unaryLoop(relu[uint32], light), unaryLoop(relu[uint64], light))
	_ = halves(1, "relu")
)

// reluGradient is u where y, the result of relu, is positive, else 0.
func reluGradient[T dtype.Float](dst, y, u []T) {
	dst, u = dst[:len(y)], u[:len(y)]
	for i, v := range y {
		slope := u[i]
		if !(v > 0) {
			slope = 0
		}
		dst[i] = slope
	}
}

// halfReluGradient is reluGradient for floats of two bytes, as integers: those above zero are the ones up to infinity, of the given
// bits.
func halfReluGradient(d dtype.DType, infinity uint16) *inner {
	i := binaryLoop(func(dst, y, u []uint16) {
		dst, u = dst[:len(y)], u[:len(y)]
		for i, v := range y {
			slope := u[i]
			if v-1 >= infinity {
				slope = 0
			}
			dst[i] = slope
		}
	}, light)
	i.dtypes = d.String()
	return i
}

var _ = registerLoops("relu_gradient", binaryLoop(reluGradient[float32], light), binaryLoop(reluGradient[float64], light),
	halfReluGradient(dtype.Float16, 0x7c00), halfReluGradient(dtype.BFloat16, 0x7f80))

// sigmoid is 1/(1+exp(-x)), silu x·sigmoid(x), softplus log(1+exp(x)), and gelu x times the normal distribution function.
var (
	_ = transcendental("sigmoid", calculus.Sigmoid)
	_ = transcendental("silu", calculus.Silu)
	_ = transcendental("softplus", calculus.Softplus)
	_ = transcendental("gelu", calculus.Gelu)
)

// geluGradient is u·(Φ(x) + x φ(x)), Φ and φ being the distribution function and the density of the normal distribution.
var (
	_ = pairwise("gelu_gradient", double, calculus.GeluGradient)
	_ = halves(2, "gelu_gradient")
)
