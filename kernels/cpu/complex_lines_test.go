package cpu

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// partsToTry are the parts of the numbers that functions are tried on: all pairs of special and of random numbers of many sizes.
func partsToTry() []float64 {
	parts := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, math.Pi, infinity, math.Inf(-1), noNumber, math.MaxFloat64, -math.MaxFloat64, 5e-324, 24.9, -25.1, 699, -701, 745, 1e160, -1e-160, 1e-310}
	r := rand.New(rand.NewPCG(7, 7))
	for range 60 {
		parts = append(parts, r.NormFloat64(), r.NormFloat64()*math.Exp(20*r.NormFloat64()))
	}
	return parts
}

func TestLinesOfComplexFunctionsEqualTheFunctionsInEveryBit(t *testing.T) {
	for name, c := range map[string]struct {
		of   complexFunction
		line complexLine
	}{
		"exp": {expComplex, expLine}, "log": {logComplex, logLine}, "sinh": {sinhComplex, sinhLine},
		"cosh": {coshComplex, coshLine}, "sin": {reversed(sinhComplex), sinLine}, "cos": {cosComplex, cosLine},
		"sqrt": {sqrtComplex, sqrtLine}, "tanh": {tanhComplex, tanhLine}, "tan": {reversed(tanhComplex), tanLine}, "expm1": {expm1Complex, expm1Line},
		"log2": {log2Complex, log2Line}, "log10": {log10Complex, log10Line}, "log1p": {log1pComplex, log1pLine},
		"asin": {reversed(asinhComplex), asinLine}, "acos": {acosComplex, acosLine}, "atan": {reversed(atanhComplex), atanLine},
		"asinh": {asinhComplex, asinhLine}, "acosh": {acoshComplex, acoshLine}, "atanh": {atanhComplex, atanhLine},
	} {
		parts, strays, tried := partsToTry(), 0, 0
		for _, y := range parts {
			n := len(parts)
			re, im := append([]float64{}, parts...), make([]float64, n)
			for i := range im {
				im[i] = y
			}
			isStray := map[int]bool{}
			for _, i := range c.line(re, im, new(lineRoom), nil) {
				isStray[i] = true
			}
			for i, x := range parts {
				if isStray[i] {
					strays++
					continue
				}
				tried++
				wantRe, wantIm := c.of(x, y)
				require.True(t, equalBits(wantRe, re[i]) && equalBits(wantIm, im[i]), "%s(%v, %v) is (%v, %v), want (%v, %v)", name, x, y, re[i], im[i], wantRe, wantIm)
			}
		}
		require.Positive(t, strays, name)
		require.Greater(t, tried, strays/4, name)
	}
}

// equalBits reports whether a and b have the same bits, or are both NaN.
func equalBits(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b
}
