// Package einsum reads the equations of Einstein's summation convention and plans contractions. It knows shapes, no arrays:
// package ndarray computes what it plans.
//
// An equation such as "ij,jk->ik" has a letter for each axis of each operand; axes of one letter go together, and what the result does
// not name is summed over. "..." stands for axes that broadcast. Without "->" the result has the broadcast axes, then the letters that
// are there once, sorted. Spaces mean nothing. It is the language of numpy.einsum.
//
// Everything here is a pure function of its arguments, which are not changed, and may be called from any goroutine.
package einsum
