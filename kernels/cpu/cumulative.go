package cpu

import (
	"math"
	"unsafe"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

func plusScan[T dtype.Number]() scan[T] {
	return scan[T]{prefix: func(x []T) {
		sum := x[0]
		for i := 1; i < len(x); i++ {
			sum += x[i]
			x[i] = sum
		}
	}, group: func(rows *[scanRows][]T) {
		x0, x1, x2, x3 := alike(rows)
		sum0, sum1, sum2, sum3 := x0[0], x1[0], x2[0], x3[0]
		for i := 1; i < len(x0); i++ {
			sum0 += x0[i]
			sum1 += x1[i]
			sum2 += x2[i]
			sum3 += x3[i]
			x0[i], x1[i], x2[i], x3[i] = sum0, sum1, sum2, sum3
		}
	}, step: stepping("add", func(dst, x, y []T) {
		for i, v := range x {
			dst[i] = v + y[i]
		}
	}), raise: raising("add", func(x []T, before T) {
		for i := range x {
			x[i] += before
		}
	})}
}

// alike returns the rows of a group, of which the compiler knows that they are equally long.
func alike[T any](rows *[scanRows][]T) (x0, x1, x2, x3 []T) {
	x0 = rows[0]
	return x0, rows[1][:len(x0)], rows[2][:len(x0)], rows[3][:len(x0)]
}

func timesScan[T dtype.Real]() scan[T] {
	return scan[T]{prefix: func(x []T) {
		product := x[0]
		for i := 1; i < len(x); i++ {
			product *= x[i]
			x[i] = product
		}
	}, group: func(rows *[scanRows][]T) {
		x0, x1, x2, x3 := alike(rows)
		product0, product1, product2, product3 := x0[0], x1[0], x2[0], x3[0]
		for i := 1; i < len(x0); i++ {
			product0 *= x0[i]
			product1 *= x1[i]
			product2 *= x2[i]
			product3 *= x3[i]
			x0[i], x1[i], x2[i], x3[i] = product0, product1, product2, product3
		}
	}, step: stepping("mul", mul[T]), raise: raising("mul", func(x []T, before T) {
		for i := range x {
			x[i] *= before
		}
	})}
}

// stepping is portable, or the assembly of an operator where there is some.
func stepping[T dtype.Number](operator string, portable func(dst, x, y []T)) func(dst, x, y []T) {
	find := loopNamed(operator + "/" + dtype.Of[T]().String())
	return func(dst, x, y []T) {
		r := find().runner()
		if r.vector == nil || len(x) < r.least {
			portable(dst, x, y)
			return
		}
		r.run(len(x), pointers{unsafe.Pointer(&dst[0]), unsafe.Pointer(&x[0]), unsafe.Pointer(&y[0])}, 0)
	}
}

// raising is portable, or the assembly of an operator where there is some.
func raising[T dtype.Number](operator string, portable func(x []T, before T)) func(x []T, before T) {
	find := loopNamed(operator + "/" + dtype.Of[T]().String())
	return func(x []T, before T) {
		r := find().runner()
		if r.vector == nil || len(x) < r.least {
			portable(x, before)
			return
		}
		repeated := [1]T{before}
		r.run(len(x), pointers{unsafe.Pointer(&x[0]), unsafe.Pointer(&x[0]), unsafe.Pointer(&repeated)}, 1<<1)
	}
}

// extremePrefix is rest, which replaces each element but the first by the extreme of it and the one before, or assembly as far as that goes.
func extremePrefix[T dtype.Real](largest bool, rest func(x []T)) func(x []T) {
	d := dtype.Of[T]()
	return func(x []T) {
		done := cumulativeExtreme(d, largest, (*byte)(unsafe.Pointer(&x[0])), len(x))
		rest(x[max(0, done-1):])
	}
}

func maxScan[T dtype.Real]() scan[T] {
	prefix := extremePrefix(true, func(x []T) {
		for i := 1; i < len(x); i++ {
			x[i] = max(x[i-1], x[i])
		}
	})
	return scan[T]{prefix: prefix, group: func(rows *[scanRows][]T) {
		if features.Best >= features.AVX512 {
			for _, x := range rows {
				prefix(x)
			}
			return
		}
		x0, x1, x2, x3 := alike(rows)
		for i := 1; i < len(x0); i++ {
			x0[i], x1[i], x2[i], x3[i] = max(x0[i-1], x0[i]), max(x1[i-1], x1[i]), max(x2[i-1], x2[i]), max(x3[i-1], x3[i])
		}
	}, step: stepping("maximum", maximum[T]), raise: raising("maximum", func(x []T, before T) {
		for i := range x {
			x[i] = max(before, x[i])
		}
	})}
}

func minScan[T dtype.Real]() scan[T] {
	prefix := extremePrefix(false, func(x []T) {
		for i := 1; i < len(x); i++ {
			x[i] = min(x[i-1], x[i])
		}
	})
	return scan[T]{prefix: prefix, group: func(rows *[scanRows][]T) {
		if features.Best >= features.AVX512 {
			for _, x := range rows {
				prefix(x)
			}
			return
		}
		x0, x1, x2, x3 := alike(rows)
		for i := 1; i < len(x0); i++ {
			x0[i], x1[i], x2[i], x3[i] = min(x0[i-1], x0[i]), min(x1[i-1], x1[i]), min(x2[i-1], x2[i]), min(x3[i-1], x3[i])
		}
	}, step: stepping("minimum", minimum[T]), raise: raising("minimum", func(x []T, before T) {
		for i := range x {
			x[i] = min(before, x[i])
		}
	})}
}

// scanned is the entry of elements T that are scanned as As and become Ds.
func scanned[T, A, D dtype.Real](d dtype.DType, s scan[A], empty A) entry {
	narrow := loadWider[D, A]()
	return entry{d.String(), scanner[A]{s, loadWider[A, T](), func(dst unsafe.Pointer, x []A) {
		narrow.line(slice[D](dst, len(x)), unsafe.Pointer(unsafe.SliceData(x)))
	}, empty, dtype.Of[T]() == dtype.Of[A](), dtype.Of[D]() == dtype.Of[A]()}.kernel}
}

// scannedHalves are the entries of float16 and bfloat16, which are scanned in float32.
func scannedHalves(s scan[float32], empty float32) []entry {
	half := func(d dtype.DType, load loader[float32]) entry {
		narrow := loading[uint16](dtype.Float32, d)
		return entry{d.String(), scanner[float32]{s, load, func(dst unsafe.Pointer, x []float32) {
			narrow.line(slice[uint16](dst, len(x)), unsafe.Pointer(unsafe.SliceData(x)))
		}, empty, false, false}.kernel}
	}
	return []entry{half(dtype.Float16, loadF16), half(dtype.BFloat16, loadBF16)}
}

// cumulated are the kernels of sums or products: those of integers have 64 bits.
func cumulated(single scan[float32], double scan[float64], integer scan[int64], empty int8) []entry {
	whole := int64(empty)
	return append(scannedHalves(single, float32(empty)),
		scanned[float32, float32, float32](dtype.Float32, single, float32(empty)), scanned[float64, float64, float64](dtype.Float64, double, float64(empty)),
		scanned[uint8, int64, int64](dtype.Bool, integer, whole),
		scanned[int8, int64, int64](dtype.Int8, integer, whole), scanned[int16, int64, int64](dtype.Int16, integer, whole),
		scanned[int32, int64, int64](dtype.Int32, integer, whole), scanned[int64, int64, int64](dtype.Int64, integer, whole),
		scanned[uint8, int64, int64](dtype.Uint8, integer, whole), scanned[uint16, int64, int64](dtype.Uint16, integer, whole),
		scanned[uint32, int64, int64](dtype.Uint32, integer, whole), scanned[uint64, int64, int64](dtype.Uint64, integer, whole))
}

// extremes are the kernels of largest or smallest elements: that of none is the smallest or largest of the type.
func extremes(single scan[float32], double scan[float64], signed scan[int64], unsigned scan[uint64], largest bool) []entry {
	infinity, low := math.Inf(1), func(least int64) int64 { return ^least }
	high := func(most uint64) uint64 { return most }
	if largest {
		infinity, low = math.Inf(-1), func(least int64) int64 { return least }
		high = func(uint64) uint64 { return 0 }
	}
	return append(scannedHalves(single, float32(infinity)),
		scanned[float32, float32, float32](dtype.Float32, single, float32(infinity)), scanned[float64, float64, float64](dtype.Float64, double, infinity),
		scanned[uint8, uint64, uint8](dtype.Bool, unsigned, high(1)),
		scanned[int8, int64, int8](dtype.Int8, signed, low(math.MinInt8)), scanned[int16, int64, int16](dtype.Int16, signed, low(math.MinInt16)),
		scanned[int32, int64, int32](dtype.Int32, signed, low(math.MinInt32)), scanned[int64, int64, int64](dtype.Int64, signed, low(math.MinInt64)),
		scanned[uint8, uint64, uint8](dtype.Uint8, unsigned, high(math.MaxUint8)), scanned[uint16, uint64, uint16](dtype.Uint16, unsigned, high(math.MaxUint16)),
		scanned[uint32, uint64, uint32](dtype.Uint32, unsigned, high(math.MaxUint32)), scanned[uint64, uint64, uint64](dtype.Uint64, unsigned, high(math.MaxUint64)))
}

var (
	_ = register("cumsum", cumulated(plusScan[float32](), plusScan[float64](), plusScan[int64](), 0)...)
	_ = register("cumprod", cumulated(timesScan[float32](), timesScan[float64](), timesScan[int64](), 1)...)
	_ = register("cumsum", scannedComplex(plusScan[complex64](), 0), scannedComplex(plusScan[complex128](), 0))
	_ = register("cumprod", scannedComplex(complexTimesScan[complex64, float32](), 1), scannedComplex(complexTimesScan[complex128, float64](), 1))
	_ = register("cummax", extremes(maxScan[float32](), maxScan[float64](), maxScan[int64](), maxScan[uint64](), true)...)
	_ = register("cummin", extremes(minScan[float32](), minScan[float64](), minScan[int64](), minScan[uint64](), false)...)
)
