package fft

import (
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// FFT returns the transform of x along its last axis, in a new array of the same shape, but for Lengths. It is
// complex64 for complex64, float32, float16 and bfloat16, and complex128 for all others; real numbers are taken for
// complex ones. It panics with *nd.Error if x has no such axis, or there is no number to transform along it.
func FFT(x *nd.Array, options ...Option) *nd.Array {
	return transform("FFT", ops.FFT, x, false, 1, options)
}

// IFFT returns the inverse of FFT: IFFT(FFT(x)) is x, but for rounding.
func IFFT(x *nd.Array, options ...Option) *nd.Array {
	return transform("IFFT", ops.FFT, x, true, 1, options)
}

// FFT2 is FFT over the last two axes of x.
func FFT2(x *nd.Array, options ...Option) *nd.Array {
	return transform("FFT2", ops.FFT, x, false, 2, options)
}

// IFFT2 returns the inverse of FFT2.
func IFFT2(x *nd.Array, options ...Option) *nd.Array {
	return transform("IFFT2", ops.FFT, x, true, 2, options)
}

// FFTN is FFT over all axes of x, or those that Along names, or as many of the last ones as Lengths has.
func FFTN(x *nd.Array, options ...Option) *nd.Array {
	return transform("FFTN", ops.FFT, x, false, 0, options)
}

// IFFTN returns the inverse of FFTN.
func IFFTN(x *nd.Array, options ...Option) *nd.Array {
	return transform("IFFTN", ops.FFT, x, true, 0, options)
}
