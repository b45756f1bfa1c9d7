package cpu

import "github.com/weft-nd/weft/dtype"

// conj changes the sign of the imaginary part.
func conj[T dtype.Float](dst, x [][2]T) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = [2]T{v[0], -v[1]}
	}
}

// turn multiplies by the imaginary unit.
func turn[T dtype.Float](dst, x [][2]T) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = [2]T{-v[1], v[0]}
	}
}

// product2 is a product by its formula, like NumPy's: one of infinities may have parts that are NaN.
func product2[T dtype.Float](a, b [2]T) [2]T {
	return [2]T{T(a[0]*b[0]) - T(a[1]*b[1]), T(a[0]*b[1]) + T(a[1]*b[0])}
}

func mulComplex[T dtype.Float](dst, x, y [][2]T) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] = product2(v, y[i])
	}
}

func squareComplex[T dtype.Float](dst, x [][2]T) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = product2(v, v)
	}
}

func equalComplex[T dtype.Float](dst []bool, x, y [][2]T) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] = v == y[i]
	}
}

func notEqualComplex[T dtype.Float](dst []bool, x, y [][2]T) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] = v != y[i]
	}
}

func isNaNComplex[T dtype.Float](dst []bool, x [][2]T) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = v != v
	}
}

func isInfiniteComplex[T dtype.Float](dst []bool, x [][2]T) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = v[0] == v[0] && v[0]-v[0] != 0 || v[1] == v[1] && v[1]-v[1] != 0
	}
}

func isFiniteComplex[T dtype.Float](dst []bool, x [][2]T) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = v[0]-v[0] == 0 && v[1]-v[1] == 0
	}
}
