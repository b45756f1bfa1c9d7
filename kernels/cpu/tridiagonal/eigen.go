package tridiagonal

import (
	"math"

	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"

	"github.com/weft-nd/weft/kernels/cpu/conquer"
	"github.com/weft-nd/weft/parallel"
)

// leastHalf is the size up to which a matrix is not divided.
const leastHalf = 32

// Eigen replaces the diagonal by the eigenvalues, in any order, and writes eigenvectors of length one to as many rows of
// vectors, stride numbers apart. Elements beside the diagonal, of which there is one less, are overwritten; the largest
// elements are near one. It returns false if an iteration does not converge.
func Eigen(t *parallel.Thread, diagonal, beside, vectors []float64, stride int) (ok bool) {
	n := len(diagonal)
	e := &eigen{thread: t, values: diagonal, beside: beside, vectors: conquer.Rows{Numbers: vectors, Stride: stride}, order: make([]int, n)}
	if n > leastHalf {
		e.temporary, e.system = make([]float64, n*n), make([]float64, n*n)
	}
	return e.solve(0, n)
}

// eigen is Eigen at work.
type eigen struct {
	thread    *parallel.Thread
	values    []float64
	beside    []float64
	vectors   conquer.Rows
	order     []int     // the rows of a part in the order of their values
	temporary []float64 // as many numbers as vectors has
	system    []float64 // temporary, as many
}

// solve solves for the rows and columns from lo to before hi.
func (e *eigen) solve(lo, hi int) (ok bool) {
	if hi-lo <= leastHalf {
		return e.solveLeast(lo, hi)
	}
	middle := (lo + hi) / 2
	tie := e.beside[middle-1]
	e.values[middle-1] -= math.Abs(tie)
	e.values[middle] -= math.Abs(tie)
	if !e.solve(lo, middle) || !e.solve(middle, hi) {
		return false
	}
	e.merge(lo, middle, hi, tie)
	return true
}

func (e *eigen) solveLeast(lo, hi int) (ok bool) {
	n := hi - lo
	columns := make([]float64, n*n)
	beside := append([]float64(nil), e.beside[lo:hi-1]...)
	ok = gonum.Implementation{}.Dsteqr(lapack.EVTridiag, n, e.values[lo:hi], beside, columns, n, make([]float64, 2*n))
	for i := range n {
		e.order[lo+i] = lo + i
		row := e.vectors.Row(lo+i, lo, hi)
		for j := range row {
			row[j] = columns[j*n+i]
		}
	}
	return ok
}
