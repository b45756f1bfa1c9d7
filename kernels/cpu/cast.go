package cpu

import (
	"math"
	"unsafe"

	"github.com/weft-nd/weft/dtype"
)

// The casts follow one rule on every processor: to an integer, floats are truncated toward zero, those out of range become
// the nearest integer of the type and NaN becomes 0; integers wrap round between each other; to a float, the nearest one
// with ties to even, in one rounding; to bool, whether the element is not zero, so NaN is true; bool is 0 or 1.

type casts[S dtype.Element] struct {
	toBool     func([]bool, []S)
	toUint8    func([]uint8, []S)
	toInt32    func([]int32, []S)
	toInt64    func([]int64, []S)
	toFloat32  func([]float32, []S)
	toFloat64  func([]float64, []S)
	toFloat16  func([]dtype.F16, []S)
	toBFloat16 func([]dtype.BF16, []S)
}

func (c casts[S]) entries() []entry {
	return []entry{
		casting(c.toBool), casting(c.toUint8), casting(c.toInt32), casting(c.toInt64),
		casting(c.toFloat32), casting(c.toFloat64), casting(c.toFloat16), casting(c.toBFloat16),
	}
}

func casting[D, S dtype.Element](inner func([]D, []S)) entry {
	e := unary(inner, light)
	e.dtypes += "/" + dtype.Of[D]().String()
	return e
}

var (
	_ = register("cast", casts[bool]{
		through(boolToByte, truth[uint8]), boolToByte, through(boolToByte, convert[int32, uint8]),
		through(boolToByte, convert[int64, uint8]), through(boolToByte, convert[float32, uint8]),
		through(boolToByte, convert[float64, uint8]), through(through(boolToByte, convert[float32, uint8]), toF16),
		through(through(boolToByte, convert[float32, uint8]), toBF16),
	}.entries()...)
	_ = register("cast", casts[uint8]{
		truth[uint8], convert[uint8, uint8], convert[int32, uint8], convert[int64, uint8], convert[float32, uint8],
		convert[float64, uint8], through(convert[float32, uint8], toF16), through(convert[float32, uint8], toBF16),
	}.entries()...)
	_ = register("cast", casts[int32]{
		truth[int32], convert[uint8, int32], convert[int32, int32], convert[int64, int32], convert[float32, int32],
		convert[float64, int32], through(int32ToOdd, toF16), through(int32ToOdd, toBF16),
	}.entries()...)
	_ = register("cast", casts[int64]{
		truth[int64], convert[uint8, int64], convert[int32, int64], convert[int64, int64], convert[float32, int64],
		convert[float64, int64], through(int64ToOdd, toF16), through(int64ToOdd, toBF16),
	}.entries()...)
	_ = register("cast", casts[float32]{
		truth[float32], saturate[uint8, float32], saturate[int32, float32], saturate[int64, float32],
		convert[float32, float32], convert[float64, float32], toF16, toBF16,
	}.entries()...)
	_ = register("cast", casts[float64]{
		truth[float64], saturate[uint8, float64], saturate[int32, float64], saturate[int64, float64],
		convert[float32, float64], convert[float64, float64], through(float64ToOdd, toF16), through(float64ToOdd, toBF16),
	}.entries()...)
	_ = register("cast", casts[dtype.F16]{
		through(fromF16, truth[float32]), through(fromF16, saturate[uint8, float32]),
		through(fromF16, saturate[int32, float32]), through(fromF16, saturate[int64, float32]), fromF16,
		through(fromF16, convert[float64, float32]), convert[dtype.F16, dtype.F16], through(fromF16, toBF16),
	}.entries()...)
	_ = register("cast", casts[dtype.BF16]{
		through(fromBF16, truth[float32]), through(fromBF16, saturate[uint8, float32]),
		through(fromBF16, saturate[int32, float32]), through(fromBF16, saturate[int64, float32]), fromBF16,
		through(fromBF16, convert[float64, float32]), through(fromBF16, toF16), convert[dtype.BF16, dtype.BF16],
	}.entries()...)
)

// through casts from S to D by way of M.
func through[D, M, S any](first func([]M, []S), second func([]D, []M)) func([]D, []S) {
	return func(dst []D, x []S) {
		var middle [blockSize]M
		for len(x) > 0 {
			count := min(len(x), blockSize)
			first(middle[:count], x[:count])
			second(dst[:count], middle[:count])
			dst, x = dst[count:], x[count:]
		}
	}
}

func convert[D, S dtype.Real | dtype.F16 | dtype.BF16](dst []D, x []S) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = D(v)
	}
}

// saturate truncates toward zero. The limits of D are compared as float64: they are exact, or, for the largest int64, the
// power of two above it.
func saturate[D uint8 | int32 | int64, S dtype.Float](dst []D, x []S) {
	low, high := limits[D]()
	bottom, top := float64(low), float64(high)
	dst = dst[:len(x)]
	for i, v := range x {
		switch wide := float64(v); {
		case wide >= top:
			dst[i] = high
		case wide > bottom:
			dst[i] = D(wide)
		case wide <= bottom:
			dst[i] = low
		default:
			dst[i] = 0
		}
	}
}

func limits[D uint8 | int32 | int64]() (low, high D) {
	switch unsafe.Sizeof(low) {
	case 1:
		return 0, ^D(0)
	case 4:
		bottom := int64(math.MinInt32)
		return D(bottom), ^D(bottom)
	default:
		bottom := int64(math.MinInt64)
		return D(bottom), ^D(bottom)
	}
}

func truth[S dtype.Real](dst []bool, x []S) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = v != 0
	}
}

func boolToByte(dst []uint8, x []bool) {
	dst = dst[:len(x)]
	for i, v := range x {
		if v {
			dst[i] = 1
		} else {
			dst[i] = 0
		}
	}
}
