package fft

import (
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// HFFT returns the transform, which is real, of a signal of n numbers along the last axis of which number n−j is
// conjugate to number j: x has the first n/2+1. Lengths tells n: without it, it is the even one. Imaginary parts that
// cannot be there count for nothing, as for IRFFT, whose dtypes it has. It panics with *nd.Error if x has no such axis,
// or n is less than one.
func HFFT(x *nd.Array, options ...Option) *nd.Array {
	return transform("HFFT", ops.IRFFT, x, false, 1, options)
}

// IHFFT returns the inverse of HFFT: the first n/2+1 numbers of the signal whose transform is x, n real numbers along
// the last axis. Its dtypes and errors are those of RFFT.
func IHFFT(x *nd.Array, options ...Option) *nd.Array {
	return transform("IHFFT", ops.RFFT, x, true, 1, options)
}
