package linalg

import (
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// Cholesky returns the lower triangular matrices L, with zeros above the diagonal, whose products L·Lᴴ are the
// symmetric or Hermitian positive definite matrices of a, (...,n,n). The diagonal of L is real and positive. What is
// above the diagonal of a is not read, and neither are imaginary parts on it. A matrix that is not positive definite,
// or has NaN in what is read, is an error of the result. The gradient is that of the elements that are read (Murray,
// "Differentiation of the Cholesky decomposition", 2016).
func Cholesky(a *nd.Array) *nd.Array { return call("Cholesky", ops.Cholesky, nil, a)[0] }

// QR returns the reduced factors of the matrices of a, (...,m,n): q of shape (...,m,k), whose columns are orthonormal,
// and the upper triangular r of shape (...,k,n), where k is the smaller of m and n, and q·r is a. The diagonal of r is
// real and not negative, which determines both if the first k columns of a are independent; LAPACK, and so NumPy and
// PyTorch, leave the signs open. Matrices with elements that are not finite have factors of NaN. A gradient at columns that are
// not independent is an error.
func QR(a *nd.Array) (q, r *nd.Array) {
	results := call("QR", ops.QR, nil, a)
	return results[0], results[1]
}

// SVD returns the reduced singular value decompositions u·diag(s)·vt of the matrices of a, (...,m,n): u of shape
// (...,m,k) with orthonormal columns, the singular values s of shape (...,k), the largest first, and vt of shape
// (...,k,n) with orthonormal rows, where k is the smaller of m and n. Of each row of vt the first element whose
// magnitude is the largest but for rounding is real and positive. This determines vectors of singular values that
// differ from all others; LAPACK, and so NumPy and PyTorch, leave the sign or phase open. Of equal ones only the space
// is determined. Of complex matrices s is real, and vt is what NumPy calls vh.
//
// Matrices with elements that are not finite are errors of the results. The gradient of the vectors (Townsend,
// "Differentiating the singular value decomposition", 2016) is not finite where singular values are equal, or are zero
// and the matrix is not square, or complex. It is that of the vectors that are returned; PyTorch's, which is an error
// unless phases have no influence, is the same where they have none.
func SVD(a *nd.Array) (u, s, vt *nd.Array) {
	results := call("SVD", ops.SVD, nil, a)
	return results[0], results[1], results[2]
}

// SingularValues returns the singular values of the matrices of a, (...,m,n), the largest first: an array of shape
// (...,k), where k is the smaller of m and n. It takes a part of the time of SVD, and has gradients wherever the values
// differ, and one of several where not. Matrices with elements that are not finite are errors of the result.
func SingularValues(a *nd.Array) *nd.Array {
	return call("SingularValues", ops.SingularValues, nil, a)[0]
}
