package main

import (
	"math"
	"slices"
)

// Coefficients, the highest powers first, are from interpolation at Chebyshev's nodes with 60 digits; those of double
// precision err by less than 2^-54.
var (
	// expTail is (e^r − 1 − r)/r² for |r| ≤ ½ log 2.
	expTail = []float64{
		0x1.1f730349868cep-29, 0x1.af4de97ca4194p-26, 0x1.27e4db646b17ep-22, 0x1.71de0231960ebp-19, 0x1.a01a01a6d889cp-16, 0x1.a01a01abe7fe1p-13,
		0x1.6c16c16c162d4p-10, 0x1.11111111100dcp-7, 0x1.5555555555556p-5, 0x1.5555555555557p-3, 0.5,
	}
	expTailSingle = []float64{0x1.6d11093a17fd8p-10, 0x1.120b6e42d2112p-7, 0x1.5555192d5f5dep-5, 0x1.5554dcf88fd17p-3, 0.5}
	// sixteenthTail is (e^r − 1)/r for |r| ≤ log 2 / 32, in single precision.
	sixteenthTail = []float64{0x1.55565bc757fecp-3, 0x1.0001480eb35f5p-1, 1}
	// exp2TailSingle is (2^r − 1)/r for |r| ≤ 1/32, in single precision.
	exp2TailSingle = []float64{0x1.c6b299bd67a41p-5, 0x1.ebff917b28217p-3, math.Ln2}
	// sinhTail is (sinh(r)/r − 1)/r² in r² for |r| ≤ ½, and tanhTail that of tanh.
	sinhTail = []float64{
		0x1.965c2e93f12b1p-49, 0x1.ae7ec302041fcp-41, 0x1.61246154a5305p-33, 0x1.ae64567f4e2eep-26, 0x1.71de3a556c740p-19, 0x1.a01a01a01a01ap-13,
		0x1.1111111111111p-7, 0x1.5555555555555p-3,
	}
	sinhTailSingle = []float64{0x1.78a70e32a02ebp-19, 0x1.a008ffbc060dap-13, 0x1.11111eaff05ecp-7, 0x1.5555554e858c9p-3} // for |r| ≤ 1
	tanhTail       = []float64{
		-0x1.8117b15cbb104p-16, 0x1.71eb85bee4b4ap-14, -0x1.efab6555ccc22p-13, 0x1.350ce30757046p-11, -0x1.7d9e74586c684p-10, 0x1.d6d39b48449bfp-9,
		-0x1.226e34a851d2cp-7, 0x1.664f487fed22ap-6, -0x1.ba1ba1ba15daap-5, 0x1.11111111110ecp-3, -0x1.5555555555555p-2,
	}
)

var sixteenths = table{name: "sixteenths", doc: "are 2^(i/16).", entries: [16]float64{
	0x1p+0, 0x1.0b5586p+0, 0x1.172b84p+0, 0x1.2387a6p+0, 0x1.306fep+0, 0x1.3dea64p+0, 0x1.4bfdaep+0, 0x1.5ab07ep+0, 0x1.6a09e6p+0,
	0x1.7a1148p+0, 0x1.8ace54p+0, 0x1.9c4918p+0, 0x1.ae89fap+0, 0x1.c199bep+0, 0x1.d5818ep+0, 0x1.ea4afap+0,
}}

// loweredSixteenths are the sixteenths, from whose bits i at the place of the highest bits of the fraction is taken.
var loweredSixteenths = lowered(sixteenths)

func lowered(t table) table {
	const places = 23 - 4
	for i, v := range t.entries {
		t.entries[i] = float64(math.Float32frombits(math.Float32bits(float32(v)) - uint32(i)<<places))
	}
	t.name = "loweredSixteenths"
	return t
}

// The leading part of log 2 has so few digits that products with exponents are exact.
func ln2Parts(c code) (high, low value) {
	if c.isDouble() {
		return c.number(0x1.62e42fefp-1), c.number(0x1.473de6af278edp-34)
	}
	return c.number(0x1.62e4p-1), c.number(1.4286067653e-06)
}

// clamp returns x, but at least low and at most high; NaN stays NaN.
func clamp(c code, x value, low, high float64) value {
	return c.greater(c.number(low), c.lesser(c.number(high), x))
}

// exponential returns k, p and rest with e^x = 2^k (1 + p + rest), in double precision.
func exponential(c code, x value) (k, p, rest value) {
	k = roundProduct(c, x, math.Log2E)
	ln2High, ln2Low := ln2Parts(c)
	high, low := c.fusedNegative(k, ln2High, x), c.multiply(k, ln2Low)
	r := c.subtract(high, low)
	p, rest = expMinusOne(c, r)
	return k, p, c.add(rest, c.subtract(c.subtract(high, r), low))
}

// expMinusOne returns e^r − 1 and its error for |r| ≤ ½ log 2.
func expMinusOne(c code, r value) (p, rest value) {
	square := c.multiply(r, r)
	return fastTwoSum(c, r, c.multiply(inHalvesOf(c, r, square, expTail), square))
}

// expQuick is exponential without the rest; in single precision, what the reduction loses is neglected.
func expQuick(c code, x value) (k, p value) {
	if c.isDouble() {
		k, p, rest := exponential(c, x)
		return k, c.add(p, rest)
	}
	k, r := reduceSingle(c, x)
	return k, expMinusOneSingle(c, r)
}

// expMinusOneSingle is e^r − 1 for |r| ≤ ½ log 2, in single precision.
func expMinusOneSingle(c code, r value) value {
	return c.fused(c.multiply(r, r), c.polynomial(r, expTailSingle...), r)
}

// The arguments above and below which e^x is infinite and zero.
func expRange(c code) (low, high float64) {
	if c.isDouble() {
		return -746, 710
	}
	return -104, 89
}

func exp(c code, x value) value {
	switch { // of what has no normal results
	case c.isDouble() && c.leavesBeyond(x, 708):
		k, p := expQuick(c, x)
		return c.multiply(c.add(p, c.number(1)), powerOfTwo(c, k))
	case !c.isDouble() && c.leavesBeyond(x, 69):
		bits, _, r := inSixteenths(c, x)
		return withTail(c, r, powerOfSixteenths(c, bits), sixteenthTail)
	}
	low, high := expRange(c)
	return expInRange(c, clamp(c, x, low, high))
}

// expOfNegative is exp for x ≤ 0.
func expOfNegative(c code, x value) value {
	low, _ := expRange(c)
	return expInRange(c, c.greater(c.number(low), x))
}

// expInRange is 2^k 2^(i/16) e^r in single precision, where few powers of r do.
func expInRange(c code, x value) value {
	if c.isDouble() {
		k, p := expQuick(c, x)
		return c.scale(c.add(p, c.number(1)), k)
	}
	return c.scaleDown(expSixteenth(c, x))
}

// expSixteenth returns y, k and the bits of scaleDown with e^x = y 2^⌊k⌋.
func expSixteenth(c code, x value) (y, k, bits value) {
	bits, k, r := inSixteenths(c, x)
	return withTail(c, r, c.lookUp(sixteenths, bits), sixteenthTail), k, bits
}

// inSixteenths returns k, a multiple of a sixteenth whose bits are those of scaleDown, and r with e^x = 2^k e^r.
func inSixteenths(c code, x value) (bits, k, r value) {
	magic := c.number(formatOf(c).magic / 16) // whose last place is a sixteenth
	bits = c.fused(x, c.number(math.Log2E), magic)
	k = c.subtract(bits, magic)
	return bits, k, remainder(c, x, k)
}

// withTail returns the power times 1 + r t(r), t being of the coefficients.
func withTail(c code, r, power value, coefficients []float64) value {
	return c.fused(c.polynomial(r, coefficients...), c.multiply(power, r), power)
}

// powerOfSixteenths returns 2^k of the bits of scaleDown where it is not below 2^-101: products of it with what counts beside 1 are
// normal then, so that nothing else is rounded than without its exponent.
func powerOfSixteenths(c code, bits value) value {
	const places, sixteenths = 23, 4
	return c.addBits(c.lookUp(loweredSixteenths, bits), c.shiftLeft(bits, places-sixteenths))
}

// expSeriesSingle is e^r for |r| ≤ ½ log 2.
var expSeriesSingle = append(slices.Clone(expTailSingle), 1, 1)

// expCloseOfNegative is expOfNegative for what adds errors of its own: in single precision it errs by 0.8 units in the
// last place, not by 1.
func expCloseOfNegative(c code, x value) value {
	if c.isDouble() {
		return expOfNegative(c, x)
	}
	low, _ := expRange(c)
	k, r := reduceSingle(c, c.greater(c.number(low), x))
	return c.scale(c.polynomial(r, expSeriesSingle...), k)
}

// reduceSingle returns k and r with x = k log 2 + r for |r| ≤ ½ log 2, in single precision.
func reduceSingle(c code, x value) (k, r value) {
	k = roundProduct(c, x, math.Log2E)
	return k, remainder(c, x, k)
}

// remainder returns x − k log 2, in single precision.
func remainder(c code, x, k value) value {
	high, low := ln2Parts(c)
	return c.fusedNegative(k, low, c.fusedNegative(k, high, x))
}

func exp2(c code, x value) value {
	if c.leavesBeyond(x, 1022) {
		k, y := exp2Quick(c, x)
		return c.multiply(y, powerOfTwo(c, k))
	}
	k, y := exp2Quick(c, clamp(c, x, -1080, 1025))
	return c.scale(y, k)
}

// exp2Quick returns y and k with 2^x = y 2^k, in double precision.
func exp2Quick(c code, x value) (k, y value) {
	k, _ = round(c, x)
	f := c.subtract(x, k)
	r, rest := twoProduct(c, f, c.number(math.Ln2))
	rest = c.fused(f, c.number(0x1.abc9e3b39803fp-56), rest)
	p, more := expMinusOne(c, r)
	return k, c.add(c.add(p, c.add(rest, more)), c.number(1))
}

// exp2Single is 2^k 2^(i/16) 2^r.
func exp2Single(c code, x value) value {
	if c.leavesBeyond(x, 100) {
		bits, _, r := exp2InSixteenths(c, x)
		return withTail(c, r, powerOfSixteenths(c, bits), exp2TailSingle)
	}
	bits, k, r := exp2InSixteenths(c, clamp(c, x, -152, 129))
	return c.scaleDown(withTail(c, r, c.lookUp(sixteenths, bits), exp2TailSingle), k, bits)
}

// exp2InSixteenths is inSixteenths for powers of 2.
func exp2InSixteenths(c code, x value) (bits, k, r value) {
	magic := c.number(formatOf(c).magic / 16)
	bits = c.add(x, magic)
	k = c.subtract(bits, magic)
	return bits, k, c.subtract(x, k)
}

// expm1 computes with 2^(k-1), which is finite, and doubles the result.
func expm1(c code, x value) value {
	k, p, rest := exponential(c, clamp(c, x, -50, 710))
	power := powerOfTwo(c, c.subtract(k, c.number(1)))
	sum, more := fastTwoSum(c, c.subtract(power, c.number(0.5)), c.multiply(power, p))
	result := c.add(sum, c.fused(power, rest, more))
	return c.choose(c.less(magnitude(c, x), c.number(0x1p-54)), x, c.add(result, result))
}

func expm1Single(c code, x value) value {
	k, r := reduceSingle(c, clamp(c, x, -20, 89))
	power := powerOfTwo(c, c.subtract(k, c.number(1)))
	half := c.fused(power, expMinusOneSingle(c, r), c.subtract(power, c.number(0.5)))
	return c.choose(c.less(magnitude(c, x), c.number(0x1p-25)), x, c.add(half, half))
}

// halves returns e^a/4 and its error, and e^-a/4 and its, for a ≥ 0.
func halves(c code, a value) (up, upRest, down, downRest value) {
	k, p, rest := exponential(c, c.lesser(c.number(710.6), a))
	power := powerOfTwo(c, c.subtract(k, c.number(2)))
	up, upRest = fastTwoSum(c, power, c.multiply(power, p))
	upRest = c.fused(power, rest, upRest)
	sixteenth := c.number(1.0 / 16)
	down = c.divide(sixteenth, up)
	downRest = c.fusedNegative(down, up, sixteenth)
	downRest = c.multiply(c.fusedNegative(down, upRest, downRest), c.multiply(down, c.number(16)))
	return up, upRest, down, downRest
}

func sinh(c code, x value) value {
	a := magnitude(c, x)
	up, upRest, down, downRest := halves(c, a)
	sum, rest := fastTwoSum(c, up, c.xor(down, c.bits(formatOf(c).sign)))
	large := c.add(sum, c.add(rest, c.subtract(upRest, downRest)))
	result := c.choose(c.less(a, c.number(0.5)), oddTail(c, a, sinhTail), c.add(large, large))
	return c.or(result, signOf(c, x))
}

func cosh(c code, x value) value {
	up, upRest, down, downRest := halves(c, magnitude(c, x))
	sum, rest := fastTwoSum(c, up, down)
	result := c.add(sum, c.add(rest, c.add(upRest, downRest)))
	return c.add(result, result)
}

// halvesSingle returns e^a/2 and e^-a/2 for a ≥ 0, in single precision.
func halvesSingle(c code, a value) (up, down value) {
	k, r := reduceSingle(c, c.lesser(c.number(90), a))
	up = c.scale(c.polynomial(r, expSeriesSingle...), c.subtract(k, c.number(1)))
	return up, c.divide(c.number(0.25), up)
}

func sinhSingle(c code, x value) value {
	a := magnitude(c, x)
	up, down := halvesSingle(c, a)
	return c.signed(c.choose(c.less(a, c.number(1)), oddTail(c, a, sinhTailSingle), c.subtract(up, down)), x)
}

func coshSingle(c code, x value) value {
	up, down := halvesSingle(c, magnitude(c, x))
	return c.add(up, down)
}

// oddTail returns x + x³ P(x²).
func oddTail(c code, x value, coefficients []float64) value {
	z := c.multiply(x, x)
	if c.isDouble() {
		return c.fused(c.multiply(x, z), inHalves(c, z, coefficients), x)
	}
	return c.fused(c.multiply(x, z), c.polynomial(z, coefficients...), x)
}

// tanh is 1 − 2/(e^2a + 1) with the sign of x, and for small x a polynomial.
func tanh(c code, x value) value {
	a := magnitude(c, x)
	one, two := c.number(1), c.number(2)
	if !c.isDouble() { // (e^2a − 1)/(e^2a + 1)
		doubled := c.lesser(c.number(20), c.add(a, a))
		k, power := roundedPower(c, doubled, math.Log2E)
		// k is at most 29, so that log 2 with 24 digits does: the error of the remainder, k 2^-29, is below that of e^2a − 1.
		p := expMinusOneSingle(c, c.fusedNegative(k, c.number(math.Ln2), doubled))
		e := c.fused(p, power, c.subtract(power, one))
		return c.signed(c.divide(e, c.add(e, two)), x)
	}
	doubled := c.lesser(c.number(44), c.add(a, a))
	k, p, rest := exponential(c, doubled)
	power := powerOfTwo(c, k)
	e, eRest := fastTwoSum(c, power, c.multiply(power, p))
	sum, sumRest := twoSum(c, e, one)
	sumRest = c.add(sumRest, c.fused(power, rest, eRest))
	t := c.divide(two, sum)
	error := c.fusedNegative(t, sumRest, c.fusedNegative(t, sum, two))
	difference, more := fastTwoSum(c, one, c.xor(t, c.bits(formatOf(c).sign)))
	large := c.add(difference, c.fusedNegative(error, c.multiply(t, c.number(0.5)), more))
	return c.or(c.choose(c.less(a, c.number(0.5)), oddTail(c, a, tanhTail), large), signOf(c, x))
}

// sigmoid uses e^-|x|, which cannot overflow.
func sigmoid(c code, x value) value {
	one := c.number(1)
	small := expCloseOfNegative(c, c.or(x, c.bits(formatOf(c).sign)))
	return c.divide(c.choose(c.less(x, c.number(0)), small, one), c.add(small, one))
}

// silu is x/(1 + e^-x), for negative x e^x x/(1 + e^x) with the power of two multiplied last, so that nothing is lost where
// e^x is below the normal numbers.
func silu(c code, x value) value {
	least, greatest := -150.0, formatOf(c).bias-1
	if c.isDouble() {
		least = -1400
	}
	limited := c.greater(c.number(least), c.or(x, c.bits(formatOf(c).sign)))
	k, p := expQuick(c, limited)
	e := c.add(p, c.number(1))
	small := c.multiply(e, powerOfTwo(c, c.greater(c.number(-greatest), k)))
	numerator := c.choose(c.less(x, c.number(0)), c.scale(c.multiply(e, limited), k), x)
	return c.divide(numerator, c.add(small, c.number(1)))
}
