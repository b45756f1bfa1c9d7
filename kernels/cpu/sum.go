package cpu

import (
	"unsafe"

	"github.com/weft-nd/weft/dtype"
)

// sumRows adds rows, eight columns at a time.
func sumRows[T dtype.Real](dst []T, x unsafe.Pointer, stride, count int) {
	if len(dst) == 0 {
		return
	}
	size, at := int(unsafe.Sizeof(dst[0])), 0
	for ; len(dst) >= 8; at += 8 * size {
		r := (*[8]T)(unsafe.Add(x, at))
		s0, s1, s2, s3, s4, s5, s6, s7 := r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7]
		for k := 1; k < count; k++ {
			r = (*[8]T)(unsafe.Add(x, k*stride+at))
			s0, s1, s2, s3 = s0+r[0], s1+r[1], s2+r[2], s3+r[3]
			s4, s5, s6, s7 = s4+r[4], s5+r[5], s6+r[6], s7+r[7]
		}
		*(*[8]T)(dst) = [8]T{s0, s1, s2, s3, s4, s5, s6, s7}
		dst = dst[8:]
	}
	for i := range dst {
		sum := *(*T)(unsafe.Add(x, at+i*size))
		for k := 1; k < count; k++ {
			sum += *(*T)(unsafe.Add(x, k*stride+at+i*size))
		}
		dst[i] = sum
	}
}

// eachRow makes rows of functions that begin with a row and that take another one.
func eachRow[T any](begin, step func(dst, x []T)) rows[T] {
	return func(dst []T, x unsafe.Pointer, stride, count int) {
		begin(dst, slice[T](x, len(dst)))
		for k := 1; k < count; k++ {
			step(dst, slice[T](unsafe.Add(x, k*stride), len(dst)))
		}
	}
}

func copyRow[T any](dst, x []T) { copy(dst, x) }

func plus[T dtype.Number](a, b T) T { return a + b }

func times[T dtype.Real](a, b T) T { return a * b }

// plusPairs adds neighbours, then pairs of neighbours, and so on.
func plusPairs[T dtype.Number](x []T) T {
	for len(x)%4 == 0 && len(x) > 0 { // two steps at once
		for i := range len(x) / 4 {
			four := x[4*i:][:4]
			x[i] = (four[0] + four[1]) + (four[2] + four[3])
		}
		x = x[:len(x)/4]
	}
	for len(x) > 1 {
		half := len(x) / 2
		for i := range half {
			x[i] = x[2*i] + x[2*i+1]
		}
		if len(x)%2 == 1 {
			x[half] = x[len(x)-1]
			half++
		}
		x = x[:half]
	}
	return x[0]
}

func timesPairs[T dtype.Real](x []T) T {
	for len(x) > 1 {
		half := len(x) / 2
		for i := range half {
			x[i] = x[2*i] * x[2*i+1]
		}
		if len(x)%2 == 1 {
			x[half] = x[len(x)-1]
			half++
		}
		x = x[:half]
	}
	return x[0]
}

func newSum[T dtype.Real]() *total[T] { return newTotal("sum", sumRows[T], plus[T], plusPairs[T], nil) }

func newMultiplied[T dtype.Real]() *total[T] {
	return newTotal("prod", eachRow(copyRow[T], func(dst, x []T) {
		for i, v := range x {
			dst[i] *= v
		}
	}), times[T], timesPairs[T], nil)
}

// absolute is the magnitude, never a negative zero.
func absolute[T dtype.Real](v T) T {
	if v <= 0 {
		return 0 - v
	}
	return v
}

func newAsum[T dtype.Real]() *total[T] {
	return newTotal("asum", eachRow(func(dst, x []T) {
		for i, v := range x {
			dst[i] = absolute(v)
		}
	}, func(dst, x []T) {
		for i, v := range x {
			dst[i] += absolute(v)
		}
	}), plus[T], plusPairs[T], newSum[T]())
}

func newSumsq[T dtype.Real]() *total[T] {
	return newTotal("sumsq", eachRow(func(dst, x []T) {
		for i, v := range x {
			dst[i] = T(v * v)
		}
	}, func(dst, x []T) {
		for i, v := range x {
			dst[i] += T(v * v)
		}
	}), plus[T], plusPairs[T], newSum[T]())
}

var (
	sum32, sum64, sumInt64             = newSum[float32](), newSum[float64](), inAnyOrder(newSum[int64]())
	product32, product64, productInt64 = newMultiplied[float32](), newMultiplied[float64](), newProductOfIntegers()
	asum32, asum64, asumInt64          = newAsum[float32](), newAsum[float64](), inAnyOrder(newAsum[int64]())
	sumsq32, sumsq64, sumsqInt64       = newSumsq[float32](), newSumsq[float64](), inAnyOrder(newSumsq[int64]())
)

// inAnyOrder is a total of integers, which wrap round: their order does not matter.
func inAnyOrder(f *total[int64]) *total[int64] {
	f.unordered = true
	return f
}

func newProductOfIntegers() *total[int64] {
	f := inAnyOrder(newMultiplied[int64]())
	f.unloaded = productOf[int64]
	return f
}

// additionOf returns the sum of Ts.
func additionOf[T dtype.Float]() *total[T] {
	if sum, ok := any(sum32).(*total[T]); ok {
		return sum
	}
	return any(sum64).(*total[T])
}

// accumulating are the kernels of all real element types and bool: integers in 64 bits, which with or without a sign are added
// and multiplied alike, float16 and bfloat16 in float32. Results without elements are empty.
func accumulating(single *total[float32], double *total[float64], integer, unsigned *total[int64], empty float64) []entry {
	return []entry{
		accumulatedOf[dtype.F16](dtype.Float16, single, loadF16, halfResults(dtype.Float16, orEmpty(empty, dtype.ToF16), nil)),
		accumulatedOf[dtype.BF16](dtype.BFloat16, single, loadBF16, halfResults(dtype.BFloat16, orEmpty(empty, dtype.ToBF16), nil)),
		unfinished(dtype.Float32, single, nil, empty),
		unfinished(dtype.Float64, double, nil, empty),
		addingNarrow[uint8](dtype.Bool, integer, empty),
		addingNarrow[int8](dtype.Int8, integer, empty),
		addingNarrow[int16](dtype.Int16, integer, empty),
		addingNarrow[int32](dtype.Int32, integer, empty),
		unfinished(dtype.Int64, integer, nil, empty),
		addingNarrow[uint8](dtype.Uint8, integer, empty),
		addingNarrow[uint16](dtype.Uint16, integer, empty),
		addingNarrow[uint32](dtype.Uint32, integer, empty),
		unfinished(dtype.Uint64, unsigned, nil, empty),
	}
}

// accumulatedOf is accumulated for elements N that are loaded as floats, by assembly where they are added up.
func accumulatedOf[N any, A dtype.Float](d dtype.DType, f *total[A], load loader[A], store results[A]) entry {
	return entry{d.String(), reducer[N, A]{loadedFold[N](d, f, load), nil, store}.kernel}
}

// accumulated is the entry of f of elements of type d, which are loaded unless load is nil.
func accumulated[A dtype.Real](d dtype.DType, f *total[A], load loader[A], store results[A]) entry {
	return entry{d.String(), reducer[A, A]{f.fold(), load, store}.kernel}
}

// unfinished is accumulated for results that are the totals, but for empty where there are no elements.
func unfinished[A dtype.Real](d dtype.DType, f *total[A], load loader[A], empty float64) entry {
	folded := f.fold()
	folded.final = true
	return entry{d.String(), reducer[A, A]{folded, load, storing(orEmpty(empty, itself[A]))}.kernel}
}

func itself[T any](v T) T { return v }

// orEmpty is convert, but for results without elements.
func orEmpty[A dtype.Real, D any](empty float64, convert func(A) D) func(total A, count int) D {
	return func(total A, count int) D {
		if count == 0 {
			total = A(empty)
		}
		return convert(total)
	}
}

var (
	_ = register("sum", accumulating(sum32, sum64, sumInt64, sumInt64, 0)...)
	_ = register("prod", accumulating(product32, product64, productInt64, productInt64, 1)...)
	_ = register("asum", accumulating(asum32, asum64, asumInt64, sumInt64, 0)...)
	_ = register("sumsq", accumulating(sumsq32, sumsq64, sumsqInt64, sumsqInt64, 0)...)

	_ = register("sum", accumulatedComplex(sumComplex64, 0, same[complex64]), accumulatedComplex(sumComplex128, 0, same[complex128]))
	_ = register("prod", accumulatedComplex(newComplexProduct[complex64, float32](), 1, same[complex64]),
		accumulatedComplex(newComplexProduct[complex128, float64](), 1, same[complex128]))

	sumComplex64, sumComplex128 = newComplexSum[complex64](sum32), newComplexSum[complex128](sum64)
)

func quotient[T dtype.Float](total T, count int) T { return total / T(count) }

// averaging returns what divides all totals by the number of their elements.
func averaging[T dtype.Float]() func(totals []T, count int) {
	divide := raising("div", func(x []T, count T) {
		for i := range x {
			x[i] /= count
		}
	})
	return func(totals []T, count int) { divide(totals, T(count)) }
}

var average32 = averaging[float32]()

// means are the results of means of Ts.
func means[T dtype.Float]() results[T] {
	divide := averaging[T]()
	return storingRows(quotient[T], func(dst, totals []T, count int) {
		divide(totals, count)
		copy(dst, totals)
	})
}

// halfMeans are the results of means that are rounded once.
func halfMeans[D dtype.F16 | dtype.BF16](d dtype.DType, round func(float32) D) results[float32] {
	return halfResults(d, func(total float32, count int) D { return round(total / float32(count)) }, average32)
}

// averaged is the mean of elements T in float64.
func averaged[T dtype.Real](d dtype.DType) entry {
	return accumulatedOf[T](d, sum64, loadWider[float64, T](), means[float64]())
}

// The mean of integers is that of a sum in float64.
var _ = register("mean",
	accumulatedOf[dtype.F16](dtype.Float16, sum32, loadF16, halfMeans(dtype.Float16, dtype.ToF16)),
	accumulatedOf[dtype.BF16](dtype.BFloat16, sum32, loadBF16, halfMeans(dtype.BFloat16, dtype.ToBF16)),
	accumulated(dtype.Float32, sum32, nil, means[float32]()),
	accumulated(dtype.Float64, sum64, nil, means[float64]()),
	accumulatedComplex(sumComplex64, 0, func(total complex64, count int) complex64 {
		return complex(real(total)/float32(count), imag(total)/float32(count))
	}),
	accumulatedComplex(sumComplex128, 0, func(total complex128, count int) complex128 {
		return complex(real(total)/float64(count), imag(total)/float64(count))
	}),
	averagedNarrow[uint8](dtype.Bool), averagedNarrow[int8](dtype.Int8), averagedNarrow[int16](dtype.Int16), averagedNarrow[int32](dtype.Int32), averaged[int64](dtype.Int64),
	averagedNarrow[uint8](dtype.Uint8), averagedNarrow[uint16](dtype.Uint16), averagedNarrow[uint32](dtype.Uint32), averaged[uint64](dtype.Uint64),
)
