package cpu

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"

	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

const eigenProblem = "has eigenvalues that were not found: the iteration does not converge"

// eigenSymmetric computes Outputs[0] and Outputs[1], the eigenvalues of the symmetric matrices of Inputs[0], of which it reads the lower
// triangles, in ascending order, and the eigenvectors as columns. Of each the leading element is positive.
func eigenSymmetric(d *decomposed) (problem string) {
	n, values, vectors := d.rows, d.results[0], d.results[1]
	exponent := d.scaleDown()
	beside, reflectors := d.tridiagonal(values)
	working(func(work []float64, length int) {
		lapackGonum.Dorgtr(blas.Lower, n, d.a, n, reflectors, work, length)
	})
	if !diagonalise(values, beside, d.a) {
		return eigenProblem
	}
	scaleUp(values, exponent)
	copy(vectors, d.a)
	for j := range n {
		if d.leadingIsNegative(vectors[j:], n, n) {
			negate(vectors[j:], n, n)
		}
	}
	return ""
}

// eigenvaluesSymmetric is eigenSymmetric without vectors.
func eigenvaluesSymmetric(d *decomposed) (problem string) {
	values := d.results[0]
	exponent := d.scaleDown()
	beside, _ := d.tridiagonal(values)
	if !diagonalise(values, beside, nil) {
		return eigenProblem
	}
	scaleUp(values, exponent)
	return ""
}

// tridiagonal makes of the matrix a tridiagonal one with the same eigenvalues, whose diagonal it writes, and returns
// what is beside that, and the reflectors that lead from one matrix to the other.
func (d *decomposed) tridiagonal(diagonal []float64) (beside, reflectors []float64) {
	beside, reflectors = make([]float64, d.rows), make([]float64, d.rows)
	working(func(work []float64, length int) {
		lapackGonum.Dsytrd(blas.Lower, d.rows, d.a, d.rows, diagonal, beside, reflectors, work, length)
	})
	return beside, reflectors
}

// scaleDown divides a matrix whose squares might be beyond float64 by two to the power of what it returns.
func (d *decomposed) scaleDown() (exponent int) {
	if exponent = exponentOf(d.a); exponent > -400 && exponent < 400 {
		return 0
	}
	scaleUp(d.a, -exponent)
	return exponent
}

// exponentOf returns the power of two above all elements, 0 if these are zeros.
func exponentOf(parts ...[]float64) int {
	largest := 0.0
	for _, part := range parts {
		for _, v := range part {
			largest = max(largest, math.Abs(v))
		}
	}
	_, exponent := math.Frexp(largest)
	return exponent
}

func scaleUp(x []float64, exponent int) {
	if exponent != 0 {
		for i, v := range x {
			x[i] = math.Ldexp(v, exponent)
		}
	}
}

// diagonalise replaces the diagonal of a tridiagonal matrix by its eigenvalues in ascending order, and the columns of a
// matrix of as many, unless it is nil, by their products with the eigenvectors. It is Dsteqr, but for blocks below
// 1e-120 beside others: gonum's scales them, and then all behind them, too.
func diagonalise(diagonal, beside, columns []float64) (ok bool) {
	n := len(diagonal)
	starts := blocksOf(diagonal, beside)
	isSmall := false
	for i, start := range starts[:len(starts)-1] {
		end := starts[i+1]
		isSmall = isSmall || end-start > 1 && exponentOf(diagonal[start:end], beside[start:end-1]) < -400
	}
	switch {
	case !isSmall && columns == nil:
		return lapackGonum.Dsteqr(lapack.EVCompNone, n, diagonal, beside, nil, 1, nil)
	case !isSmall:
		return lapackGonum.Dsteqr(lapack.EVOrig, n, diagonal, beside, columns, n, make([]float64, 2*n))
	}
	for i, start := range starts[:len(starts)-1] {
		if !diagonaliseBlock(diagonal, beside, columns, start, starts[i+1]) {
			return false
		}
	}
	sortColumns(diagonal, columns)
	return true
}

// blocksOf returns where the blocks of a tridiagonal matrix begin that nothing beside the diagonal ties together, and its size.
func blocksOf(diagonal, beside []float64) (starts []int) {
	starts = []int{0}
	for i := range len(diagonal) - 1 {
		if math.Abs(beside[i]) <= float64(math.Sqrt(math.Abs(diagonal[i]))*math.Sqrt(math.Abs(diagonal[i+1])))*(1.0/(1<<53)) {
			starts = append(starts, i+1)
		}
	}
	return append(starts, len(diagonal))
}

// diagonaliseBlock is diagonalise for one block, without the order.
func diagonaliseBlock(diagonal, beside, columns []float64, start, end int) (ok bool) {
	n, size := len(diagonal), end-start
	diagonal, beside = diagonal[start:end], beside[start:end-1]
	exponent := exponentOf(diagonal, beside)
	scaleUp(diagonal, -exponent)
	scaleUp(beside, -exponent)
	if columns == nil {
		ok = lapackGonum.Dsteqr(lapack.EVCompNone, size, diagonal, beside, nil, 1, nil)
	} else {
		vectors, product := make([]float64, size*size), make([]float64, n*size)
		ok = lapackGonum.Dsteqr(lapack.EVTridiag, size, diagonal, beside, vectors, size, make([]float64, 2*size))
		multiplyAlone(n, size, size, matrixFrom(columns, start, n), matrixFrom(vectors, 0, size), matrixFrom(product, 0, size))
		for i := range n {
			copy(columns[i*n+start:], product[i*size:(i+1)*size])
		}
	}
	scaleUp(diagonal, exponent)
	return ok
}

// multiplyAlone computes c = a·b in the calling goroutine.
func multiplyAlone(rows, columns, terms int, a, b, c gemm.Matrix) {
	gemm.Product[float64]{M: rows, N: columns, K: terms, Alpha: 1, A: a, B: b, C: c}.Run(parallel.Serial(), nil)
}

// sortColumns puts values in ascending order, and the columns of a matrix, unless it is nil, in that of theirs.
func sortColumns(values, columns []float64) {
	n := len(values)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	sorted := make([]float64, n)
	sort := func(line []float64) {
		for i, from := range order {
			sorted[i] = line[from]
		}
		copy(line, sorted)
	}
	sort(values)
	for start := 0; start < len(columns); start += n {
		sort(columns[start : start+n])
	}
}

var (
	_ = register("eigen_symmetric",
		decompositionOf[float32](9, true, eigenSymmetric), decompositionOf[float64](9, true, eigenSymmetric),
		decompositionOf[complex64](40, true, eigenHermitian), decompositionOf[complex128](40, true, eigenHermitian))
	_ = register("eigenvalues_symmetric",
		decompositionOf[float32](3, true, eigenvaluesSymmetric), decompositionOf[float64](3, true, eigenvaluesSymmetric),
		decompositionOf[complex64](12, true, eigenvaluesHermitian), decompositionOf[complex128](12, true, eigenvaluesHermitian))
)
