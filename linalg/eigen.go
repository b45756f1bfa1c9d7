package linalg

import (
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// EigenSymmetric returns the eigenvalues of the symmetric or Hermitian matrices of a, (...,n,n), in ascending order, real
// numbers of shape (...,n), and the orthonormal eigenvectors as columns of matrices (...,n,n). What is above the diagonal
// of a is not read, and neither are imaginary parts on it. Of each vector the first element whose magnitude is the
// largest but for rounding is real and positive. This determines vectors of values that differ from all others; LAPACK,
// and so NumPy and PyTorch, leave the sign or phase open. Of equal values only the space is determined.
//
// Matrices with elements that are not finite are errors of the results. The gradient of the vectors (Giles, "Collected matrix derivative
// results for forward and reverse mode algorithmic differentiation", 2008) is not finite where eigenvalues are equal.
func EigenSymmetric(a *nd.Array) (values, vectors *nd.Array) {
	results := call("EigenSymmetric", ops.EigenSymmetric, nil, a)
	return results[0], results[1]
}

// EigenvaluesSymmetric returns the values of EigenSymmetric, in a part of its time. Its gradient exists where values
// are equal, too, as one of several.
func EigenvaluesSymmetric(a *nd.Array) *nd.Array {
	return call("EigenvaluesSymmetric", ops.EigenvaluesSymmetric, nil, a)[0]
}

// Eigen returns the eigenvalues of the square matrices of a, (...,n,n), an array of shape (...,n), and the eigenvectors
// as columns of matrices (...,n,n): complex64 for float32 and complex64, and complex128 for others, also where all are
// real. The values have the order of their real parts, and equal ones that of their imaginary parts. Vectors have length
// one, and of each the first element whose magnitude is the largest but for rounding is real and positive. Those of a
// matrix that has less than n independent ones are nearly the same.
//
// Matrices with elements that are not finite are errors of the results. Gradients are finite where the values differ from each other.
func Eigen(a *nd.Array) (values, vectors *nd.Array) {
	results := call("Eigen", ops.Eigen, nil, a)
	return results[0], results[1]
}

// Eigenvalues returns the values of Eigen, in a part of its time.
func Eigenvalues(a *nd.Array) *nd.Array { return call("Eigenvalues", ops.Eigenvalues, nil, a)[0] }
