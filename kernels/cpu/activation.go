package cpu

import (
	"math"

	"github.com/weft-nd/weft/dtype"
)

// relu is max(x, 0); NaN stays NaN.
func relu[T dtype.Real](dst, x []T) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = max(v, 0)
	}
}

var _ = register("relu", unary(relu[float32], light), unary(relu[float64], light), unary(relu[int64], light))

// sigmoid is 1/(1+exp(-x)). Only exp(-|x|) is computed, which cannot overflow and keeps the small results on the left
// exact to the last bits.
func sigmoid[T dtype.Float](dst, x []T) {
	dst = dst[:len(x)]
	for i, v := range x {
		small := math.Exp(-math.Abs(float64(v)))
		numerator := 1.0
		if v < 0 {
			numerator = small
		}
		dst[i] = T(numerator / (1 + small))
	}
}

var _ = register("sigmoid", unary(sigmoid[float32], heavy), unary(sigmoid[float64], heavy))
