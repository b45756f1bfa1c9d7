package fft

import (
	"fmt"
	"math"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// Frequencies returns the frequencies, in float64, of the n numbers of FFT of a signal whose numbers are spacing apart,
// in cycles per unit of that: 0, 1, …, then the negative ones, …, −1, divided by n·spacing. Of even n the one in the
// middle is negative. It panics with *nd.Error if n is less than one, or spacing is 0.
func Frequencies(n int, spacing float64) *nd.Array {
	checkFrequencies("Frequencies", n, spacing)
	cycles := nd.Concat(0, nd.Arange(0, float64((n+1)/2), 1), nd.Arange(float64(-(n/2)), 0, 1))
	return inUnits(cycles, n, spacing)
}

// RealFrequencies returns the frequencies of the n/2+1 numbers of RFFT of n, none of which is negative; see Frequencies.
func RealFrequencies(n int, spacing float64) *nd.Array {
	checkFrequencies("RealFrequencies", n, spacing)
	return inUnits(nd.Arange(0, float64(n/2+1), 1), n, spacing)
}

// inUnits returns the frequencies of numbers of cycles.
func inUnits(cycles *nd.Array, n int, spacing float64) *nd.Array {
	return cycles.MulScalar(1 / float64(float64(n)*spacing))
}

func checkFrequencies(function string, n int, spacing float64) {
	if n < 1 {
		mistake(function, fault.ErrParameter, fmt.Sprintf("%d numbers (legal: at least 1)", n))
	}
	if n > math.MaxInt/8 {
		mistake(function, fault.ErrParameter, fmt.Sprintf("%d numbers have more bytes than there are addresses", n))
	}
	if spacing == 0 {
		mistake(function, fault.ErrParameter, "the spacing is 0")
	}
}
