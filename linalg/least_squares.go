package linalg

import (
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// LeastSquares returns the x for which a·x is nearest to b, and of several the shortest, where a is (...,m,n) and b is
// (m,) or (...,m,columns) as in Solve; x is (...,n) or (...,n,columns). Rank tells how many singular values of each
// matrix of a do not count as zero, in int64, and s has all of them, the largest first. The batches broadcast, and all
// results have the joint one.
//
// Singular values up to rcond times the largest count as zero; an rcond of 0 stands for the larger of m and n times the
// distance of floats at 1, which is numpy.linalg.lstsq's default too. It panics with *nd.Error if rcond is negative.
// Matrices with elements that are not finite are errors of the results; elements of b that are not make x NaN or
// infinite unless the rank is zero. The gradient is that of matrices of the same rank (Golub and Pereyra, 1973).
func LeastSquares(a, b *nd.Array, rcond float64) (x, rank, s *nd.Array) {
	results := call("LeastSquares", ops.LeastSquares, ops.PseudoInverseParams{RCond: rcond}, a, b)
	return results[0], results[1], results[2]
}

// PseudoInverse returns the Moore-Penrose inverses of the matrices of a, (...,m,n): matrices (...,n,m). Rcond is that
// of LeastSquares. Matrices with elements that are not finite are errors of the result. The gradient is that of
// matrices of the same rank.
func PseudoInverse(a *nd.Array, rcond float64) *nd.Array {
	return call("PseudoInverse", ops.PseudoInverse, ops.PseudoInverseParams{RCond: rcond}, a)[0]
}
