package cpu

import (
	"math"

	"github.com/weft-nd/weft/dtype"
)

// pairwise registers a function of two operands that internal/gen has written, whose elements cost so many nanoseconds.
func pairwise(operator string, nanoseconds32, nanoseconds64 float64, portable32 func(x, y float32) float32, portable64 func(x, y float64) float64) struct{} {
	return registerLoops(operator,
		binaryLoop(vectorizedBinary(operator, portable32), nanoseconds32), binaryLoop(vectorizedBinary(operator, portable64), nanoseconds64))
}

var (
	_ = pairwise("hypot", single, single, hypotFloat32, hypotFloat64)
	_ = pairwise("atan2", single, double, atan2Float32, atan2Float64)
	_ = pairwise("logaddexp", single, 2*double, logaddexpFloat32, logaddexpFloat64)
	_ = pairwise("nextafter", single, single, nextafterFloat32, nextafterFloat64)

	_ = halves(2, "hypot", "atan2", "logaddexp")
	_ = registerLoops("nextafter", nextHalf(dtype.Float16, 0x7c00), nextHalf(dtype.BFloat16, 0x7f80))
)

// magnitudes is the loop of hypot, of numbers without strides.
func magnitudes[T dtype.Float]() func(dst, re, im []T) {
	if f, ok := any(vectorizedBinary("hypot", hypotFloat32)).(func(dst, re, im []T)); ok {
		return f
	}
	return any(vectorizedBinary("hypot", hypotFloat64)).(func(dst, re, im []T))
}

// hypotHard is what hypot leaves to Go: infinity, whatever the other is, or else NaN.
func hypotHard(x, y float64) float64 {
	if math.IsInf(x, 0) || math.IsInf(y, 0) {
		return math.Inf(1)
	}
	return math.NaN()
}

// atan2Hard is what atan2 leaves to Go: beside infinity, finite numbers are like zero.
func atan2Hard(y, x float64) float64 {
	if y != y || x != x {
		return math.NaN()
	}
	beside := func(v float64) float64 {
		if math.IsInf(v, 0) {
			return math.Copysign(1, v)
		}
		return math.Copysign(0, v)
	}
	return atan2Float64(beside(y), beside(x))
}

// nextHalf is the loop of nextafter for a type of 16 bits, by the bits of its infinity.
func nextHalf(d dtype.DType, infinity uint16) *inner {
	i := binaryLoop(func(dst, x, y []uint16) {
		dst, y = dst[:len(x)], y[:len(x)]
		for i, v := range x {
			dst[i] = nextBits(v, y[i], infinity)
		}
	}, light)
	i.dtypes = d.String()
	return i
}

// nextBits is nextafter of floats given as bits: of their magnitudes with the sign of x, those of y are counted backwards where
// it has the other sign.
func nextBits(x, y, infinity uint16) uint16 {
	const sign = 1 << 15
	from, to := int(x&^sign), int(y&^sign)
	if (x^y)&sign != 0 {
		to = -to
	}
	switch {
	case from > int(infinity):
		return x
	case int(y&^sign) > int(infinity) || from == to:
		return y
	case from == 0:
		return y&sign | 1
	case from < to:
		return x + 1
	}
	return x - 1
}
