package linalg

import (
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// Determinant returns the determinants of the matrices of a, (...,n,n): an array of the shape of the batch. They are
// the products of the pivots of LU, which overflow only where the determinant does; that of no rows is 1. The gradient
// is made of the inverse, and of a singular matrix it is an error.
func Determinant(a *nd.Array) *nd.Array { return call("Determinant", ops.Determinant, nil, a)[0] }

// SignLogDeterminant returns the signs of the determinants of the matrices of a, (...,n,n), and the logarithms of their
// magnitudes: two arrays of the shape of the batch. The sign of a complex determinant is a complex number of magnitude
// 1, and the logarithm is real. Those of a singular matrix are 0 and -Inf. The gradient is made of the inverse, and of a
// singular matrix it is an error; a real sign has none.
func SignLogDeterminant(a *nd.Array) (sign, logarithm *nd.Array) {
	results := call("SignLogDeterminant", ops.SignLogDeterminant, nil, a)
	return results[0], results[1]
}
