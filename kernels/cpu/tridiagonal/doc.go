// Package tridiagonal finds eigenvalues and eigenvectors of symmetric tridiagonal matrices of float64 by divide and conquer.
//
// # How
//
// A matrix is one of two halves beside each other and one of rank one (Cuppen, "A divide and conquer method for the
// symmetric tridiagonal eigenproblem", 1981). Values of the whole are roots of a rational function whose poles are those
// of the halves. Poles that are nearly equal, or that nearly vanish, are values as they are. The vectors are those of a
// matrix of which the roots that were found are the exact values, so that they are orthogonal however close these are
// (Gu and Eisenstat, "A divide-and-conquer algorithm for the symmetric tridiagonal eigenproblem", 1995). What takes time
// is products of matrices, those of package gemm.
//
// # Contract
//
// A function runs in the calling goroutine and in the workers that join it through its parallel.Thread, with the same
// bits for every number of them. Functions may run at the same time on different matrices. Sizes and lengths of slices
// are not checked. Elements are finite.
package tridiagonal
