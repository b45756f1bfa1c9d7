package ndarray_test

import (
	"math"
	"math/cmplx"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
)

// complexParts are what parts of complex numbers may be.
var complexParts = []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 1, -1, 0.5, -3e10}

// everyComplex calls visit with each number that complexParts make.
func everyComplex(visit func(a, b float64, z complex128)) {
	for _, a := range complexParts {
		for _, b := range complexParts {
			visit(a, b, complex(a, b))
		}
	}
}

func same(x, y float64) bool {
	return x != x && y != y || x == y && math.Signbit(x) == math.Signbit(y)
}

// TestComplexSpecialCasesOfRealResults has the sentences of the array API standard, version 2024.12, about complex operands of functions
// whose results are real or bools, or which work on each part: with a = real(x), b = imag(x).
func TestComplexSpecialCasesOfRealResults(t *testing.T) {
	for _, d := range []dtype.DType{dtype.Complex64, dtype.Complex128} {
		everyComplex(func(a, b float64, z complex128) {
			x := nd.Full(z).Cast(d)
			number := func(f func(x *nd.Array) *nd.Array) float64 {
				return values[float64](t, f(x).Cast(dtype.Float64))[0]
			}
			truth := func(f func(x *nd.Array) *nd.Array) bool { return values[bool](t, f(x))[0] }
			finite := func(v float64) bool { return v-v == 0 }

			abs := number((*nd.Array).Abs)
			switch {
			case math.IsInf(a, 0) || math.IsInf(b, 0):
				require.Equal(t, math.Inf(1), abs, "abs: a or b is infinite, whatever the other is, NaN too: +infinity; %v", z)
			case a == 0 && b == 0:
				require.True(t, same(0, abs), "abs: both are zeros: +0; %v", z)
			case math.IsNaN(a) || math.IsNaN(b):
				require.True(t, math.IsNaN(abs), "abs: one is NaN, the other is finite or NaN: NaN; %v", z)
			default:
				require.InEpsilon(t, cmplx.Abs(z), abs, 1e-7)
			}
			require.Equal(t, finite(a) && finite(b), truth((*nd.Array).IsFinite), "isfinite: both are finite; %v", z)
			require.Equal(t, math.IsInf(a, 0) || math.IsInf(b, 0), truth((*nd.Array).IsInf), "isinf: one is infinite, whatever the other is; %v", z)
			require.Equal(t, math.IsNaN(a) || math.IsNaN(b), truth((*nd.Array).IsNaN), "isnan: one is NaN, whatever the other is; %v", z)
			angle := math.Atan2(float64(float32(b)), float64(float32(a)))
			got := number((*nd.Array).Angle)
			require.True(t, same(angle, got) || math.Abs(angle-got) <= 1e-6 && math.Signbit(angle) == math.Signbit(got), "angle: atan2(b, a), with the signs of zeros; %v", z)
			require.True(t, same(float64(float32(a)), number((*nd.Array).Real)) || d == dtype.Complex128, "real: a; %v", z)
			require.True(t, same(-b, number(func(x *nd.Array) *nd.Array { return x.Conj().Imag() })) || d == dtype.Complex64, "conj: a - bj; %v", z)
			require.True(t, same(-a, number(func(x *nd.Array) *nd.Array { return x.Neg().Real() })) || d == dtype.Complex64, "negative: each part; %v", z)
		})
	}
}

// TestComplexSumsAreThoseOfTheParts has the sentences about add and subtract: real and imaginary parts follow the rules of real numbers.
func TestComplexSumsAreThoseOfTheParts(t *testing.T) {
	everyComplex(func(a, b float64, x complex128) {
		everyComplex(func(c, d float64, y complex128) {
			sum := values[complex128](t, nd.Full(x).Add(nd.Full(y)))[0]
			require.True(t, same(a+c, real(sum)) && same(b+d, imag(sum)), "%v + %v is %v", x, y, sum)
			difference := values[complex128](t, nd.Full(x).Sub(nd.Full(y)))[0]
			require.True(t, same(a-c, real(difference)) && same(b-d, imag(difference)), "%v - %v is %v", x, y, difference)
			require.Equal(t, a == c && b == d, values[bool](t, nd.Full(x).Equal(nd.Full(y)))[0], "equal: both parts are; %v, %v", x, y)
			require.Equal(t, a != c || b != d, values[bool](t, nd.Full(x).NotEqual(nd.Full(y)))[0], "not_equal: %v, %v", x, y)
		})
	})
}

// TestComplexLogarithmsOfOtherBasesAreScaled has the sentence about log2 and log10: special cases are those of log(x)/log(base).
func TestComplexLogarithmsOfOtherBasesAreScaled(t *testing.T) {
	everyComplex(func(_, _ float64, z complex128) {
		natural := values[complex128](t, nd.Full(z).Log())[0]
		for base, log := range map[float64]func(x *nd.Array) *nd.Array{2: (*nd.Array).Log2, 10: (*nd.Array).Log10} {
			got := values[complex128](t, log(nd.Full(z)))[0]
			for _, parts := range [][2]float64{{real(natural) / math.Log(base), real(got)}, {imag(natural) / math.Log(base), imag(got)}} {
				near := math.Abs(parts[0]-parts[1]) <= 1e-14*math.Abs(parts[0])
				require.True(t, same(parts[0], parts[1]) || near, "log of %v to base %v is %v, want %v", z, base, got, parts[0])
			}
		}
	})
}

// TestSignsOfComplexZerosAndNaN has the sentences about sign: 0 of a zero, NaN + NaN j where a part is NaN, else x / abs(x).
func TestSignsOfComplexZerosAndNaN(t *testing.T) {
	everyComplex(func(a, b float64, z complex128) {
		got := values[complex128](t, nd.Full(z).Sign())[0]
		switch {
		case a == 0 && b == 0:
			require.Equal(t, complex128(0), got, "%v", z)
		case (math.IsNaN(a) || math.IsNaN(b)) && !math.IsInf(a, 0) && !math.IsInf(b, 0):
			require.True(t, math.IsNaN(real(got)) && math.IsNaN(imag(got)), "%v has the sign %v", z, got)
		case !math.IsInf(a, 0) && !math.IsInf(b, 0):
			require.InDelta(t, 1, cmplx.Abs(got), 1e-15, "%v", z)
		}
	})
}
