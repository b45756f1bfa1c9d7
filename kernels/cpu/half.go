package cpu

import (
	"math"

	"github.com/weft-nd/weft/dtype"
)

func fromF16(dst []float32, x []dtype.F16) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = v.Float32()
	}
}

func fromBF16(dst []float32, x []dtype.BF16) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = v.Float32()
	}
}

func toF16(dst []dtype.F16, x []float32) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = dtype.ToF16(v)
	}
}

func toBF16(dst []dtype.BF16, x []float32) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = dtype.ToBF16(v)
	}
}

// oddFloat32 rounds to odd: a value between two float32 numbers becomes the one whose last bit is set. Rounding the result
// to a type with at least two bits less is then as good as one rounding of x (Boldo and Melquiond, "Emulation of FMA and
// correctly rounded sums", IEEE Transactions on Computers 57(4), 2008).
func oddFloat32(x float64) float32 {
	nearest := float32(x)
	if float64(nearest) == x || x != x {
		return nearest
	}
	bits := math.Float32bits(nearest)
	if math.Abs(float64(nearest)) > math.Abs(x) {
		bits-- // toward zero
	}
	return math.Float32frombits(bits | 1)
}

func float64ToOdd(dst []float32, x []float64) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = oddFloat32(v)
	}
}

func int32ToOdd(dst []float32, x []int32) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = oddFloat32(float64(v))
	}
}

// int64ToOdd clears the bits that a float64 cannot hold, and keeps in the last of those it can whether there were any.
func int64ToOdd(dst []float32, x []int64) {
	const excess = 1<<11 - 1
	dst = dst[:len(x)]
	for i, v := range x {
		if v >= 1<<53 || v <= -1<<53 {
			lost := v & excess
			v &^= excess
			if lost != 0 {
				v |= excess + 1
			}
		}
		dst[i] = oddFloat32(float64(v))
	}
}
