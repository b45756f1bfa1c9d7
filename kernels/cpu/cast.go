package cpu

import (
	"unsafe"

	"github.com/weft-nd/weft/dtype"
)

// The casts follow one rule on every processor: to an integer, floats are truncated toward zero, those out of range become
// the nearest integer of the type and NaN becomes 0; integers wrap round between each other; to a float, the nearest one
// with ties to even, in one rounding; to bool, whether the element is not zero, so NaN is true; bool is 0 or 1. Real numbers become
// the real parts of complex ones, which become nothing else but bool.
var (
	_ = castsOfNumbers[int8]()
	_ = castsOfNumbers[int16]()
	_ = castsOfNumbers[int32]()
	_ = castsOfNumbers[int64]()
	_ = castsOfNumbers[uint8]()
	_ = castsOfNumbers[uint16]()
	_ = castsOfNumbers[uint32]()
	_ = castsOfNumbers[uint64]()
	_ = castsOfNumbers[float32]()
	_ = castsOfNumbers[float64]()
	_ = castsOfHalves(dtype.Float16, unaryLoop(fromF16, light), unaryLoop(positive[uint16], light))
	_ = castsOfHalves(dtype.BFloat16, unaryLoop(fromBF16, light), unaryLoop(positive[uint16], light))
	_ = registerCast(dtype.Float32, dtype.Float16, unaryLoop(toF16, light))
	_ = registerCast(dtype.Float32, dtype.BFloat16, unaryLoop(toBF16, light))
	_ = registerCast(dtype.Bool, dtype.Bool, unaryLoop(positive[uint8], light))
	_ = castsOfComplex[float32](dtype.Complex64)
	_ = castsOfComplex[float64](dtype.Complex128)
	_ = registerCast(dtype.Complex64, dtype.Complex128, twice(dtype.Complex64, castName(dtype.Float32, dtype.Float64), []int{16, 8}))
	_ = registerCast(dtype.Complex128, dtype.Complex64, twice(dtype.Complex128, castName(dtype.Float64, dtype.Float32), []int{8, 16}))
	_ = registerCast(dtype.Bool, dtype.Float16, through(castName(dtype.Bool, dtype.Float32), castName(dtype.Float32, dtype.Float16), 2, 1))
	_ = registerCast(dtype.Bool, dtype.BFloat16, through(castName(dtype.Bool, dtype.Float32), castName(dtype.Float32, dtype.BFloat16), 2, 1))
)

// castName is the name of a kernel.
func castName(from, to dtype.DType) string { return "cast/" + from.String() + "/" + to.String() }

func registerCast(from, to dtype.DType, i *inner) struct{} {
	i.dtypes = from.String() + "/" + to.String()
	return registerLoops("cast", i)
}

// castsOfNumbers registers the casts between S and all types but halves, and those to halves.
func castsOfNumbers[S dtype.Real]() struct{} {
	castToNumber[int8, S]()
	castToNumber[int16, S]()
	castToNumber[int32, S]()
	castToNumber[int64, S]()
	castToNumber[uint8, S]()
	castToNumber[uint16, S]()
	castToNumber[uint32, S]()
	castToNumber[uint64, S]()
	castToNumber[float32, S]()
	castToNumber[float64, S]()
	s := dtype.Of[S]()
	registerCast(s, dtype.Bool, unaryLoop(truth[S], light))
	registerCast(dtype.Bool, s, unaryLoop(convert[S, uint8], light))
	if s == dtype.Float32 {
		return struct{}{} // rounded to halves at once
	}
	single := castName(s, dtype.Float32)
	if s.Size() >= 4 { // float32 cannot hold all values
		single = "odd/" + s.String()
		unaryLoop(odd[S], light).makeKnown(single)
	}
	for _, d := range []dtype.DType{dtype.Float16, dtype.BFloat16} {
		registerCast(s, d, through(single, castName(dtype.Float32, d), d.Size(), s.Size()))
	}
	return struct{}{}
}

func castToNumber[D, S dtype.Real]() {
	d, s := dtype.Of[D](), dtype.Of[S]()
	if s.IsFloat() && d.IsInteger() {
		registerCast(s, d, unaryLoop(saturate[D, S], light))
	} else {
		registerCast(s, d, unaryLoop(convert[D, S], light))
	}
}

// castsOfHalves registers the casts from d, given those to float32 and to itself.
func castsOfHalves(d dtype.DType, toSingle, toItself *inner) struct{} {
	for _, to := range dtype.All() {
		switch {
		case to.Kind() == dtype.KindComplex:
		case to == dtype.Float32:
			registerCast(d, to, toSingle)
		case to == d:
			registerCast(d, to, toItself)
		default:
			registerCast(d, to, through(castName(d, dtype.Float32), castName(dtype.Float32, to), to.Size(), d.Size()))
		}
	}
	return struct{}{}
}

// through casts by way of float32, or float64, by the loops of two names, to elements of size bytes from those of another size.
func through(before, behind string, size, from int) *inner {
	there, onward := loopNamed(before), loopNamed(behind)
	return &inner{nanoseconds: 2 * light, sizes: []int{size, from}, plain: func(count int, p pointers) {
		s := singlesPool.Get().(*singles)
		defer singlesPool.Put(s)
		middle, first, second := unsafe.Pointer(s), there().runner(), onward().runner()
		for count > 0 {
			part := min(count, blockSize)
			first.run(part, pointers{middle, p[1]}, 0)
			second.run(part, pointers{p[0], middle}, 0)
			if count -= part; count > 0 { // no pointer may leave its memory
				p[0], p[1] = unsafe.Add(p[0], part*size), unsafe.Add(p[1], part*from)
			}
		}
	}}
}

// castsOfComplex registers the casts to d, complex numbers with parts T, from real ones, and from d to itself and to bool.
func castsOfComplex[T dtype.Float](d dtype.DType) struct{} {
	part := dtype.Of[T]()
	for _, from := range dtype.All() {
		switch {
		case from == part:
			registerCast(from, d, &inner{nanoseconds: light, sizes: []int{d.Size(), from.Size()}, plain: func(count int, p pointers) {
				toRealPart(slice[[2]T](p[0], count), slice[T](p[1], count))
			}})
		case !from.IsComplex():
			registerCast(from, d, through(castName(from, part), castName(part, d), d.Size(), from.Size()))
		}
	}
	registerCast(d, d, twice(d, castName(part, part), []int{d.Size(), d.Size()}))
	return registerCast(d, dtype.Bool, complexTo(truthOfComplex[T], light))
}

func toRealPart[T dtype.Float](dst [][2]T, x []T) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = [2]T{v, 0}
	}
}

func truthOfComplex[T dtype.Float](dst []bool, x [][2]T) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = v != [2]T{}
	}
}

func convert[D, S dtype.Real](dst []D, x []S) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = D(v)
	}
}

// saturate truncates toward zero. The limits of D are compared as float64: they are exact, or, for the largest of 64 bits, the
// power of two above it.
func saturate[D, S dtype.Real](dst []D, x []S) {
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

// limits returns the least and the largest of the integers of type D.
func limits[D dtype.Real]() (low, high D) {
	var zero D
	bits := 8 * int(unsafe.Sizeof(zero))
	if dtype.Of[D]().Kind() == dtype.KindUnsigned {
		return 0, D(^uint64(0) >> (64 - bits))
	}
	bottom := int64(-1) << (bits - 1)
	return D(bottom), D(^bottom)
}

func truth[S dtype.Real](dst []bool, x []S) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = v != 0
	}
}
