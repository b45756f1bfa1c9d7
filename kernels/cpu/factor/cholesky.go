package factor

import (
	"math"

	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

const (
	leastCholesky = 16 // size up to which a matrix is not halved
	leastSquare   = 96 // and up to which the lower triangle of a product is computed as a square
)

// Cholesky replaces the lower triangle of the symmetric or Hermitian matrix a, which is size×size and read below and on
// its diagonal alone, of that the real parts, by L with L·Lᴴ = a, whose diagonal is real. What is above the diagonal is
// not determined afterwards. It returns the number of the first row whose pivot is not above zero, where it ends, or -1.
func Cholesky[E Element](t *parallel.Thread, size int, a []E, stride int) (failed int) {
	if isSingle[E]() {
		return cholesky(t, size, viewOf[float32](a, stride, 1))
	}
	return cholesky(t, size, viewOf[float64](a, stride, 1))
}

func cholesky[T gemm.Float](t *parallel.Thread, size int, a view[T]) (failed int) {
	if size == 0 {
		return -1
	}
	s := takeSolver[T](t)
	failed = s.cholesky(a, 0, size)
	s.release()
	return failed
}

func (s *solver[T]) cholesky(a view[T], first, size int) (failed int) {
	if size <= leastCholesky {
		if a.isComplex {
			return choleskyLeastComplex(a, first, size)
		}
		return choleskyLeast(a, first, size)
	}
	n := half(size, leastCholesky)
	if failed = s.cholesky(a, first, n); failed >= 0 {
		return failed
	}
	second, rest := first+n, size-n
	below := a.from(second, first)
	s.set(Triangle{}, a.from(first, first).conjugated())
	s.solve(below.transposed(), 0, n, rest)
	takeOffSquare(s.thread, below, rest, n, a.from(second, second))
	return s.cholesky(a, second, rest)
}

// takeOffSquare computes the lower triangle of c −= a·aᴴ, and some elements above it.
func takeOffSquare[T gemm.Float](t *parallel.Thread, a view[T], size, terms int, c view[T]) {
	if size <= leastSquare {
		takeOff(t, size, size, terms, a, a.adjoint(), c)
		return
	}
	n := half(size, leastCholesky)
	takeOffSquare(t, a, n, terms, c)
	takeOff(t, size-n, n, terms, a.from(n, 0), a.adjoint(), c.from(n, 0))
	takeOffSquare(t, a.from(n, 0), size-n, terms, c.from(n, n))
}

func choleskyLeast[T gemm.Float](a view[T], first, size int) (failed int) {
	a = a.from(first, first)
	for i := range size {
		row := a.elements[i*a.row:][:i+1]
		for j := range i {
			other := a.elements[j*a.row:][:j+1]
			v := row[j]
			for k, w := range other[:j] {
				v -= T(row[k] * w)
			}
			row[j] = v / other[j]
		}
		v := row[i]
		for _, w := range row[:i] {
			v -= T(w * w)
		}
		if !(v > 0) {
			return first + i
		}
		row[i] = T(math.Sqrt(float64(v)))
	}
	return -1
}

func choleskyLeastComplex[T gemm.Float](a view[T], first, size int) (failed int) {
	a = a.from(first, first)
	for i := range size {
		row := a.elements[i*a.row:][:2*(i+1)]
		for j := range i {
			other := a.elements[j*a.row:][:2*(j+1)]
			re, im := row[2*j], row[2*j+1]
			for k := 0; k < 2*j; k += 2 {
				x, y, u, v := row[k], row[k+1], other[k], other[k+1]
				re -= T(x*u) + T(y*v)
				im -= T(y*u) - T(x*v)
			}
			row[2*j], row[2*j+1] = re/other[2*j], im/other[2*j]
		}
		v := row[2*i]
		for _, w := range row[:2*i] {
			v -= T(w * w)
		}
		if !(v > 0) {
			return first + i
		}
		row[2*i], row[2*i+1] = T(math.Sqrt(float64(v))), 0
	}
	return -1
}
