package fft

import (
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// RFFT returns the transform of real numbers x along the last axis: the first n/2+1 of the n numbers of FFT, of which
// number n−k is conjugate to number k. It is complex64 for float32, float16 and bfloat16, and complex128 for all
// others. It panics with *nd.Error if x is complex, has no such axis, or there is no number to transform along it.
func RFFT(x *nd.Array, options ...Option) *nd.Array {
	return transform("RFFT", ops.RFFT, x, false, 1, options)
}

// IRFFT returns the inverse of RFFT, n real numbers along the last axis. Lengths tells n: without it, it is the even
// one, twice as many as x has, less two. The imaginary parts of the number of frequency 0, and for even n of the last
// one, count for nothing: they are zeros in the transform of real numbers. The result is float32 for complex64,
// float32, float16 and bfloat16, and float64 for all others. It panics with *nd.Error if x has no such axis, or n is
// less than one.
func IRFFT(x *nd.Array, options ...Option) *nd.Array {
	return transform("IRFFT", ops.IRFFT, x, true, 1, options)
}

// RFFT2 is RFFT over the last two axes of x: RFFT along the last of them, and FFT along the other.
func RFFT2(x *nd.Array, options ...Option) *nd.Array {
	return transform("RFFT2", ops.RFFT, x, false, 2, options)
}

// IRFFT2 returns the inverse of RFFT2. Lengths are those of the result.
func IRFFT2(x *nd.Array, options ...Option) *nd.Array {
	return transform("IRFFT2", ops.IRFFT, x, true, 2, options)
}

// RFFTN is RFFT over all axes of x, or those that Along names, or as many of the last ones as Lengths has: RFFT along the last of them, and
// FFT along the others.
func RFFTN(x *nd.Array, options ...Option) *nd.Array {
	return transform("RFFTN", ops.RFFT, x, false, 0, options)
}

// IRFFTN returns the inverse of RFFTN. Lengths are those of the result.
func IRFFTN(x *nd.Array, options ...Option) *nd.Array {
	return transform("IRFFTN", ops.IRFFT, x, true, 0, options)
}
