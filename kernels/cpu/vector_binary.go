package cpu

import (
	"sync"
	"unsafe"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// vectorizedBinary is vectorized for a function of two operands.
func vectorizedBinary[T dtype.Float](operator string, portable func(x, y T) T) func(dst, x, y []T) {
	find := sync.OnceValue(func() variantsBinary[T] {
		if found, ok := any(assemblyBinary32[operator]).(variantsBinary[T]); ok {
			return found
		}
		return any(assemblyBinary64[operator]).(variantsBinary[T])
	})
	return func(dst, x, y []T) {
		dst, y = dst[:len(x)], y[:len(x)]
		if features.Best == features.Portable {
			for i, v := range x {
				dst[i] = portable(v, y[i])
			}
			return
		}
		compute := find()[features.Best-features.AVX2]
		whole := wholeVectors[T](len(x))
		runVectorsBinary(compute, portable, dst[:whole], x[:whole], y[:whole])
		if whole == len(x) {
			return
		}
		t, u := tails.Get().(*tail), tails.Get().(*tail)
		lanes := elementsOfVector[T]()
		lastX, lastY := slice[T](unsafe.Pointer(t), lanes), slice[T](unsafe.Pointer(u), lanes)
		for i := range lanes {
			from := min(whole+i, len(x)-1)
			lastX[i], lastY[i] = x[from], y[from]
		}
		runVectorsBinary(compute, portable, lastX, lastX, lastY)
		copy(dst[whole:], lastX)
		tails.Put(t)
		tails.Put(u)
	}
}

// runVectorsBinary computes as many elements as wholeVectors gives.
func runVectorsBinary[T dtype.Float](compute assembledBinary[T], portable func(x, y T) T, dst, x, y []T) {
	lanes := elementsOfVector[T]()
	for i := 0; i < len(x); {
		i += compute(&dst[i], &x[i], &y[i], len(x)-i, 0)
		for end := min(i+lanes, len(x)); i < end; i++ {
			dst[i] = portable(x[i], y[i])
		}
	}
}
