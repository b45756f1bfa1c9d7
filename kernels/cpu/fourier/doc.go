// Package fourier computes discrete Fourier transforms of lines of numbers of float32 or float64, each in its own precision:
//
//	X[k] = Σ x[j]·exp(−2πi·jk/n), 0 ≤ j, k < n
//
// Lengths are divided into factors by Stockham's method, which needs no other order of the numbers (Van Loan, "Computational
// frameworks for the fast Fourier transform", SIAM 1992, 1.7). Long lines are transformed as the columns and then the rows of a
// matrix that fits into caches (Bailey, "FFTs in external or hierarchical memory", J. Supercomputing 4, 1990), which threads share.
// Lengths with large prime factors are convolutions with a chirp (Bluestein, "A linear filtering approach to the computation of
// discrete Fourier transform", IEEE Trans. Audio Electroacoustics 18(4), 1970), so no length takes quadratic time. Real numbers are
// transformed as half as many complex ones where their number is even.
//
// Errors grow as the logarithm of the length: roots of unity are right to a unit in the last place, and every product and sum is
// rounded by itself, so that results have the same bits on every processor, with and without assembly, and for any number of threads.
//
// All functions may be called from any goroutine, on different memory. What is computed once for a length is kept for those
// used last, and is never changed.
package fourier
