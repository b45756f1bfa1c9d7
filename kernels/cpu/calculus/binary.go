package calculus

import (
	"unsafe"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// Binary is a function of two operands.
type Binary struct {
	// Float32 and Float64 set as many elements of dst as x has to the function of those of x and y. Dst may be x or y.
	Float32 func(dst, x, y []float32)
	Float64 func(dst, x, y []float64)

	assembly32 *binaryVariants[float32]
	assembly64 *binaryVariants[float64]
}

// assembledBinary is assembledUnary for a function of two operands.
type assembledBinary[T dtype.Float] func(dst, x, y *T, count, form int) (done int)

// binaryVariants are unaryVariants of a function of two operands.
type binaryVariants[T dtype.Float] [2]assembledBinary[T]

// binary is unary for a function of two operands.
func binary(of32 func(x, y float32) float32, of64 func(x, y float64) float64) Binary {
	f := Binary{assembly32: new(binaryVariants[float32]), assembly64: new(binaryVariants[float64])}
	f.Float32, f.Float64 = vectorizedBinary(f.assembly32, of32), vectorizedBinary(f.assembly64, of64)
	return f
}

// vectorizedBinary is vectorized for a function of two operands.
func vectorizedBinary[T dtype.Float](assembly *binaryVariants[T], portable func(x, y T) T) func(dst, x, y []T) {
	return func(dst, x, y []T) {
		dst, y = dst[:len(x)], y[:len(x)]
		if features.Best == features.Portable {
			for i, v := range x {
				dst[i] = portable(v, y[i])
			}
			return
		}
		compute := assembly[features.Best-features.AVX2]
		whole := wholeVectors[T](len(x))
		runVectorsBinary(compute, portable, dst[:whole], x[:whole], y[:whole])
		if whole == len(x) {
			return
		}
		t, u := tails.Get().(*tail), tails.Get().(*tail)
		lanes := elementsOfVector[T]()
		lastX, lastY := unsafe.Slice((*T)(unsafe.Pointer(t)), lanes), unsafe.Slice((*T)(unsafe.Pointer(u)), lanes)
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
