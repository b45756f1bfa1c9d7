package distribution

import (
	"math"

	"github.com/weft-nd/weft/kernels/cpu/philox"
)

// Uniform has the parameters low and high: numbers are low + u·(high−low), but below high, with u in [0, 1).
var Uniform = Continuous{uniform32, uniform64}

// uniform32 makes numbers low + u*(high-low), computed in float64 and rounded, but below high. u is the multiple of 2^-24
// in [0, 1) that the highest 24 bits of the word of the element are, so that a number does not fall when its word rises.
func uniform32(dst []float32, s Source, first uint64, parameters []float64) {
	low, step := parameters[0], (parameters[1]-parameters[0])*0x1p-24
	below := belowFloat32(parameters[0], parameters[1])
	exact := isExact32(low, step)
	done := batched(dst, s, first, func(x []float32, state philox.State) {
		if exact {
			batchExact32(x, &state, float32(low), float32(step))
		} else {
			batchUniform32(x, &state, low, step, below)
		}
	})
	for x := range filled(dst[done:], s, first+uint64(done)) {
		for i, word := range wordsOf(x) {
			x[i] = float32(low + float64(float64(word>>8)*step))
			if !(x[i] < below) { // as VMINPS
				x[i] = below
			}
		}
	}
}

// isExact32 reports whether float32 holds all numbers low + n*step with n from 0 to 2^24, as for [0, 1) and [-1, 1): then
// float32 arithmetic does not round.
func isExact32(low, step float64) bool {
	significand, exponent := math.Frexp(step)
	steps := low / step
	return significand == 0.5 && exponent > -120 && exponent < 100 && steps == math.Trunc(steps) && steps <= 0 && steps >= -0x1p24
}

// belowFloat32 returns the largest float32 below high, or low where there is none from low on.
func belowFloat32(low, high float64) float32 {
	below := float32(high)
	if float64(below) >= high {
		below = math.Nextafter32(below, float32(math.Inf(-1)))
	}
	return max(below, float32(low))
}

// uniform64 makes numbers low + u*(high-low), but below high. u is the multiple of 2^-53 in [0, 1) that the highest 53 bits
// of the 64-bit value of the element are.
func uniform64(dst []float64, s Source, first uint64, parameters []float64) {
	low, step := parameters[0], (parameters[1]-parameters[0])*0x1p-53
	below := max(math.Nextafter(parameters[1], math.Inf(-1)), low)
	done := batched(dst, s, first, func(x []float64, state philox.State) { batchUniform64(x, &state, low, step, below) })
	for x := range filled(dst[done:], s, first+uint64(done)) {
		words := wordsOf(x)
		for i := range x {
			x[i] = low + float64(float64(bits64(words, i)>>11)*step)
			if !(x[i] < below) { // as VMINPD
				x[i] = below
			}
		}
	}
}
