package main

import (
	"fmt"
	"math"
	"strings"
)

var (
	// sineTail is (sin(r)/r − 1)/r² in r² for |r| ≤ π/4, and cosineTail (cos(r) − 1 + r²/2)/r⁴.
	sineTail = []float64{
		-0x1.ab161757f0c63p-41, 0x1.61217c1864fa1p-33, -0x1.ae64540f0ba18p-26, 0x1.71de3a545e700p-19, -0x1.a01a01a019926p-13, 0x1.1111111111110p-7,
		-0x1.5555555555555p-3,
	}
	cosineTail = []float64{
		0x1.ab76cf6e9b365p-45, -0x1.9394b76d1f265p-37, 0x1.1eed8de9ef73ep-29, -0x1.27e4fb7711e1dp-22, 0x1.a01a01a019d02p-16, -0x1.6c16c16c16c16p-10,
		0x1.5555555555555p-5,
	}
	sineTailSingle   = []float64{0x1.6d8598b1f7695p-19, -0x1.a012f4cd6802cp-13, 0x1.11110d6738328p-7, -0x1.555555542492ap-3}
	cosineTailSingle = []float64{0x1.9b9e6338ef1e3p-16, -0x1.6c12644137a4ap-10, 0x1.55555412af3c2p-5, -0.5}
	// tanTailSingle is (tan(r)/r − 1)/r² in r² for |r| ≤ π/4.
	tanTailSingle = []float64{
		0x1.0b0f25da81c2fp-8, 0x1.9b0f6a4cc5e51p-11, 0x1.4ee4f36da5ea4p-7, 0x1.61008aefacbd7p-6, 0x1.ba6749f6a54c7p-5, 0x1.1110499c953e6p-3,
		0x1.555555ff1f7bep-2,
	}
	// atanTail is (atan(t)/t − 1)/t² in t² for |t| ≤ 7/16.
	atanTail = []float64{
		0x1.e4167464d3de8p-7, -0x1.0f62bba6a2558p-5, 0x1.7001816fd063fp-5, -0x1.ab59b417b2d3fp-5, 0x1.e170800a46210p-5, -0x1.110c9ce7b0572p-4,
		0x1.3b1375ce5bdc6p-4, -0x1.745d154c84f7ap-4, 0x1.c71c71bd2b8bcp-4, -0x1.2492492485503p-3, 0x1.99999999998c5p-3, -0x1.5555555555555p-2,
	}
	// atanTailSingle is atanTail for |t| ≤ 1.
	atanTailSingle = []float64{
		0x1.86406cc5c4982p-10, -0x1.2ba6b6e0bd288p-7, 0x1.aefb2bdf4b25ap-6, -0x1.9115a3d155a2fp-5, 0x1.2006f71525126p-4, -0x1.6dd8fdf061e31p-4,
		0x1.c62cd9aa62ae5p-4, -0x1.2489515c587b6p-3, 0x1.999955947a191p-3, -0x1.55555529fed15p-2,
	}
	// asinTail is (asin(t)/t − 1)/t² in t² for |t| ≤ ½.
	asinTail = []float64{
		0x1.e529c6fce9bb4p-6, -0x1.3b416bb7d9257p-6, 0x1.406192d124629p-6, 0x1.8f193743418ffp-9, 0x1.31622469ce5adp-7, 0x1.3b49de7121487p-7,
		0x1.7b027ee1dd585p-7, 0x1.c990ad3d8fdcap-7, 0x1.1c4efce23019fp-6, 0x1.6e8ba123e494cp-6, 0x1.f1c71c7a52ba3p-6, 0x1.6db6db6dac1e0p-5,
		0x1.3333333333388p-4, 0x1.5555555555555p-3,
	}
	asinTailSingle = []float64{0x1.13fed3dd245c1p-5, 0x1.18f91e79712c6p-6, 0x1.fd8da2554dd34p-6, 0x1.6d5bb95f8e653p-5, 0x1.333430fcff28ep-4, 0x1.555554e435732p-3}
)

// π/2 and π/4 as sums, the former of parts so short that their products with quadrants are exact.
const (
	halfPiFirst  = 0x1.921fb544p+0
	halfPiSecond = 0x1.0b4611a6p-34
	halfPiThird  = 0x1.3198a2e037073p-69
	halfPi       = 0x1.921fb54442d18p+0
	halfPiRest   = 0x1.1a62633145c07p-54
	halfPiSingle = 0x1.921fb6p+0 // in single precision
)

// angle is r + rest, |r| ≤ π/4, and as many quarter turns as the lowest bits of quadrant say.
type angle struct{ r, rest, quadrant value }

// angleOf takes off multiples of π/2 by the method of Cody and Waite. Large angles, and those so near to a multiple that
// three parts of π/2 do not do, are left to Go.
func angleOf(c code, x value) angle {
	c.unless(c.notLess(magnitude(c, x), c.number(1<<20)))
	k, quadrant := round(c, c.multiply(x, c.number(2/math.Pi)))
	first := c.fusedNegative(k, c.number(halfPiFirst), x)
	second, rest := twoSum(c, first, c.multiply(k, c.number(-halfPiSecond)))
	r := c.fusedNegative(k, c.number(halfPiThird), second)
	rest = c.add(rest, c.fusedNegative(k, c.number(halfPiThird), c.subtract(second, r)))
	c.unless(c.less(magnitude(c, r), c.choose(c.equal(k, c.number(0)), c.number(-1), c.number(0x1p-27))))
	return angle{r, rest, quadrant}
}

// sineAndCosine returns those of r + rest as sums.
func (a angle) sineAndCosine(c code) (sine, sineRest, cosine, cosineRest value) {
	z := c.multiply(a.r, a.r)
	square := c.multiply(z, z)
	sineOdd, sineEven := oddAndEven(square, sineTail)
	cosineOdd, cosineEven := oddAndEven(square, cosineTail)
	sums := c.inStep(sineOdd, sineEven, cosineOdd, cosineEven)
	one, half := c.number(1), c.multiply(z, c.number(0.5))
	near := c.subtract(one, half)
	sine, sineRest = fastTwoSum(c, a.r, c.fused(c.multiply(a.r, z), c.fused(z, sums[0], sums[1]), c.multiply(a.rest, near)))
	lost := c.subtract(c.subtract(one, near), half)
	tail := c.fusedNegative(a.r, a.rest, c.multiply(square, c.fused(z, sums[2], sums[3])))
	cosine, cosineRest = fastTwoSum(c, near, c.add(lost, tail))
	return sine, sineRest, cosine, cosineRest
}

// isOdd holds where the quadrant is odd.
func (a angle) isOdd(c code) mask { return isOdd(c, a.quadrant) }

// isOdd brings the lowest bit to the exponent: the number is zero, or 2^-511 or 2^-63.
func isOdd(c code, bits value) mask {
	highest := uint8(31)
	if c.isDouble() {
		highest = 63
	}
	return c.less(c.number(0), c.shiftRight(c.shiftLeft(bits, highest), 2))
}

// turned returns even or, where the quadrant is odd, odd, with the sign changed where bit 1 of quadrant is set.
func (a angle) turned(c code, quadrant, even, odd value) value {
	sign := c.shiftLeft(c.and(quadrant, c.bits(2)), 62)
	return c.xor(c.choose(a.isOdd(c), odd, even), sign)
}

func sinOf(c code, a angle) value {
	sine, _, cosine, _ := a.sineAndCosine(c)
	return a.turned(c, a.quadrant, sine, cosine)
}

func cosOf(c code, a angle) value {
	sine, _, cosine, _ := a.sineAndCosine(c)
	return a.turned(c, c.addBits(a.quadrant, c.bits(1)), cosine, sine)
}

// tanOf is the quotient of sine and cosine, or less the inverse of that.
func tanOf(c code, a angle) value {
	sine, sineRest, cosine, cosineRest := a.sineAndCosine(c)
	odd := a.isOdd(c)
	q, rest := quotient(c, c.choose(odd, cosine, sine), c.choose(odd, cosineRest, sineRest), c.choose(odd, sine, cosine), c.choose(odd, sineRest, cosineRest))
	return c.xor(c.add(q, rest), c.shiftLeft(a.quadrant, 63))
}

func sin(c code, x value) value { return nearZero(c, x, -1.0/6, sinOf(c, angleOf(c, x))) }

func cos(c code, x value) value { return cosOf(c, angleOf(c, x)) }

func tan(c code, x value) value { return nearZero(c, x, 1.0/3, tanOf(c, angleOf(c, x))) }

// turnedSingle returns r and as many quarter turns as the lowest bits of quadrant say, for an angle a that is not negative, in
// single precision. The first remainder is exact: it is a multiple of the last place of a, or of π/2's first part, and less
// than one.
func turnedSingle(c code, a value) (r, quadrant value) {
	c.unless(c.notLess(a, c.number(1<<18)))
	magic := c.number(formatOf(c).magic)
	quadrant = c.fused(a, c.number(2/math.Pi), magic)
	k := c.subtract(quadrant, magic)
	r = a
	for _, part := range []float64{0x1.921fb4p+0, 0x1.4442dp-24, 0x1.846988p-48} {
		r = c.fusedNegative(k, c.number(part), r)
	}
	return r, quadrant
}

// sineSingle is the sine of r after quarter turns.
func sineSingle(c code, r, quadrant value) value {
	z := c.multiply(r, r)
	sine := c.fused(c.multiply(r, z), c.polynomial(z, sineTailSingle...), r)
	cosine := c.fused(z, c.polynomial(z, cosineTailSingle...), c.number(1))
	sign := c.shiftLeft(c.and(quadrant, c.bits(2)), 30)
	return c.xor(c.choose(isOdd(c, quadrant), cosine, sine), sign)
}

func sinSingle(c code, x value) value {
	r, quadrant := turnedSingle(c, magnitude(c, x))
	return c.xor(sineSingle(c, r, quadrant), signOf(c, x))
}

func cosSingle(c code, x value) value {
	r, quadrant := turnedSingle(c, magnitude(c, x))
	return sineSingle(c, r, c.addBits(quadrant, c.bits(1)))
}

// tanSingle is the tangent of r or, after an odd number of quarter turns, less its inverse.
func tanSingle(c code, x value) value {
	r, quadrant := turnedSingle(c, magnitude(c, x))
	t := oddTail(c, r, tanTailSingle)
	odd := isOdd(c, quadrant)
	return c.xor(c.divide(c.choose(odd, c.number(-1), t), c.choose(odd, t, c.number(1))), signOf(c, x))
}

// nearZero returns x + factor·x³ for the smallest x, among them −0, and else otherwise.
func nearZero(c code, x value, factor float64, otherwise value) value {
	cubed := c.multiply(c.multiply(x, x), x)
	near := c.or(c.fused(cubed, c.number(factor), x), signOf(c, x))
	return c.choose(c.less(magnitude(c, x), c.number(0x1p-27)), near, otherwise)
}

// angleFunctions are the functions of angles that are reduced already.
var angleFunctions = []struct {
	name string
	body func(c code, a angle) value
}{{"sin", sinOf}, {"cos", cosOf}, {"tan", tanOf}}

// writeAngles returns the Go functions of angles that are reduced already.
func writeAngles() string {
	var text strings.Builder
	for _, f := range angleFunctions {
		p := &portable{double: true}
		result := f.body(p, angle{term{text: "r"}, term{text: "rest"}, term{text: "quadrant", isBits: true}}).(term)
		fmt.Fprintf(&text, "\n// %sOfAngle computes %[1]s of r + rest, and quadrant quarter turns.\nfunc %[1]sOfAngle(r, rest float64, quadrant uint64) float64 {\n%s\treturn %s\n}\n",
			f.name, p.needed(result), p.asNumber(result))
	}
	return text.String()
}

// atan takes off the arctangent of ½, 1, 3/2 or ∞, as FreeBSD's s_atan.c does.
func atan(c code, x value) value {
	a := magnitude(c, x)
	type step struct{ from, tangent, high, low float64 }
	steps := []step{
		{7.0 / 16, 0.5, 0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56}, {11.0 / 16, 1, 0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
		{19.0 / 16, 1.5, 0x1.f730bd281f69bp-1, 0x1.007887af0cbbdp-56},
	}
	above, below := a, c.number(1)
	high, low := c.number(0), c.number(0)
	for _, s := range steps {
		m := c.notLess(a, c.number(s.from))
		above = c.choose(m, c.subtract(a, c.number(s.tangent)), above)
		below = c.choose(m, c.fused(a, c.number(s.tangent), c.number(1)), below)
		high, low = c.choose(m, c.number(s.high), high), c.choose(m, c.number(s.low), low)
	}
	m := c.notLess(a, c.number(39.0/16))
	above, below = c.choose(m, c.number(-1), above), c.choose(m, a, below)
	high, low = c.choose(m, c.number(halfPi), high), c.choose(m, c.number(halfPiRest), low)
	t := c.divide(above, below)
	rest := c.divide(c.fusedNegative(t, below, above), below)
	rest = c.choose(c.less(a, c.number(0x1p500)), rest, c.number(0))
	z := c.multiply(t, t)
	tail := c.fused(c.multiply(t, z), inHalves(c, z, atanTail), c.add(low, rest))
	sum, more := fastTwoSum(c, high, t)
	result := c.add(sum, c.add(more, tail)) // t + tail where nothing is taken off: t is a there, and the rest is zero
	return c.or(result, signOf(c, x))
}

// atanSingle is π/2 − atan(1/x) for large x.
func atanSingle(c code, x value) value {
	a, one := magnitude(c, x), c.number(1)
	large := c.less(one, a)
	t := c.divide(c.choose(large, c.number(-1), a), c.choose(large, a, one))
	r := oddTail(c, t, atanTailSingle)
	return c.signed(c.choose(large, c.add(c.number(halfPiSingle), c.add(r, c.number(halfPi-halfPiSingle))), r), x)
}

// half angles: for a = |x| ≥ ½, asin(a) is π/2 − 2 asin(√((1−a)/2)). asinParts returns whether a is so large, and the
// arcsine of a, or of that root, as a sum.
func asinParts(c code, x value) (large mask, s, rest value) {
	a := magnitude(c, x)
	large = c.notLess(a, c.number(0.5))
	half := c.multiply(c.subtract(c.number(1), a), c.number(0.5))
	r, lost := root(c, c.greater(c.number(0x1p-200), half), c.number(0))
	zero := c.equal(half, c.number(0))
	r, lost = c.choose(zero, c.number(0), r), c.choose(zero, c.number(0), lost)
	z := c.choose(large, half, c.multiply(a, a))
	s = c.choose(large, r, a)
	rest = c.fused(c.multiply(s, z), inHalves(c, z, asinTail), c.choose(large, lost, c.number(0)))
	return large, s, rest
}

// inCircle leaves numbers that are sines of no angle, or returns NaN for them.
func inCircle(c code, x, angle value) value {
	isOut := c.notLess(magnitude(c, x), c.number(1+0x1p-52))
	if c.completes() {
		return c.choose(isOut, c.number(math.NaN()), angle)
	}
	c.unless(isOut)
	return angle
}

func asin(c code, x value) value {
	large, s, rest := asinParts(c, x)
	sum, more := fastTwoSum(c, c.number(halfPi), c.multiply(s, c.number(-2)))
	result := c.add(sum, c.add(more, c.fused(rest, c.number(-2), c.number(halfPiRest))))
	return inCircle(c, x, c.or(c.choose(large, result, c.add(s, rest)), signOf(c, x)))
}

// acos is π/2 − asin(x), where x is large 2 asin(…) or π − 2 asin(…).
func acos(c code, x value) value {
	large, s, rest := asinParts(c, x)
	negative := c.less(x, c.number(0))
	sign := signOf(c, x)
	sum, more := fastTwoSum(c, c.number(halfPi), c.xor(c.xor(s, sign), c.bits(formatOf(c).sign)))
	small := c.add(sum, c.add(more, c.subtract(c.number(halfPiRest), c.xor(rest, sign))))
	twice, twiceRest := c.add(s, s), c.add(rest, rest)
	sum, more = fastTwoSum(c, c.number(2*halfPi), c.xor(twice, c.bits(formatOf(c).sign)))
	far := c.add(sum, c.add(more, c.subtract(c.number(2*halfPiRest), twiceRest)))
	return inCircle(c, x, c.choose(large, c.choose(negative, far, c.add(twice, twiceRest)), small))
}

// asinPartsSingle is asinParts without the rest, in single precision, where nothing but NaN comes of numbers that are too large.
func asinPartsSingle(c code, x value) (large mask, s value) {
	a := magnitude(c, x)
	large = c.notLess(a, c.number(0.5))
	half := c.multiply(c.subtract(c.number(1), a), c.number(0.5))
	s, z := c.choose(large, c.squareRoot(half), a), c.choose(large, half, c.multiply(a, a))
	return large, c.fused(c.multiply(s, z), c.polynomial(z, asinTailSingle...), s)
}

func asinSingle(c code, x value) value {
	large, s := asinPartsSingle(c, x)
	far := c.add(c.number(halfPiSingle), c.fused(s, c.number(-2), c.number(halfPi-halfPiSingle)))
	return c.signed(c.choose(large, far, s), x)
}

func acosSingle(c code, x value) value {
	large, s := asinPartsSingle(c, x)
	near := c.add(c.number(halfPiSingle), c.subtract(c.number(halfPi-halfPiSingle), c.xor(s, signOf(c, x))))
	far := c.add(c.number(2*halfPiSingle), c.fused(s, c.number(-2), c.number(2*(halfPi-halfPiSingle))))
	return c.choose(large, c.choose(c.less(x, c.number(0)), far, c.add(s, s)), near)
}
