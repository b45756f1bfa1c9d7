// Package conquer has what divide and conquer needs for eigenvalues of tridiagonal and for singular values of bidiagonal matrices of
// float64: the function whose roots are the values of a matrix of two halves, and how their vectors become those of the whole.
//
// # How
//
// A matrix of two halves is, in the axes of the vectors of both, a diagonal one and one more of rank one, or a row. Its values are roots of
// a rational function whose poles are the values of the halves, or their squares. Poles that are nearly equal, or that nearly vanish, are
// values as they are. The vectors are those of a matrix of which the roots that were found are the exact values, so that they are
// orthogonal however close these are (Gu and Eisenstat, "A divide-and-conquer algorithm for the symmetric tridiagonal eigenproblem" and "A
// divide-and-conquer algorithm for the bidiagonal SVD", 1995). What takes time is products of matrices, those of package gemm.
//
// # Contract
//
// A function that has a parallel.Thread runs in the calling goroutine and in the workers that join it, with the same bits for every number
// of them. Functions may run at the same time on different matrices. Sizes and lengths of slices are not checked. Elements are finite.
package conquer
