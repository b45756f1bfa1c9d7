package linalg

import (
	"fmt"
	"math"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// NormKind is a norm of matrices.
type NormKind int

// The norms of a matrix.
const (
	Frobenius  NormKind = iota // root of the sum of the squares of all elements
	Nuclear                    // sum of the singular values
	Spectral                   // largest singular value, numpy's 2
	MaxColumns                 // largest sum of the magnitudes of a column, numpy's 1
	MaxRows                    // largest sum of the magnitudes of a row, numpy's inf
)

// Norm returns a norm of each matrix of a, (...,m,n): an array of the shape of the batch. Integers count as float64. It
// panics with *nd.Error if there is no such kind, and for the kinds that are the largest of something where there is
// nothing. Elements that are not finite are an error of the result for Nuclear and Spectral. For norms of vectors see
// Array.Norm.
func Norm(a *nd.Array, kind NormKind) *nd.Array {
	checkMatrices("Norm", a)
	a = floats(a)
	if count := a.Shape(); kind >= Spectral && count[len(count)-1]*count[len(count)-2] == 0 {
		mistake("Norm", fault.ErrShape, "a matrix without elements has no largest sum or singular value", a)
	}
	switch kind {
	case Frobenius:
		return a.Norm(2, -2, -1)
	case Nuclear:
		return call("Norm", ops.SingularValues, nil, a)[0].Sum(-1)
	case Spectral:
		return call("Norm", ops.SingularValues, nil, a)[0].Index(nd.Rest, 0)
	case MaxColumns:
		return a.Abs().Sum(-2).Max(-1)
	case MaxRows:
		return a.Abs().Sum(-1).Max(-1)
	}
	mistake("Norm", fault.ErrParameter, fmt.Sprintf("kind is %d (legal: Frobenius, Nuclear, Spectral, MaxColumns, MaxRows)", kind), a)
	return nil
}

// Condition returns the condition of each matrix of a, (...,m,n): its largest singular value divided by the smallest,
// and +Inf if that is zero. Relative errors of a, those of rounding for example, may be so many times larger in the
// solution of equations. It panics with *nd.Error if there are no elements; elements that are not finite are an error
// of the result.
func Condition(a *nd.Array) *nd.Array {
	checkMatrices("Condition", a)
	if shape := a.Shape(); shape[len(shape)-1]*shape[len(shape)-2] == 0 {
		mistake("Condition", fault.ErrShape, "a matrix without elements has no condition", a)
	}
	s := call("Condition", ops.SingularValues, nil, a)[0]
	smallest := s.Index(nd.Rest, -1)
	zero := smallest.EqualScalar(0)
	ratio := s.Index(nd.Rest, 0).Div(nd.Where(zero, nd.OnesLike(smallest), smallest))
	return nd.Where(zero, nd.FullLike(ratio, math.Inf(1)), ratio)
}

// MatrixRank returns the rank of each matrix of a, (...,m,n): an int64 array of the shape of the batch. It is the number of singular values
// larger than rcond times the largest; an rcond of 0 stands for the larger of m and n times the distance of floats at 1. It panics with
// *nd.Error if rcond is negative or NaN; elements that are not finite are an error of the result. There is no gradient.
func MatrixRank(a *nd.Array, rcond float64) *nd.Array {
	checkMatrices("MatrixRank", a)
	if !(rcond >= 0) {
		mistake("MatrixRank", fault.ErrParameter, fmt.Sprintf("rcond is %v (legal: at least 0)", rcond), a)
	}
	s := call("MatrixRank", ops.SingularValues, nil, a)[0]
	if shape := a.Shape(); rcond == 0 {
		rcond = float64(max(shape[len(shape)-1], shape[len(shape)-2])) * unitOf(s.DType())
	}
	return s.Greater(s.Index(nd.Rest, nd.Span(0, 1)).MulScalar(rcond)).CountNonzero(-1)
}

// unitOf returns the distance of floats of type d at 1.
func unitOf(d dtype.DType) float64 {
	if d == dtype.Float32 {
		return 1.0 / (1 << 23)
	}
	return 1.0 / (1 << 52)
}

// Trace returns the sum of the diagonal of each matrix of a, (...,m,n): an array of the shape of the batch, with the
// dtype that Sum gives. It panics with *nd.Error if a has less than two axes.
func Trace(a *nd.Array) *nd.Array {
	checkMatrices("Trace", a)
	return a.Diagonal(0, -2, -1).Sum(-1)
}
