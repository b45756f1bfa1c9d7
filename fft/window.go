package fft

import (
	"fmt"
	"math"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// Hann returns the n weights, in float64, of the window of von Hann: 0.5 − 0.5·cos(2πk/(n−1)), by which a part of a signal is
// multiplied before it is transformed. The window is symmetric, as np.hanning; the periodic one of n weights, as
// torch.hann_window, is the first n of n+1. One weight alone is 1. It panics with *nd.Error if n is negative.
func Hann(n int) *nd.Array { return window("Hann", n, 0.5, 0.5) }

// Hamming returns the n weights of the window of Hamming, 0.54 − 0.46·cos(2πk/(n−1)); see Hann.
func Hamming(n int) *nd.Array { return window("Hamming", n, 0.54, 0.46) }

// Blackman returns the n weights of the window of Blackman, 0.42 − 0.5·cos(2πk/(n−1)) + 0.08·cos(4πk/(n−1)); see Hann.
func Blackman(n int) *nd.Array { return window("Blackman", n, 0.42, 0.5, 0.08) }

// window returns the sum of cosines with the given coefficients, whose signs alternate.
func window(function string, n int, coefficients ...float64) *nd.Array {
	if n < 0 || n > math.MaxInt/8 {
		mistake(function, fault.ErrParameter, fmt.Sprintf("%d weights (legal: at least 0, and no more bytes than there are addresses)", n))
	}
	weights := make([]float64, n)
	for k := range weights {
		if n == 1 {
			weights[k] = 1
			continue
		}
		angle := math.Pi * float64(2*k-(n-1)) / float64(n-1) // from −π to π, so that all cosines have one sign
		for i, c := range coefficients {
			weights[k] += float64(c * math.Cos(float64(i)*angle))
		}
	}
	return nd.FromSlice(weights)
}
