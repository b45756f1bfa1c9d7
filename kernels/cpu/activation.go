package cpu

import "github.com/weft-nd/weft/dtype"

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

// sigmoid is 1/(1+exp(-x)), silu x·sigmoid(x), softplus log(1+exp(x)), and gelu x times the normal distribution function.
var (
	_ = transcendental("sigmoid", single, sigmoidFloat32, sigmoidFloat64)
	_ = transcendental("silu", single, siluFloat32, siluFloat64)
	_ = transcendental("softplus", single, softplusFloat32, softplusFloat64)
	_ = transcendental("gelu", single, geluFloat32, geluFloat64)
)

// gelu on slices, for kernels that end with it.
var gelu32, gelu64 = vectorized("gelu", geluFloat32), vectorized("gelu", geluFloat64)
