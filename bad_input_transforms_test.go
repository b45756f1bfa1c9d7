package weft_test

import (
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/fft"
	nd "github.com/weft-nd/weft/ndarray"
)

func badTransforms() []badInput {
	x, z, empty := ramp(2, 3), nd.Zeros[complex64](2, 3), nd.Zeros[float64](2, 0)
	released := ramp(3)
	released.Release()
	return []badInput{
		{"fft.FFT", fault.ErrReleased, "use after release: the array was released at", func() { fft.FFT(released) }},
		{"fft.InverseShift", fault.ErrReleased, "use after release: the array was released at", func() { fft.InverseShift(released) }},
		{"fft.FFT", fault.ErrMisuse, "the array is nil", func() { fft.FFT(nil) }},
		{"fft.FFT", fault.ErrMisuse, "an option is nil", func() { fft.FFT(x, nil) }},
		{"fft.FFT", fault.ErrShape, "the array has 0 axes, want at least 1", func() { fft.FFT(nd.Full(1.0)) }},
		{"fft.FFTN", fault.ErrShape, "the array has 0 axes, want at least 1", func() { fft.FFTN(nd.Full(1.0)) }},
		{"fft.RFFT2", fault.ErrShape, "the array has 1 axes, want at least 2", func() { fft.RFFT2(ramp(3)) }},
		{"fft.FFT", fault.ErrAxis, "axis 2 is out of range for 2 axes", func() { fft.FFT(x, fft.Along(2)) }},
		{"fft.IFFT", fault.ErrAxis, "axis -3 is out of range for 2 axes", func() { fft.IFFT(x, fft.Along(-3)) }},
		{"fft.FFT", fault.ErrAxis, "axes [0 1] are named, want 1", func() { fft.FFT(x, fft.Along(0, 1)) }},
		{"fft.IFFT2", fault.ErrAxis, "axis 1 is named twice in [1 -1]", func() { fft.IFFT2(x, fft.Along(1, -1)) }},
		{"fft.FFT", fault.ErrParameter, "0 numbers to transform along axis 1 (legal: at least 1)", func() { fft.FFT(empty) }},
		{"fft.RFFT", fault.ErrParameter, "0 numbers to transform along axis 1 (legal: at least 1)", func() { fft.RFFT(x, fft.Lengths(0)) }},
		{"fft.IRFFT", fault.ErrParameter, "0 numbers to transform along axis 0 (legal: at least 1)", func() { fft.IRFFT(ramp(1)) }},
		{"fft.HFFT", fault.ErrParameter, "-2 numbers to transform along axis 1 (legal: at least 1)", func() { fft.HFFT(x, fft.Lengths(-2)) }},
		{"fft.FFT", fault.ErrParameter, "2 lengths for 1 axes", func() { fft.FFT(x, fft.Lengths(2, 3)) }},
		{"fft.IFFTN", fault.ErrParameter, "3 lengths for 2 axes", func() { fft.IFFTN(x, fft.Lengths(1, 2, 3)) }},
		{"fft.IRFFTN", fault.ErrParameter, "1 lengths for 2 axes", func() { fft.IRFFTN(x, fft.Along(0, 1), fft.Lengths(1)) }},
		{"fft.FFT", fault.ErrShape, "more bytes than there are addresses", func() { fft.FFT(x, fft.Lengths(1<<60)) }},
		{"fft.FFT", fault.ErrParameter, `norm is "unitary" (legal: backward, ortho, forward)`, func() { fft.FFT(x, fft.Normed("unitary")) }},
		{"fft.RFFT", fault.ErrDType, "no arithmetic for complex64", func() { fft.RFFT(z) }},
		{"fft.IHFFT", fault.ErrDType, "no arithmetic for complex64", func() { fft.IHFFT(z) }},
		{"fft.RFFTN", fault.ErrDType, "no arithmetic for complex64", func() { fft.RFFTN(z) }},
		{"fft.Frequencies", fault.ErrParameter, "0 numbers (legal: at least 1)", func() { fft.Frequencies(0, 1) }},
		{"fft.Frequencies", fault.ErrParameter, "more bytes than there are addresses", func() { fft.Frequencies(1<<60, 1) }},
		{"fft.FFT", fault.ErrMisuse, "nothing has made", func() { fft.FFT(new(nd.Array)) }},
		{"fft.RealFrequencies", fault.ErrParameter, "the spacing is 0", func() { fft.RealFrequencies(3, 0) }},
		{"fft.Shift", fault.ErrAxis, "axis 2 is out of range for 2 axes", func() { fft.Shift(x, 2) }},
		{"fft.InverseShift", fault.ErrAxis, "axis 0 is named twice in [0 -2]", func() { fft.InverseShift(x, 0, -2) }},
		{"fft.Shift", fault.ErrMisuse, "the array is nil", func() { fft.Shift(nil) }},
	}
}
