package fft

import (
	"fmt"
	"math"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// Frequencies returns the frequencies, in float64, of the n numbers of FFT of a signal whose numbers are spacing apart, in cycles per unit of that:
// 0, 1, …, then the negative ones, …, −1, divided by n·spacing. Of even n the one in the middle is negative. It panics with *nd.Error if
// n is less than one, or spacing is 0.
func Frequencies(n int, spacing float64) *nd.Array {
	checkFrequencies("Frequencies", n, spacing)
	return frequencies(n, spacing, n, func(k int) int {
		if k >= (n+1)/2 {
			return k - n
		}
		return k
	})
}

// RealFrequencies returns the frequencies of the n/2+1 numbers of RFFT of n, none of which is negative; see Frequencies.
func RealFrequencies(n int, spacing float64) *nd.Array {
	checkFrequencies("RealFrequencies", n, spacing)
	return frequencies(n, spacing, n/2+1, func(k int) int { return k })
}

func frequencies(n int, spacing float64, count int, cycles func(k int) int) *nd.Array {
	values, unit := make([]float64, count), 1/(float64(n)*spacing)
	for k := range values {
		values[k] = float64(cycles(k)) * unit
	}
	return nd.FromSlice(values)
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
