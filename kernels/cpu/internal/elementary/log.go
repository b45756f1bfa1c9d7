package elementary

import "math"

const (
	ln2High = 6.93147180369123816490e-01
	ln2Low  = 1.90821492927058770002e-10

	one      = 0x3ff0000000000000 // the bits of 1
	sqrtHalf = 0x3fe6a09e00000000 // the bits of a number just below √½
	mantissa = 1<<52 - 1
)

// Log returns the natural logarithm of x, with the special values of math.Log.
func Log(x float64) float64 {
	switch {
	case x == 0:
		return math.Inf(-1)
	case !(x > 0 && x <= math.MaxFloat64):
		return x + (x - x) // +Inf and NaN; negative numbers follow
	case x < 0x1p-1022:
		f, k := split(x * 0x1p54)
		return logarithm(f, k-54)
	}
	return logarithm(split(x))
}

// Unit returns the number in (0, 1] that word stands for: (⌊word/2⌋ + ½)·2⁻⁶³, to the precision of float64, in which the
// largest are 1.
func Unit(word uint64) float64 { return (float64(int64(word>>1)) + 0.5) * 0x1p-63 }

// LogUnit returns the natural logarithm of the number that word stands for, before it is rounded: LogUnit(^word) is that
// of one minus the number. It is never 0.
func LogUnit(word uint64) float64 {
	if word >= sqrtHalfWord {
		return logarithm(-Unit(^word), 0)
	}
	return logarithm(split(Unit(word)))
}

// sqrtHalfWord stands for a number just above √½.
const sqrtHalfWord = 0xb504f33400000000

// split returns f and k with x = 2^k (1+f) and 1+f between √½ and √2, for normal x.
func split(x float64) (f, k float64) {
	bits := math.Float64bits(x) + (one - sqrtHalf)
	return math.Float64frombits(bits&mantissa+sqrtHalf) - 1, float64(int64(bits>>52) - 1023)
}

// logarithm returns log(2^k (1+f)) by the method of e_log.c: with s = f/(2+f), log(1+f) is a polynomial in s.
func logarithm(f, k float64) float64 {
	const (
		l1 = 6.666666666666735130e-01
		l2 = 3.999999999940941908e-01
		l3 = 2.857142874366239149e-01
		l4 = 2.222219843214978396e-01
		l5 = 1.818357216161805012e-01
		l6 = 1.531383769920937332e-01
		l7 = 1.479819860511658591e-01
	)
	s := f / (2 + f)
	z := float64(s * s)
	w := float64(z * z)
	even := float64(w * (l2 + float64(w*(l4+float64(w*l6)))))
	odd := float64(z * (l1 + float64(w*(l3+float64(w*(l5+float64(w*l7)))))))
	half := float64(float64(0.5*f) * f)
	correction := float64(s*(half+(odd+even))) + float64(k*ln2Low)
	return float64(k*ln2High) - ((half - correction) - f)
}
