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
	eachPartLine(x, func(first int, part [][2]T, re, im []float64, _ *partLines) {
		calculus.Atan2.Float64(im, im, re)
		to := dst[first:][:len(part)]
		if dtype.Of[T]() == dtype.Float32 {
			narrowedParts().runner().run(len(to), pointers{unsafe.Pointer(&to[0]), unsafe.Pointer(&im[0])}, 0)
			return
		}
		copy(slice[float64](unsafe.Pointer(&to[0]), len(to)), im)
	})
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
