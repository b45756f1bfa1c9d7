package bidiagonal

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack/gonum"

	"github.com/weft-nd/weft/kernels/cpu/conquer"
	"github.com/weft-nd/weft/parallel"
)

// leastHalf is the size up to which a matrix is not divided.
const leastHalf = 32

// SVD replaces the diagonal by the singular values, in any order, and writes the left and the right vectors, of length one, to as many
// rows of left and right, which are zeros at first. Elements above the diagonal, of which there is one less, are overwritten. It returns
// false if an iteration does not converge.
func SVD(t *parallel.Thread, diagonal, above []float64, left, right conquer.Rows) (ok bool) {
	n := len(diagonal)
	s := &svd{thread: t, values: diagonal, above: above, left: left, right: right, order: make([]int, n)}
	if n > leastHalf {
		s.temporary, s.distances, s.factors = make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
	}
	return s.solve(0, n, 0)
}

// svd is SVD at work. A part is of some rows, and of the columns of the same numbers and, if there are more than rows, the next one. The
// right vector of that number is what the part takes to zero.
type svd struct {
	thread      *parallel.Thread
	values      []float64
	above       []float64
	left, right conquer.Rows
	order       []int     // the rows of a part in the order of their values
	temporary   []float64 // as many numbers as left has
	distances   []float64 // temporary, as many
	factors     []float64 // temporary, as many
}

// solve solves for the rows from lo to before hi, and more columns.
func (s *svd) solve(lo, hi, more int) (ok bool) {
	if hi-lo <= leastHalf {
		return s.solveLeast(lo, hi, more)
	}
	middle := (lo + hi) / 2
	onDiagonal, beside := s.values[middle], s.above[middle]
	if !s.solve(lo, middle, 1) || !s.solve(middle+1, hi, more) {
		return false
	}
	s.merge(lo, middle, hi, more, onDiagonal, beside)
	return true
}

func (s *svd) solveLeast(lo, hi, more int) (ok bool) {
	n, triangle := hi-lo, blas.Upper
	for i := lo; i < hi+more; i++ {
		s.right.Row(i, lo, hi+more)[i-lo] = 1
		if i < hi {
			s.left.Row(i, lo, hi)[i-lo] = 1
			s.order[i] = i
		}
	}
	if more > 0 {
		s.turnBelow(lo, hi)
		triangle = blas.Lower
	}
	above := s.above[lo : hi-1 : hi-1]
	return gonum.Implementation{}.Dbdsqr(triangle, n, n+more, 0, n, s.values[lo:hi], above,
		s.right.Numbers[lo*s.right.Stride+lo:], s.right.Stride, nil, 1, s.left.Numbers[lo*s.left.Stride+lo:], s.left.Stride, make([]float64, 4*n))
}

// turnBelow turns columns so that what was above the diagonal is below it, and the last column is zero.
func (s *svd) turnBelow(lo, hi int) {
	for i := lo; i < hi; i++ {
		size := math.Hypot(s.values[i], s.above[i])
		if size == 0 {
			continue
		}
		cosine, sine := s.values[i]/size, s.above[i]/size
		s.values[i], s.above[i] = size, 0
		if i+1 < hi {
			s.above[i] = sine * s.values[i+1]
			s.values[i+1] *= cosine
		}
		s.right.Turn(i, i+1, lo, hi+1, cosine, sine)
	}
}
