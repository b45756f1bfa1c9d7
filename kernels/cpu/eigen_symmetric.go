package cpu

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
)

const eigenProblem = "has eigenvalues that were not found: the iteration does not converge"

// eigenSymmetric computes Outputs[0] and Outputs[1], the eigenvalues of the symmetric matrices of Inputs[0], of which it reads the lower
// triangles, in ascending order, and the eigenvectors as columns. Of each the leading element is positive.
func eigenSymmetric(d *decomposed) (problem string) {
	values, vectors := d.results[0], d.results[1]
	if !d.symmetricValues(lapack.EVCompute, values) {
		return eigenProblem
	}
	copy(vectors, d.a)
	for j, n := 0, d.rows; j < n; j++ {
		if d.leadingIsNegative(vectors[j:], n, n) {
			negate(vectors[j:], n, n)
		}
	}
	return ""
}

// eigenvaluesSymmetric is eigenSymmetric without vectors.
func eigenvaluesSymmetric(d *decomposed) (problem string) {
	if !d.symmetricValues(lapack.EVNone, d.results[0]) {
		return eigenProblem
	}
	return ""
}

func (d *decomposed) symmetricValues(job lapack.EVJob, values []float64) (ok bool) {
	working(func(work []float64, length int) {
		ok = lapackGonum.Dsyev(job, blas.Lower, d.rows, d.a, d.rows, values, work, length)
	})
	return ok
}

var (
	_ = register("eigen_symmetric", decompositionOf[float32](9, true, eigenSymmetric), decompositionOf[float64](9, true, eigenSymmetric))
	_ = register("eigenvalues_symmetric", decompositionOf[float32](3, true, eigenvaluesSymmetric), decompositionOf[float64](3, true, eigenvaluesSymmetric))
)
