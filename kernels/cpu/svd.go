package cpu

import (
	"gonum.org/v1/gonum/lapack"
)

const svdProblem = "has singular values that were not found: the iteration does not converge"

// svd computes Outputs, the reduced factors U, S and Vᴴ of the matrices of Inputs[0], the largest singular value first.
// Of each row of Vᴴ the leading element is positive.
func svd(d *decomposed) (problem string) {
	u, s, v := d.results[0], d.results[1], d.results[2]
	if !d.singularVectors(u, s, v) {
		return svdProblem
	}
	if d.isComplex {
		d.turnPairs(u, v)
		return ""
	}
	for i, k, n := 0, d.small(), d.columns; i < k; i++ {
		if row := v[i*n : (i+1)*n]; d.leadingIsNegative(row, n, 1) {
			negate(row, n, 1)
			negate(u[i:], d.rows, k)
		}
	}
	return ""
}

func (d *decomposed) singularVectors(u, s, v []float64) (ok bool) {
	if d.isComplex {
		return d.complexVectors(u, s, v)
	}
	k, n := d.small(), d.columns
	working(func(work []float64, length int) {
		ok = lapackGonum.Dgesvd(lapack.SVDStore, lapack.SVDStore, d.rows, n, d.a, n, s, u, k, v, n, work, length)
	})
	return ok
}

// singularValues computes Outputs[0], the singular values of the matrices of Inputs[0], the largest first.
func singularValues(d *decomposed) (problem string) {
	ok := false
	if d.isComplex {
		ok = d.complexVectors(nil, d.results[0], nil)
	} else {
		ok = d.realValues()
	}
	if !ok {
		return svdProblem
	}
	return ""
}

func (d *decomposed) realValues() (ok bool) {
	working(func(work []float64, length int) {
		ok = lapackGonum.Dgesvd(lapack.SVDNone, lapack.SVDNone, d.rows, d.columns, d.a, d.columns, d.results[0], nil, 1, nil, 1, work, length)
	})
	return ok
}

var (
	_ = register("svd", decomposition[float32](20, svd), decomposition[float64](20, svd), decomposition[complex64](80, svd), decomposition[complex128](80, svd))
	_ = register("singular_values",
		decomposition[float32](8, singularValues), decomposition[float64](8, singularValues),
		decomposition[complex64](25, singularValues), decomposition[complex128](25, singularValues))
)
