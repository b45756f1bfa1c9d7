package cpu

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// assembled computes a function of count elements from x to dst, which may be the same. It stops before the first vector with an element
// that it has no instructions for, and returns the number of elements before it. That for AVX2 takes a positive number
// of whole vectors. With form formStreams, dst is aligned to 64 bytes and overlaps nothing, and what is computed in blocks goes past the caches.
type assembled[T dtype.Float] func(dst, x *T, count, form int) (done int)

// assembledBinary is assembled for a function of two operands.
type assembledBinary[T dtype.Float] func(dst, x, y *T, count, form int) (done int)

// variants are the forms of a function for AVX2 and AVX-512.
type (
	variants[T dtype.Float]       [2]assembled[T]
	variantsBinary[T dtype.Float] [2]assembledBinary[T]
)

// The assembly by the names of operators; nothing changes once the package is initialised.
var (
	assembly32 = map[string]variants[float32]{}
	assembly64 = map[string]variants[float64]{}

	assemblyBinary32 = map[string]variantsBinary[float32]{}
	assemblyBinary64 = map[string]variantsBinary[float64]{}
)

// elementsOfVector returns how many elements a vector has at a level above features.Portable: what assembly takes a multiple of, and Go computes where it
// stops. Functions of float32 that compute in float64 take half as many at a time.
func elementsOfVector[T dtype.Float]() int {
	var element T
	return 32 << (features.Best - features.AVX2) / int(unsafe.Sizeof(element))
}

// vectorized returns the function that computes element by element what portable does, by assembly with the name of operator
// where there is some. All forms give the same bits, but for those of NaN.
func vectorized[T dtype.Float](operator string, portable func(T) T) func(dst, x []T) {
	find := assemblyOf[T](operator)
	return func(dst, x []T) {
		dst = dst[:len(x)]
		if features.Best == features.Portable {
			for i, v := range x {
				dst[i] = portable(v)
			}
			return
		}
		compute := find()[features.Best-features.AVX2]
		whole := wholeVectors[T](len(x))
		runVectors(compute, portable, dst[:whole], x[:whole], 0)
		if whole < len(x) {
			runTail(compute, portable, dst[whole:], x[whole:])
		}
	}
}

// vectorizedPast is vectorized for large results, which overlap nothing and go past the caches if there is AVX-512.
func vectorizedPast[T dtype.Float](operator string, portable func(T) T) func(dst, x []T) {
	find, near := assemblyOf[T](operator), vectorized(operator, portable)
	return func(dst, x []T) {
		ahead := 0
		for ahead < len(x) && uintptr(unsafe.Pointer(&dst[ahead]))%line != 0 {
			ahead++
		}
		if features.Best < features.AVX512 || len(x) < 2*line || ahead >= line {
			near(dst, x)
			return
		}
		near(dst[:ahead], x[:ahead])
		runVectors(find()[features.AVX512-features.AVX2], portable, dst[ahead:], x[ahead:], formStreams)
		storeFence()
	}
}

func assemblyOf[T dtype.Float](operator string) func() variants[T] {
	var known atomic.Pointer[variants[T]]
	return func() variants[T] {
		if v := known.Load(); v != nil {
			return *v
		}
		found, ok := any(assembly32[operator]).(variants[T])
		if !ok {
			found = any(assembly64[operator]).(variants[T])
		}
		known.Store(&found)
		return found
	}
}

// wholeVectors returns how many of count elements the assembly takes in one go.
func wholeVectors[T dtype.Float](count int) int {
	if features.Best >= features.AVX512 {
		return count
	}
	return count &^ (elementsOfVector[T]() - 1)
}

// runVectors computes as many elements as wholeVectors gives.
func runVectors[T dtype.Float](compute assembled[T], portable func(T) T, dst, x []T, form int) {
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
func runTail[T dtype.Float](compute assembled[T], portable func(T) T, dst, x []T) {
	t := tails.Get().(*tail)
	defer tails.Put(t)
	buffer := slice[T](unsafe.Pointer(t), elementsOfVector[T]())
	for i := copy(buffer, x); i < len(buffer); i++ {
		buffer[i] = x[0]
	}
	runVectors(compute, portable, buffer, buffer, 0)
	copy(dst, buffer)
}
