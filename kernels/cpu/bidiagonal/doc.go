// Package bidiagonal finds singular values and vectors of upper bidiagonal matrices of float64 by divide and conquer.
//
// # How
//
// A matrix without one of its rows is two halves, of which the first has one more column than rows. In the axes of the
// vectors of both the whole is that row and a diagonal, whose singular values and vectors package conquer finds (Gu and
// Eisenstat, "A divide-and-conquer algorithm for the bidiagonal SVD", 1995; LAPACK's dbdsdc). Values are as exact as
// those of the largest size allow.
//
// # Contract
//
// A function runs in the calling goroutine and in the workers that join it through its parallel.Thread, with the same
// bits for every number of them. Functions may run at the same time on different matrices. Sizes and lengths of slices
// are not checked. Elements are finite.
package bidiagonal
