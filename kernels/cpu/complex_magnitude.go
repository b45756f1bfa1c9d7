package cpu

import (
	"math"
	"unsafe"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/calculus"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// magnitudeOf is hypot of the parts.
func magnitudeOf[T dtype.Float](z [2]T) T {
	if dtype.Of[T]() == dtype.Float32 {
		return T(calculus.HypotFloat32(float32(z[0]), float32(z[1])))
	}
	return T(calculus.HypotFloat64(float64(z[0]), float64(z[1])))
}

func magnitudes[T dtype.Float](dst []T, x [][2]T) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = magnitudeOf(v)
	}
}

var magnitudesAlong = loopNamed("abs/complex128")

// loadMagnitudes128 is the load of the magnitudes of complex128 numbers, and loadMagnitudes64 that of complex64 ones in float64.
func loadMagnitudes128(dst []float64, src unsafe.Pointer) {
	if len(dst) > 0 {
		magnitudesAlong().runner().run(len(dst), pointers{unsafe.Pointer(&dst[0]), src}, 0)
	}
}

func loadMagnitudes64(dst []float64, src unsafe.Pointer) {
	lines := partLinesPool.Get().(*partLines)
	defer partLinesPool.Put(lines)
	wide := unsafe.Pointer(&lines.pairs)
	for first := 0; first < len(dst); first += lineOfParts {
		part := dst[first:min(first+lineOfParts, len(dst))]
		widenedParts().runner().run(2*len(part), pointers{wide, unsafe.Add(src, 8*first)}, 0)
		loadMagnitudes128(part, wide)
	}
}

// angle of a real number is 0, or π if its sign is set.
func angle[T dtype.Float](dst, x []T) {
	dst = dst[:len(x)]
	for i, v := range x {
		if dst[i] = 0; v != v {
			dst[i] = v
		} else if math.Signbit(float64(v)) {
			dst[i] = T(math.Pi)
		}
	}
}

// arguments is the loop of the argument, from −π to π.
func arguments[T dtype.Float](dst []T, x [][2]T) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = T(calculus.Atan2Float64(float64(v[1]), float64(v[0])))
	}
}

// complexSigns computes count signs of complex numbers, a positive multiple of those that it takes at a time, from x to dst, which may
// be x. It stops before the first vector with one that needs scaling or is not finite, and returns the number before it.
type complexSigns[T dtype.Float] func(dst, x *[2]T, count int) (done int)

// signVector is a multiple of the elements that the assembly takes at a time.
const signVector = 8

// The assembly for AVX2 and AVX-512, nil where there is none; nothing changes once the package is initialised.
var (
	complexSigns64  [2]complexSigns[float32]
	complexSigns128 [2]complexSigns[float64]
)

// signs is the loop of the sign.
func signs[T dtype.Float](dst, x [][2]T) {
	dst = dst[:len(x)]
	i := 0
	if features.Best != features.Portable {
		compute, ok := any(complexSigns64[features.Best-features.AVX2]).(complexSigns[T])
		if !ok {
			compute, _ = any(complexSigns128[features.Best-features.AVX2]).(complexSigns[T])
		}
		for whole := len(x) &^ (signVector - 1); i < whole; {
			i += compute(&dst[i], &x[i], min(whole-i, longestLoop))
			for end := min(i+signVector, whole); i < end; i++ {
				dst[i] = signOf(x[i])
			}
		}
	}
	for ; i < len(x); i++ {
		dst[i] = signOf(x[i])
	}
}

func signOf[T dtype.Float](z [2]T) [2]T {
	re, im := signComplex(float64(z[0]), float64(z[1]))
	return [2]T{T(re), T(im)}
}

// signComplex divides by the magnitude; what is infinite counts as 1 beside what is not, as in NumPy.
func signComplex(x, y float64) (re, im float64) {
	switch {
	case math.IsInf(x, 0) && math.IsInf(y, 0):
		return noNumber, noNumber
	case math.IsInf(x, 0) || math.IsInf(y, 0):
		return infinite(x), infinite(y)
	case x == 0 && y == 0:
		return 0, 0
	case x != x || y != y:
		return noNumber, noNumber
	}
	if moderate(max(math.Abs(x), math.Abs(y))) {
		h := calculus.HypotFloat64(x, y)
		return x / h, y / h
	}
	_, exponent := math.Frexp(max(math.Abs(x), math.Abs(y)))
	x, y = math.Ldexp(x, -exponent), math.Ldexp(y, -exponent)
	h := calculus.HypotFloat64(x, y)
	return x / h, y / h
}
