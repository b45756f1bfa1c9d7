package distribution

import (
	"math"

	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// Normal has the parameters mean and standard deviation.
var Normal = Continuous{normal32, normal64}

// normal64 makes normal numbers of the given mean and standard deviation from the 64-bit values of each pair of elements.
func normal64(dst []float64, s Source, first uint64, parameters []float64) {
	for x := range filled(dst, s, first) {
		toNormal64(x, parameters[0], parameters[1])
	}
}

// toNormal64 turns the words in x into numbers.
func toNormal64(x []float64, mean, deviation float64) {
	if features.Best > features.Portable {
		fastNormal64(x, mean, deviation)
		return
	}
	words := wordsOf(x)
	for i := 0; i < len(x); i += 2 {
		a, b := boxMuller(bits64(words, i), bits64(words, i+1))
		x[i], x[i+1] = mean+float64(a*deviation), mean+float64(b*deviation)
	}
}

// boxMuller turns two uniform 64-bit values into two independent standard normal numbers (Box and Muller, "A note on the
// generation of random normal deviates", Annals of Mathematical Statistics 29(2), 1958). It uses the logarithm, sine and
// cosine below, not package math, whose results differ between processors: here every product is rounded by a conversion,
// which the Go specification keeps from being fused with a sum.
func boxMuller(a, b uint64) (x, y float64) {
	positive := float64(1<<53-a>>11) * 0x1p-53 // in (0, 1]
	radius := math.Sqrt(-2 * naturalLog(positive))
	sine, cosine := sineOfTurn(float64(b>>11) * 0x1p-53)
	return radius * cosine, radius * sine
}

// naturalLog returns the logarithm of x in (0, 1], by the method and constants of FreeBSD's e_log.c: with x = 2^k (1+f) and
// s = f/(2+f), log(1+f) is a polynomial in s.
func naturalLog(x float64) float64 {
	const (
		ln2High = 6.93147180369123816490e-01
		ln2Low  = 1.90821492927058770002e-10
		l1      = 6.666666666666735130e-01
		l2      = 3.999999999940941908e-01
		l3      = 2.857142874366239149e-01
		l4      = 2.222219843214978396e-01
		l5      = 1.818357216161805012e-01
		l6      = 1.531383769920937332e-01
		l7      = 1.479819860511658591e-01
	)
	fraction, exponent := math.Frexp(x)
	if fraction < math.Sqrt2/2 {
		fraction *= 2
		exponent--
	}
	f, k := fraction-1, float64(exponent)
	s := f / (2 + f)
	s2 := float64(s * s)
	s4 := float64(s2 * s2)
	odd := float64(s2 * polynomial(s4, l7, l5, l3, l1))
	even := float64(s4 * polynomial(s4, l6, l4, l2))
	half := float64(float64(0.5*f) * f)
	correction := float64(s*(half+(odd+even))) + float64(k*ln2Low)
	return float64(k*ln2High) - ((half - correction) - f)
}

// sineOfTurn returns the sine and cosine of 2π·turn for turn in [0, 1), by the polynomials of Cephes on [-π/4, π/4].
func sineOfTurn(turn float64) (sine, cosine float64) {
	quarters := float64(4 * turn)
	quadrant := math.Floor(quarters + 0.5)
	z := float64((quarters - quadrant) * (math.Pi / 2))
	zz := float64(z * z)
	sine = z + float64(float64(z*zz)*polynomial(zz,
		1.58962301576546568060e-10, -2.50507477628578072866e-8, 2.75573136213857245213e-6,
		-1.98412698295895385996e-4, 8.33333333332211858878e-3, -1.66666666666666307295e-1))
	cosine = 1 - float64(0.5*zz) + float64(float64(zz*zz)*polynomial(zz,
		-1.13585365213876817300e-11, 2.08757008419747316778e-9, -2.75573141792967388112e-7,
		2.48015872888517045348e-5, -1.38888888888730564116e-3, 4.16666666666665929218e-2))
	switch int(quadrant) & 3 {
	case 1:
		return cosine, -sine
	case 2:
		return -sine, -cosine
	case 3:
		return -cosine, sine
	}
	return sine, cosine
}

// polynomial evaluates the polynomial with the given coefficients, highest power first.
func polynomial(x float64, coefficients ...float64) float64 {
	value := coefficients[0]
	for _, c := range coefficients[1:] {
		value = float64(value*x) + c
	}
	return value
}
