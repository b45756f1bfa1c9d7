package calculus

import (
	"math"
	"math/bits"
)

// The functions of this file compute what the steps of vectors leave to Go: elements out of the range in which a function
// is defined or its steps hold.

func logHard(x float64) float64 {
	switch {
	case x == 0:
		return math.Inf(-1)
	case !(x > 0):
		return math.NaN()
	case x > math.MaxFloat64:
		return x
	case x < 0x1p-1022:
		return LogFloat64(x*0x1p54) - 54*math.Ln2
	}
	return LogFloat64(x)
}

func log2Hard(x float64) float64 {
	if x > 0 && x <= math.MaxFloat64 {
		return Log2Float64(x*0x1p54) - 54
	}
	return logHard(x)
}

func log10Hard(x float64) float64 {
	if x > 0 && x < 0x1p-1022 {
		return Log10Float64(x*0x1p54) - 54*(math.Ln2/math.Ln10)
	} else if x > 0 && x <= math.MaxFloat64 {
		return Log10Float64(x)
	}
	return logHard(x)
}

func log1pHard(x float64) float64 {
	if x <= -1 {
		return logHard(x + 1)
	}
	return logHard(x)
}

// asinhHard is log(2a) for large a.
func asinhHard(x float64) float64 {
	return math.Copysign(logHard(math.Abs(x)*0x1p-30)+31*math.Ln2, x)
}

func acoshHard(x float64) float64 {
	if x < 1 {
		return math.NaN()
	}
	return asinhHard(x)
}

func atanhHard(x float64) float64 {
	if math.Abs(x) == 1 {
		return math.Copysign(math.Inf(1), x)
	}
	return math.NaN()
}

func asinHard(float64) float64 { return math.NaN() }

func acosHard(float64) float64 { return math.NaN() }

func cbrtHard(x float64) float64 {
	if x == 0 || !(math.Abs(x) <= math.MaxFloat64) {
		return x
	}
	return CbrtFloat64(x*0x1p54) * 0x1p-18
}

// powHard has the special cases of math.Pow.
func powHard(x, y float64) float64 {
	switch {
	case y == 0 || x == 1:
		return 1
	case x != x || y != y:
		return math.NaN()
	case math.IsInf(y, 0):
		switch a := math.Abs(x); {
		case a == 1:
			return 1
		case (a < 1) == (y > 0):
			return 0
		}
		return math.Inf(1)
	}
	odd := math.Mod(y, 2)
	negative := math.Signbit(x) && (odd == 1 || odd == -1)
	var result float64
	switch {
	case x == 0 && y < 0 || math.IsInf(x, 0) && y > 0:
		result = math.Inf(1)
	case x == 0 || math.IsInf(x, 0):
		result = 0
	case x < 0 && y != math.Trunc(y):
		return math.NaN()
	default:
		result = PowFloat64(math.Abs(x), y)
	}
	if negative {
		return -result
	}
	return result
}

// inverseSquareHard is for float32, of which roundings of float64 lose nothing.
func inverseSquareHard(x float64) float64 {
	inverse := 1 / x
	return inverse * inverse
}

func sinHard(x float64) float64 { return sinOfAngle(reduceAngle(x)) }

func cosHard(x float64) float64 { return cosOfAngle(reduceAngle(x)) }

func tanHard(x float64) float64 { return tanOfAngle(reduceAngle(x)) }

// reduceAngle returns r, rest and quadrant with x = r + rest + quadrant·π/2 up to whole turns, for |x| ≥ ½, by the method of
// Payne and Hanek ("Radian reduction for trigonometric functions", SIGNUM Newsletter 18, 1983): of x·2/π only the bits from
// 2 downwards are computed, 192 of them.
func reduceAngle(x float64) (r, rest float64, quadrant uint64) {
	if !(math.Abs(x) <= math.MaxFloat64) {
		return math.NaN(), 0, 0
	}
	pattern := math.Float64bits(x)
	exponent := int(pattern>>52&2047) - 1075
	m := pattern&(1<<52-1) | 1<<52
	// The bit at place g of fourOverPi, counted from the highest, is worth 2^(62-g) in 2/π; the first is worth 2 in x·2/π.
	place := uint(61 + exponent)
	var window [3]uint64
	for i := range window {
		at, shift := int(place/64)+i, place%64
		window[i] = fourOverPi[at]<<shift | fourOverPi[at+1]>>(64-shift)
	}
	high1, low := bits.Mul64(m, window[2])
	high0, middle := bits.Mul64(m, window[1])
	middle, carry := bits.Add64(middle, high1, 0)
	top := m*window[0] + high0 + carry
	quadrant = (top + 1<<61) >> 62
	fraction := [4]uint64{top<<2 | middle>>62, middle<<2 | low>>62, low << 2, 0} // signed, in units of 2^-192
	negative := fraction[0]>>63 != 0
	if negative {
		var borrow uint64
		for i := 2; i >= 0; i-- {
			fraction[i], borrow = bits.Sub64(0, fraction[i], borrow)
		}
	}
	scale := 1.0
	for fraction[0] == 0 {
		fraction = [4]uint64{fraction[1], fraction[2], 0, 0}
		scale *= 0x1p-64
	}
	zeros := uint(bits.LeadingZeros64(fraction[0]))
	first := fraction[0]<<zeros | fraction[1]>>(64-zeros)
	second := fraction[1]<<zeros | fraction[2]>>(64-zeros)
	scale = math.Ldexp(scale, -int(zeros)-64)
	const unit = 1 << 11
	h := float64(first&^(unit-1)) * scale
	l := (float64(first&(unit-1)) + float64(second>>11)*0x1p-53) * scale
	r = float64(h * (math.Pi / 2))
	rest = math.FMA(h, math.Pi/2, -r) + math.FMA(h, 0x1.1a62633145c07p-54, float64(l*(math.Pi/2)))
	sum := r + rest
	rest = (r - sum) + rest
	r = sum
	if negative {
		r, rest = -r, -rest
	}
	if x < 0 {
		return -r, -rest, -quadrant
	}
	return r, rest, quadrant
}

// fourOverPi are the binary digits of 4/π, the first word before the point.
var fourOverPi = [...]uint64{
	0x0000000000000001, 0x45f306dc9c882a53, 0xf84eafa3ea69bb81, 0xb6c52b3278872083, 0xfca2c757bd778ac3, 0x6e48dc74849ba5c0,
	0x0c925dd413a32439, 0xfc3bd63962534e7d, 0xd1046bea5d768909, 0xd338e04d68befc82, 0x7323ac7306a673e9, 0x3908bf177bf25076,
	0x3ff12fffbc0b301f, 0xde5e2316b414da3e, 0xda6cfd9e4f96136e, 0x9e8c7ecd3cbfd45a, 0xea4f758fd7cbe2f6, 0x7a0e73ef14a525d4,
	0xd7f6bf623f1aba10, 0xac06608df8f6d757,
}
