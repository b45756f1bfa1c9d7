package cpu

import (
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/calculus"
)

// pairwise registers a function of two operands, whose elements of float64 cost so many nanoseconds.
func pairwise(operator string, nanoseconds float64, f calculus.Binary) struct{} {
	return registerLoops(operator, binaryLoop(f.Float32, single), binaryLoop(f.Float64, nanoseconds))
}

var (
	_ = pairwise("hypot", single, calculus.Hypot)
	_ = pairwise("atan2", double, calculus.Atan2)
	_ = pairwise("logaddexp", 2*double, calculus.Logaddexp)
	_ = pairwise("nextafter", single, calculus.Nextafter)

	_ = halves(2, "hypot", "atan2", "logaddexp")
	_ = registerLoops("nextafter", nextHalf(dtype.Float16, 0x7c00), nextHalf(dtype.BFloat16, 0x7f80))
)

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
