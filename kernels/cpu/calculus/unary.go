package calculus

import (
	"sync"
	"unsafe"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// Unary is a function of one operand.
type Unary struct {
	// Float32 and Float64 set as many elements of dst as x has to the function of those of x. Dst may be x.
	Float32 func(dst, x []float32)
	Float64 func(dst, x []float64)

	// Past32 and Past64 are the same for large results, which overlap nothing and go past the caches if there is AVX-512.
	Past32 func(dst, x []float32)
	Past64 func(dst, x []float64)

	assembly32 *unaryVariants[float32]
	assembly64 *unaryVariants[float64]
}

// assembledUnary computes a function of count elements from x to dst, which may be the same. It stops before the first
// vector with an element that it has no instructions for, and returns the number of elements before it. That for AVX2
// takes a positive number of whole vectors. With form formStreams, dst is aligned to 64 bytes and overlaps nothing, and
// what is computed in blocks goes past the caches.
type assembledUnary[T dtype.Float] func(dst, x *T, count, form int) (done int)

const formStreams = 8

// cacheLine is the bytes of a line of the cache. What goes past the caches is made of whole ones.
const cacheLine = 64

// unaryVariants are the forms of a function for AVX2 and AVX-512, where there is assembly; nothing changes once the package is initialised.
type unaryVariants[T dtype.Float] [2]assembledUnary[T]

// unary returns the function that is given for one element. All forms give the same bits, but for those of NaN.
func unary(of32 func(float32) float32, of64 func(float64) float64) Unary {
	f := Unary{assembly32: new(unaryVariants[float32]), assembly64: new(unaryVariants[float64])}
	f.Float32, f.Float64 = vectorized(f.assembly32, of32), vectorized(f.assembly64, of64)
	f.Past32, f.Past64 = vectorizedPast(f.assembly32, f.Float32, of32), vectorizedPast(f.assembly64, f.Float64, of64)
	return f
}

// vectorized returns the function that computes element by element what portable does.
func vectorized[T dtype.Float](assembly *unaryVariants[T], portable func(T) T) func(dst, x []T) {
	return func(dst, x []T) {
		dst = dst[:len(x)]
		if features.Best == features.Portable {
			for i, v := range x {
				dst[i] = portable(v)
			}
			return
		}
		compute := assembly[features.Best-features.AVX2]
		whole := wholeVectors[T](len(x))
		runVectors(compute, portable, dst[:whole], x[:whole], 0)
		if whole < len(x) {
			runTail(compute, portable, dst[whole:], x[whole:])
		}
	}
}

// vectorizedPast is vectorized, which near is, for large results.
func vectorizedPast[T dtype.Float](assembly *unaryVariants[T], near func(dst, x []T), portable func(T) T) func(dst, x []T) {
	return func(dst, x []T) {
		ahead := 0
		for ahead < len(x) && uintptr(unsafe.Pointer(&dst[ahead]))%cacheLine != 0 {
			ahead++
		}
		if features.Best < features.AVX512 || len(x) < 2*cacheLine || ahead >= cacheLine {
			near(dst, x)
			return
		}
		near(dst[:ahead], x[:ahead])
		runVectors(assembly[features.AVX512-features.AVX2], portable, dst[ahead:], x[ahead:], formStreams)
		storeFence()
	}
}

// elementsOfVector returns how many elements a vector has at a level above features.Portable: what assembly takes a multiple of, and Go
// computes where it stops. Functions of float32 that compute in float64 take half as many at a time.
func elementsOfVector[T dtype.Float]() int {
	var element T
	return 32 << (features.Best - features.AVX2) / int(unsafe.Sizeof(element))
}

// wholeVectors returns how many of count elements the assembly takes in one go.
func wholeVectors[T dtype.Float](count int) int {
	if features.Best >= features.AVX512 {
		return count
	}
	return count &^ (elementsOfVector[T]() - 1)
}

// runVectors computes as many elements as wholeVectors gives.
func runVectors[T dtype.Float](compute assembledUnary[T], portable func(T) T, dst, x []T, form int) {
	lanes := elementsOfVector[T]()
	for i := 0; i < len(x); {
		i += compute(&dst[i], &x[i], len(x)-i, form)
		for end := min(i+lanes, len(x)); i < end; i++ {
			dst[i] = portable(x[i])
		}
	}
}

// tail has room for a vector of AVX2, in memory that the assembly may be given.
type tail [4]uint64

var tails = sync.Pool{New: func() any { return new(tail) }}

// runTail computes fewer elements than a vector has.
func runTail[T dtype.Float](compute assembledUnary[T], portable func(T) T, dst, x []T) {
	t := tails.Get().(*tail)
	defer tails.Put(t)
	buffer := unsafe.Slice((*T)(unsafe.Pointer(t)), elementsOfVector[T]())
	for i := copy(buffer, x); i < len(buffer); i++ {
		buffer[i] = x[0]
	}
	runVectors(compute, portable, buffer, buffer, 0)
	copy(dst, buffer)
}
