package cpu

import (
	"sync"
	"unsafe"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// assembled computes a function of count elements, a positive multiple of the vector length, from x to dst, which may be the
// same. It stops before the first vector with an element that it has no instructions for, and returns the number of
// elements before it.
type assembled[T dtype.Float] func(dst, x *T, count int) (done int)

// assembledBinary is assembled for a function of two operands.
type assembledBinary[T dtype.Float] func(dst, x, y *T, count int) (done int)

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

// vectorLength is a multiple of the elements that any assembly takes at a time.
const vectorLength = 16

// vectorized returns the function that computes element by element what portable does, by assembly with the name of operator
// where there is some. All forms give the same bits, but for those of NaN.
func vectorized[T dtype.Float](operator string, portable func(T) T) func(dst, x []T) {
	find := sync.OnceValue(func() variants[T] {
		if found, ok := any(assembly32[operator]).(variants[T]); ok {
			return found
		}
		return any(assembly64[operator]).(variants[T])
	})
	return func(dst, x []T) {
		dst = dst[:len(x)]
		if features.Best == features.Portable {
			for i, v := range x {
				dst[i] = portable(v)
			}
			return
		}
		compute := find()[features.Best-features.AVX2]
		whole := len(x) &^ (vectorLength - 1)
		runVectors(compute, portable, dst[:whole], x[:whole])
		if whole < len(x) {
			runTail(compute, portable, dst[whole:], x[whole:])
		}
	}
}

// runVectors computes a multiple of vectorLength elements.
func runVectors[T dtype.Float](compute assembled[T], portable func(T) T, dst, x []T) {
	for i := 0; i < len(x); {
		i += compute(&dst[i], &x[i], len(x)-i)
		for end := min(i+vectorLength, len(x)); i < end; i++ {
			dst[i] = portable(x[i])
		}
	}
}

// tail has room for the last elements, in memory that the assembly may be given.
type tail [vectorLength]uint64

var tails = sync.Pool{New: func() any { return new(tail) }}

// runTail computes fewer than vectorLength elements.
func runTail[T dtype.Float](compute assembled[T], portable func(T) T, dst, x []T) {
	t := tails.Get().(*tail)
	defer tails.Put(t)
	buffer := slice[T](unsafe.Pointer(t), vectorLength)
	for i := copy(buffer, x); i < vectorLength; i++ {
		buffer[i] = x[0]
	}
	runVectors(compute, portable, buffer, buffer)
	copy(dst, buffer)
}
