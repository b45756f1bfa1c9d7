package cpu

import (
	"math"
	"unsafe"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/calculus"
)

// byParts is the loop of a function of the parts of complex numbers, which are copied to where the others are not between them.
func byParts[T dtype.Float](f func(dst, re, im []T)) func(dst []T, x [][2]T) {
	return func(dst []T, x [][2]T) {
		s := singlesPool.Get().(*singles)
		defer singlesPool.Put(s)
		size := dtype.Of[T]().Size()
		most := len(s[0]) * dtype.Float32.Size() / size
		for len(x) > 0 {
			part := min(len(x), most)
			re, im := slice[T](unsafe.Pointer(&s[0]), part), slice[T](unsafe.Pointer(&s[1]), part)
			move(unsafe.Pointer(&re[0]), size, unsafe.Pointer(&x[0][0]), 2*size, part, size)
			move(unsafe.Pointer(&im[0]), size, unsafe.Pointer(&x[0][1]), 2*size, part, size)
			f(dst[:part], re, im)
			dst, x = dst[part:], x[part:]
		}
	}
}

// hypot is sqrt(x² + y²) without overflow, corrected by the error of the root's square (Borges, "Algorithm 1014: An improved
// algorithm for hypot(x,y)", ACM Transactions on Mathematical Software 47(1), 2021). An infinity prevails over NaN.
func hypot(x, y float64) float64 {
	x, y = math.Abs(x), math.Abs(y)
	if x < y {
		x, y = y, x
	}
	switch {
	case math.IsInf(x, 0) || math.IsInf(y, 0):
		return infinity
	case x != x || y != y:
		return noNumber
	case y <= x*0x1p-28:
		return x
	case x > 0x1p510:
		return hypot(x*0x1p-600, y*0x1p-600) * 0x1p600
	case y < 0x1p-450:
		return hypot(x*0x1p600, y*0x1p600) * 0x1p-600
	}
	square := float64(y * y)
	h := math.Sqrt(math.FMA(x, x, square))
	hh, xx := float64(h*h), float64(x*x)
	off := math.FMA(-y, y, hh-xx) + math.FMA(h, h, -hh) - math.FMA(x, x, -xx)
	return h - off/(2*h)
}

// angleComplex is the argument, from −π to π.
func angleComplex[T dtype.Float](dst []T, x [][2]T) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = T(atan2(float64(v[1]), float64(v[0])))
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

// atan2 is the angle of (x, y) with the positive x axis, with the special cases of math.Atan2.
func atan2(y, x float64) float64 {
	const rest = 0x1.1a62633145c07p-53 // of π
	switch {
	case x != x || y != y:
		return noNumber
	case math.IsInf(x, 0) && math.IsInf(y, 0):
		x, y = math.Copysign(1, x), math.Copysign(1, y)
	case y == 0 && math.Signbit(x):
		return math.Copysign(math.Pi, y)
	case y == 0:
		return y
	case x == 0:
		return math.Copysign(math.Pi/2, y)
	}
	if !math.Signbit(x) {
		return calculus.AtanFloat64(y / x)
	}
	return math.Copysign(math.Pi-(calculus.AtanFloat64(math.Abs(y/x))-rest), y)
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
		h := hypot(x, y)
		return x / h, y / h
	}
	_, exponent := math.Frexp(max(math.Abs(x), math.Abs(y)))
	x, y = math.Ldexp(x, -exponent), math.Ldexp(y, -exponent)
	h := hypot(x, y)
	return x / h, y / h
}
