package cpu

import (
	"cmp"
	"math"
	"slices"

	"github.com/weft-nd/weft/kernels/cpu/factor"
	"github.com/weft-nd/weft/kernels/cpu/tridiagonal"
	"github.com/weft-nd/weft/parallel"
)

const eigenProblem = "has eigenvalues that were not found: the iteration does not converge"

// eigenSymmetric computes Outputs[0] and Outputs[1], the eigenvalues of the symmetric or Hermitian matrices of Inputs[0], of which it reads
// the lower triangles, in ascending order, and the eigenvectors as columns. Of each the leading element is positive.
func eigenSymmetric(d *decomposed) (problem string) {
	n, parts, values := d.rows, d.parts(), d.results[0]
	exponent := d.scaleDown()
	beside, vectors := make([]float64, n), make([]float64, n*n)
	reflectors := d.tridiagonal(values, beside)
	if !diagonalise(d.thread, values, beside, vectors) {
		return eigenProblem
	}
	if d.isComplex {
		vectors = withImaginaryParts(vectors)
	}
	reflectors.Apply(d.thread, n, n*parts, vectors)
	for place, from := range ascending(values) {
		row := vectors[from*n*parts:][:n*parts]
		d.turnToPositive(row)
		for i := range n {
			copy(d.results[1][(i*n+place)*parts:], row[i*parts:][:parts])
		}
	}
	slices.Sort(values)
	scaleUp(values, exponent)
	return ""
}

// eigenvaluesSymmetric is eigenSymmetric without vectors.
func eigenvaluesSymmetric(d *decomposed) (problem string) {
	values, beside := d.results[0], make([]float64, d.rows)
	exponent := d.scaleDown()
	d.tridiagonal(values, beside)
	if !diagonalise(d.thread, values, beside, nil) {
		return eigenProblem
	}
	slices.Sort(values)
	scaleUp(values, exponent)
	return ""
}

// tridiagonal makes of the matrix a real tridiagonal one with the same eigenvalues, of which it writes the diagonal and
// what is beside it, and returns the reflectors that lead from one matrix to the other.
func (d *decomposed) tridiagonal(diagonal, beside []float64) factor.ReflectorBlocks {
	if d.isComplex { // rows become columns
		for i := 1; i < len(d.a); i += 2 {
			d.a[i] = -d.a[i]
		}
	}
	return factor.Tridiagonal(d.thread, d.rows, d.parts(), d.a, diagonal, beside)
}

// turnToPositive multiplies a vector by a number of length one so that the leading element is positive.
func (d *decomposed) turnToPositive(vector []float64) {
	if d.isComplex {
		d.normalise(complexNumbers(vector))
	} else if d.leadingIsNegative(vector, len(vector), 1) {
		negate(vector, len(vector), 1)
	}
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

// diagonalise replaces the diagonal of a tridiagonal matrix by its eigenvalues, and writes the eigenvectors, unless there is no memory
// for them, as rows. Blocks that nothing ties to others are matrices by themselves, each of its own scale.
func diagonalise(t *parallel.Thread, diagonal, beside, vectors []float64) (ok bool) {
	n := len(diagonal)
	starts := blocksOf(diagonal, beside)
	for i, start := range starts[:len(starts)-1] {
		end := starts[i+1]
		diagonal, beside := diagonal[start:end], beside[start:end-1]
		exponent := exponentOf(diagonal, beside)
		scaleUp(diagonal, -exponent)
		scaleUp(beside, -exponent)
		if vectors == nil {
			ok = lapackGonum.Dsterf(end-start, diagonal, beside)
		} else {
			ok = tridiagonal.Eigen(t, diagonal, beside, vectors[start*n+start:], n)
		}
		if !ok {
			return false
		}
		scaleUp(diagonal, exponent)
	}
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

// ascending returns the numbers of values in ascending order.
func ascending(values []float64) (order []int) {
	order = make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	return order
}

var (
	_ = register("eigen_symmetric",
		decompositionOf[float32](9, true, eigenSymmetric), decompositionOf[float64](9, true, eigenSymmetric),
		decompositionOf[complex64](40, true, eigenSymmetric), decompositionOf[complex128](40, true, eigenSymmetric))
	_ = register("eigenvalues_symmetric",
		decompositionOf[float32](3, true, eigenvaluesSymmetric), decompositionOf[float64](3, true, eigenvaluesSymmetric),
		decompositionOf[complex64](12, true, eigenvaluesSymmetric), decompositionOf[complex128](12, true, eigenvaluesSymmetric))
)
