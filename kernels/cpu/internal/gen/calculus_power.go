package main

import "math"

// pow is e^(y log x), with the logarithm to some 65 bits. Exponents 1, 2, 3, ½, −½, −1 and −2 give the products, roots
// and quotients that they stand for, which kernels for one exponent compute. Blocks leave these.
func pow(c code, x, y value) value {
	if c.inBlock() {
		square, isShort := c.multiply(y, y), c.equal(y, c.number(3))
		for _, exponent := range []float64{0.5, 1, 2} {
			isShort = c.either(isShort, c.equal(square, c.number(exponent*exponent)))
		}
		c.unless(isShort)
		return powSteps(c, x, y)
	}
	return powOfAll(c, x, y, func(c code, x, y value) value { return shortPower(c, x, y, powSteps(c, x, y)) })
}

// powOfAll computes by steps for positive finite x. Where it completes, it takes the magnitudes of negative x, and sees
// to zeros; otherwise it leaves them, and always infinite operands and NaN.
func powOfAll(c code, x, y value, steps func(c code, x, y value) value) value {
	infinite := c.number(math.Inf(1))
	c.unless(c.notLess(magnitude(c, y), infinite))
	if !c.completes() {
		c.unless(c.either(c.less(x, c.number(math.SmallestNonzeroFloat64)), c.notLess(x, infinite)))
		return steps(c, x, y)
	}
	const least = 1 << 51 // of exponents whose sum with 1.5·2^52 does not tell whether they are odd, which matters to what has a sign
	zero, one, a := c.number(0), c.number(1), magnitude(c, x)
	c.unless(c.either(c.notLess(a, infinite), c.notLess(c.choose(c.notLess(zero, x), magnitude(c, y), zero), c.number(least))))
	result := steps(c, c.choose(c.equal(x, zero), one, a), y)
	result = c.choose(c.equal(x, zero), c.choose(c.less(zero, y), zero, c.choose(c.less(y, zero), infinite, one)), result)
	integer, bits := round(c, y)
	isInteger := c.equal(y, integer)
	odd := c.choose(isInteger, c.and(c.shiftLeft(bits, 63), signOf(c, x)), zero)
	return c.choose(isInteger, c.xor(result, odd), c.choose(c.less(x, zero), c.number(math.NaN()), result))
}

// shortPower returns products, roots and quotients for their exponents, and for others the result.
func shortPower(c code, x, y, result value) value {
	squares, cubes, square := c.equal(y, c.number(2)), c.equal(y, c.number(3)), c.multiply(x, x)
	result = c.choose(c.equal(y, c.number(1)), x, c.choose(squares, square, c.choose(cubes, c.multiply(square, x), result)))
	inverseRoots, root := c.equal(y, c.number(-0.5)), c.squareRoot(x)
	result = c.choose(c.equal(y, c.number(0.5)), root, result)
	inverse := c.divide(c.number(1), c.choose(inverseRoots, root, x))
	result = c.choose(c.equal(y, c.number(-1)), inverse, c.choose(c.equal(y, c.number(-2)), inverseSquare(c, x), result))
	return c.choose(inverseRoots, closerInverseRoot(c, x, inverse), result)
}

// closerInverseRoot is 1/√x of an approximation, by a step of Newton's method with the residue in full, for normal
// numbers; of others it is the approximation.
func closerInverseRoot(c code, x, inverse value) value {
	residue := residueOfInverseRoot(c, x, inverse)
	result := c.fused(c.multiply(inverse, c.number(0.5)), residue, inverse)
	if c.inBlock() {
		return result
	}
	return c.choose(c.either(c.less(x, c.number(formatOf(c).minimum)), c.notLess(x, c.number(math.Inf(1)))), inverse, result)
}

// residueOfInverseRoot is 1 − x inverse², of which x inverse, about √x, has a rest for all normal x, as inverse² has not.
func residueOfInverseRoot(c code, x, inverse value) value {
	root, rest := twoProduct(c, x, inverse)
	return c.fusedNegative(rest, inverse, c.fusedNegative(root, inverse, c.number(1)))
}

// powSteps is pow of positive finite x: with y log x as k log 2 + r, k being a multiple of a sixteenth, it is 2^k e^r.
// Blocks leave what has no normal results.
func powSteps(c code, x, y value) value {
	high, low := powLogarithm(c, x)
	exponent, rest := twoProduct(c, y, high)
	rest = c.fused(y, low, rest)
	if c.inBlock() {
		c.unless(c.notLess(magnitude(c, exponent), c.number(708)))
	} else {
		rest = c.choose(c.less(magnitude(c, exponent), c.number(800)), rest, c.number(0)) // else the result is 0, 1 or infinite
		exponent = clamp(c, exponent, -746, 710)
	}
	bits := c.fused(exponent, c.number(math.Log2E), c.number(magicOfSixteenths))
	k := c.subtract(bits, c.number(magicOfSixteenths))
	ln2High, ln2Low := ln2Parts(c)
	r := c.add(c.fusedNegative(k, ln2High, exponent), c.fusedNegative(k, ln2Low, rest))
	square, entries := c.multiply(r, r), c.lookUpAll(bits, loweredPowers, powersRests)
	p := c.fused(square, inHalvesOf(c, r, square, powSquareTail), c.add(r, entries[1]))
	if c.inBlock() {
		power := raised(c, entries[0], bits)
		return c.fused(power, p, power)
	}
	half, _ := round(c, c.multiply(k, c.number(0.5)))
	power := raised(c, entries[0], c.subtract(bits, half))
	return c.multiply(c.fused(power, p, power), powerOfTwo(c, half))
}

// powLogarithm returns the logarithm of positive finite x as a sum, with an error of some 2^-65 of it: the terms up to
// r³/3 are computed with twice the digits. Of what is not positive and finite, and not left, it is not finite.
func powLogarithm(c code, x value) (high, low value) {
	var lost value
	if !c.inBlock() {
		tiny := c.less(x, c.number(formatOf(c).minimum))
		x = c.choose(tiny, c.multiply(x, c.number(0x1p54)), x)
		lost = c.choose(tiny, c.number(54), c.number(0))
	}
	k, m := c.binade(x)
	if lost != nil {
		k = c.subtract(k, lost)
	}
	fifteenth := c.fused(m, c.number(15), c.number(doubleFormat.magic))
	entries := c.lookUpAll(fifteenth, powThirtySeconds, powLogarithmsFirst, powLogarithmsSecond)
	r := c.fused(m, entries[0], c.number(-1))        // exactly
	of := c.fused(k, c.number(ln2First), entries[1]) // exactly
	low = c.fused(k, c.number(ln2Second), entries[2])
	square, squareRest := twoProduct(c, c.multiply(r, c.number(-0.5)), r)
	cube, cubeRest := twoProduct(c, square, r)
	cubeRest = c.fused(squareRest, r, cubeRest)
	third, thirdRest := twoProduct(c, cube, c.number(-0x1.5555555555555p-1))
	thirdRest = c.fused(cube, c.number(-0x1.5555555555555p-55), c.fused(cubeRest, c.number(-0x1.5555555555555p-1), thirdRest))
	high, rest := fastTwoSum(c, of, r)
	low = c.add(low, rest)
	high, rest = fastTwoSum(c, high, square)
	low = c.add(low, c.add(squareRest, rest))
	high, rest = fastTwoSum(c, high, third)
	low = c.add(low, c.add(thirdRest, rest))
	low = c.fused(c.multiply(square, square), inHalves(c, r, powFourthTail), low)
	return fastTwoSum(c, high, low)
}

// Of the fifteenths of 1 to 2, by the last four bits of their number, 15 to 30, numbers that about divide them, and the
// logarithms of these: such as are very close to numbers of double precision (see logReciprocals). Those of 1 and 2 are exact.
var (
	powReciprocals = table{name: "powReciprocals", double: true, doc: "are numbers that about divide i/15 or 1+i/15.", entries: [16]float64{
		0x1.dffeb6p-1, 0x1.c3c2e4ep-1, 0x1.aaab4f8p-1, 0x1.9438b2cp-1, 0x1.7ffe1e6p-1, 0x1.6db875cp-1, 0x1.5d167ap-1, 0x1.4de9122p-1,
		0x1.3ffd5f8p-1, 0x1.33354dp-1, 0x1.276301p-1, 0x1.1c6fa72p-1, 0x1.124ac16p-1, 0x1.08d35b8p-1, 0x1p-1, 1,
	}}
	powLogarithms = table{name: "powLogarithms", double: true, doc: "are minus the logarithms to base 2 of powReciprocals.", entries: [16]float64{
		0x1.7d70281385cc9p-4, 0x1.71d58e4d73e1cp-3, 0x1.0d56a970a03a8p-2, 0x1.5d2e891d0c78ap-2, 0x1.a906d4035843ep-2, 0x1.f10d416da9f9ep-2,
		0x1.1ae85774bba5p-1, 0x1.3bbdd3b6053f5p-1, 0x1.5b324dfef7abbp-1, 0x1.794e80cc22cb5p-1, 0x1.964ab6dd02613p-1, 0x1.b2322b356fce1p-1,
		0x1.cd0551548fb1dp-1, 0x1.e6f6ba7998c66p-1, 1, 0,
	}}
)

// loweredPowers are 2^(i/16), lowered as loweredSixteenths are.
var loweredPowers = table{name: "loweredPowers", double: true, doc: "are 2^(i/16), from whose bits i at the place of the highest bits of the fraction is taken.", entries: loweredDouble([16]float64{
	1, 0x1.0b5586cf9890fp+0, 0x1.172b83c7d517bp+0, 0x1.2387a6e756238p+0, 0x1.306fe0a31b715p+0, 0x1.3dea64c123422p+0,
	0x1.4bfdad5362a27p+0, 0x1.5ab07dd485429p+0, 0x1.6a09e667f3bcdp+0, 0x1.7a11473eb0187p+0, 0x1.8ace5422aa0dbp+0, 0x1.9c49182a3f09p+0,
	0x1.ae89f995ad3adp+0, 0x1.c199bdd85529cp+0, 0x1.d5818dcfba487p+0, 0x1.ea4afa2a490dap+0,
})}

func loweredDouble(entries [16]float64) [16]float64 {
	const places = 52 - 4
	for i, v := range entries {
		entries[i] = math.Float64frombits(math.Float64bits(v) - uint64(i)<<places)
	}
	return entries
}

var (
	// powLogTail is log2(1+r)/r for r from −1/32 to 1/30, and powExpTail (2^r − 1)/r for |r| ≤ 1/32, with errors below
	// 2^-55 of the former and below 2^-46 of 2^r.
	powLogTail = []float64{
		0x1.4630066f798d6p-3, -0x1.72030c3a59c42p-3, 0x1.a61887b0792bdp-3, -0x1.ec707b45726afp-3, 0x1.2776c4f903456p-2, -0x1.71547653fc7fap-2,
		0x1.ec709dc3a140bp-2, -0x1.71547652b82cap-1, 0x1.71547652b82fep+0,
	}
	powExpTail = []float64{0x1.5d893e58acc63p-10, 0x1.3b2c4ac7da565p-7, 0x1.c6b08d6faa1bep-5, 0x1.ebfbdff6988c8p-3, 0x1.62e42fefa39efp-1}
)

// Numbers of five bits that about divide the fifteenths of 1 to 2, numbered as those of powReciprocals, and the parts of
// the logarithms of these: the first are multiples of 2^-42, as that of 2 is.
var (
	powThirtySeconds = table{name: "powThirtySeconds", double: true, doc: "are numbers of five bits that about divide i/15 or 1+i/15.", entries: [16]float64{
		0x1.ep-1, 0x1.cp-1, 0x1.bp-1, 0x1.9p-1, 0x1.8p-1, 0x1.7p-1, 0x1.6p-1, 0x1.5p-1,
		0x1.4p-1, 0x1.3p-1, 0x1.2p-1, 0x1.2p-1, 0x1.1p-1, 0x1p-1, 0x1p-1, 1,
	}}
	powLogarithmsFirst = table{name: "powLogarithmsFirst", double: true, doc: "are minus the natural logarithms of powThirtySeconds but for their last digits.", entries: [16]float64{
		0x1.08598b59e4p-4, 0x1.1178e8227ep-3, 0x1.5bf406b544p-3, 0x1.f991c6cb3cp-3, 0x1.269621134ep-2, 0x1.522ae0738ap-2,
		0x1.7fafa3bd81p-2, 0x1.af5295248dp-2, 0x1.e148a1a272p-2, 0x1.0ae76e2d058p-1, 0x1.269621134d8p-1, 0x1.269621134d8p-1,
		0x1.43d9ff2f92p-1, 0x1.62e42fefa38p-1, 0x1.62e42fefa38p-1, 0,
	}}
	powLogarithmsSecond = table{name: "powLogarithmsSecond", double: true, doc: "are what powLogarithmsFirst lacks.", entries: [16]float64{
		-0x1.7e5dd7009902cp-46, 0x1.1ef78ce2d07f2p-45, -0x1.27023eb68981cp-46, -0x1.90d04cd7cc834p-44, -0x1.1b61f10522625p-44, 0x1.ebe708164c759p-45,
		0x1.46fb79bf6d4cbp-44, -0x1.17cc552774458p-45, 0x1.b36537e3375b2p-44, -0x1.82de51de06076p-44, 0x1.c93c1df5bb3b6p-44, 0x1.c93c1df5bb3b6p-44,
		0x1.e267b0b7efae1p-44, 0x1.ef35793c7673p-45, 0x1.ef35793c7673p-45, 0,
	}}
	powersRests = table{name: "powersRests", double: true, doc: "are what loweredPowers lacks, as parts of them.", entries: [16]float64{
		0, 0x1.79aa65d837b6dp-54, -0x1.01b15eaa59348p-55, 0x1.68efde3a8a894p-54, 0x1.34d754db0abb6p-55, 0x1.59f48a72a4c6dp-55,
		0x1.690cebb7aafbp-56, 0x1.063e1e21c5409p-54, -0x1.3b3efbf5e2228p-54, -0x1.b32dcb94da51dp-56, 0x1.db72fc1f0eab4p-55, 0x1.1affc2b91ce27p-56,
		0x1.c1a7792cb3387p-55, 0x1.36eae30af0cb3p-56, 0x1.4a385a63d07a7p-56, -0x1.ff7128fd391fp-55,
	}}
)

const (
	ln2First, ln2Second = 0x1.62e42fefa38p-1, 0x1.ef35793c7673p-45
	magicOfSixteenths   = 0x1.8p48 // whose last place is a sixteenth
)

var (
	// powFourthTail is 4 (log(1+r) − r + r²/2 − r³/3)/r⁴ for r from −0.05 to 0.041, and powSquareTail (e^r − 1 − r)/r² for
	// |r| ≤ log 2 / 32, with errors below 2^-69 of r and 2^-64 of e^r.
	powFourthTail = []float64{
		0x1.4a7ef748bae93p-2, -0x1.568f5af9c70cdp-2, 0x1.744e912508434p-2, -0x1.9999207e4510dp-2, 0x1.c71c7678dc1bep-2, -0x1.00000009f00c7p-1,
		0x1.249249244a3ffp-1, -0x1.5555555554bacp-1, 0x1.99999999999bfp-1, -1,
	}
	powSquareTail = []float64{
		0x1.a01b0c2efc09ap-13, 0x1.6c17ed4ce9ff6p-10, 0x1.11111110e10a7p-7, 0x1.55555554e9466p-5, 0x1.5555555555556p-3, 0x1.0000000000001p-1,
	}
)

// powSingle is pow for numbers of single precision in double precision, with an error below 2^-43. What is so near to
// the middle between two numbers of single precision that this could tell the wrong one is left to Go, as are results
// below the normal numbers: pow itself computes them. So all results are the rounded ones of those of double precision,
// and loops for one exponent have the same bits if theirs are. Blocks leave all whose results are close to the ends of
// the normal numbers, or beyond, and with them what is not positive and finite.
func powSingle(c code, x, y value) value {
	if c.inBlock() {
		return powStepsSingle(c, x, y)
	}
	return powOfAll(c, x, y, powStepsSingle)
}

// powStepsSingle is powSingle of positive finite x.
func powStepsSingle(c code, x, y value) value {
	exponent := c.multiply(y, powLogarithmSingle(c, x))
	if c.inBlock() {
		c.unless(c.notLess(magnitude(c, exponent), c.number(126)))
		result := powerOfTwoSingle(c, exponent)
		c.unless(isNearMiddle(c, result))
		return result
	}
	result := powerOfTwoSingle(c, clamp(c, exponent, -1000, 1000)) // which float32 has no numbers for
	isDenormal := c.less(c.number(0x1p-151), c.choose(c.less(result, c.number(0x1p-126)), result, c.number(0)))
	c.unless(c.either(isNearMiddle(c, result), isDenormal))
	return result
}

// powLogarithmSingle is the logarithm of x to base 2, with a relative error below 2^-51, and what is not finite where x is
// not positive and finite, if that is not left.
func powLogarithmSingle(c code, x value) value {
	k, m := c.binade(x)
	fifteenth := c.fused(m, c.number(15), c.number(doubleFormat.magic))
	entries := c.lookUpAll(fifteenth, powReciprocals, powLogarithms)
	r := c.fused(m, entries[0], c.number(-1)) // exactly
	return c.fused(r, c.polynomial(r, powLogTail...), c.add(k, entries[1]))
}

// powerOfTwoSingle is 2^x, a normal number of double precision, with a relative error below 2^-45.
func powerOfTwoSingle(c code, x value) value {
	magic := c.number(magicOfSixteenths)
	bits := c.add(x, magic)
	r := c.subtract(x, c.subtract(bits, magic))
	power := raised(c, c.lookUpAll(bits, loweredPowers)[0], bits)
	return c.fused(c.multiply(power, r), c.polynomial(r, powExpTail...), power)
}

// cube is pow with the exponent 3, for all x.
func cube(c code, x value) value { return c.multiply(c.multiply(x, x), x) }

// halfPower is pow with the exponent ½, for all x: a root, but of −∞ and −0 not negative. That of single precision is the rounded one, too.
func halfPower(c code, x value) value { return c.squareRoot(withoutSign(c, x)) }

// withoutSign makes −∞ and −0 positive, and leaves other x as they are.
func withoutSign(c code, x value) value {
	infinite := math.Inf(1)
	return c.choose(c.equal(x, c.number(-infinite)), c.number(infinite), c.add(x, c.number(0)))
}

// inverseHalfPower is pow with the exponent −½, in double precision, for all x.
func inverseHalfPower(c code, x value) value {
	if c.inBlock() {
		unlessNormal(c, x)
	} else {
		x = withoutSign(c, x)
	}
	return closerInverseRoot(c, x, c.divide(c.number(1), c.squareRoot(x)))
}

// inverseHalfPowerSingle is inverseHalfPower in single precision, where a step of the third order makes all results
// rounded ones, as those of powSingle are: a test goes through all significands.
func inverseHalfPowerSingle(c code, x value) value {
	one := c.number(1)
	steps := func(x value) value {
		inverse := c.divide(one, c.squareRoot(x))
		residue := residueOfInverseRoot(c, x, inverse)
		step := c.fused(c.multiply(residue, c.number(0.375)), residue, c.multiply(residue, c.number(0.5)))
		return corrected(c, inverse, residue, step)
	}
	if c.inBlock() {
		unlessNormal(c, x)
		return steps(x)
	}
	x = withoutSign(c, x)
	tiny := c.less(x, c.number(formatOf(c).minimum))
	return c.multiply(steps(c.multiply(x, c.choose(tiny, c.number(0x1p24), one))), c.choose(tiny, c.number(0x1p12), one))
}

// inverseSquare is pow with the exponent −2, in double precision, for all x: those whose squares have no exact rest are
// multiplied by a power of two first.
func inverseSquare(c code, x value) value {
	a, one := magnitude(c, x), c.number(1)
	tiny, huge := c.less(a, c.number(0x1p-480)), c.notLess(a, c.number(0x1p480))
	if c.inBlock() {
		c.unless(c.either(tiny, huge))
		return inverseOfSquare(c, x)
	}
	return inverseOfScaledSquare(c, x, c.choose(tiny, c.number(0x1p600), c.choose(huge, c.number(0x1p-600), one)))
}

// inverseSquareSingle is inverseSquare in single precision, where all results are rounded ones, as those of powSingle
// are: a test goes through all significands. It leaves what has results below the normal numbers, which would be
// rounded twice, and with it infinities and NaN.
func inverseSquareSingle(c code, x value) value {
	const least, most = 0x1p-40, 0x1p63
	a, one := magnitude(c, x), c.number(1)
	tiny, huge := c.less(a, c.number(least)), c.notLess(a, c.number(most))
	if c.inBlock() {
		c.unless(c.either(tiny, huge))
		return inverseOfSquare(c, x)
	}
	c.unless(huge)
	return inverseOfScaledSquare(c, x, c.choose(tiny, c.number(0x1p40), one))
}

// inverseOfScaledSquare is inverseOfSquare of x times a power of two, by which that is multiplied twice.
func inverseOfScaledSquare(c code, x, power value) value {
	return c.multiply(c.multiply(inverseOfSquare(c, c.multiply(x, power)), power), power)
}

// inverseOfSquare is 1/x² by a quotient and its residue in full.
func inverseOfSquare(c code, x value) value {
	one := c.number(1)
	square, rest := twoProduct(c, x, x)
	inverse := c.divide(one, square)
	residue := c.fusedNegative(inverse, rest, c.fusedNegative(inverse, square, one))
	return corrected(c, inverse, residue, residue)
}

// corrected is an inverse and so many times it, or the inverse alone where it is zero or infinite and the residue no number.
func corrected(c code, inverse, residue, times value) value {
	result := c.fused(inverse, times, inverse)
	if c.inBlock() {
		return result
	}
	return c.choose(c.equal(residue, residue), result, inverse)
}

// raised is 2^k, a normal number, of an entry of loweredPowers for the bits of a multiple k of a sixteenth.
func raised(c code, lowered, bits value) value {
	const places = 52 - 4
	return c.addBits(lowered, c.shiftLeft(bits, places))
}

// isNearMiddle tells whether the last 29 bits of x, which single precision has not, differ from 2^28 by 2^10 or less.
func isNearMiddle(c code, x value) mask {
	const lost, near = 29, 10
	return c.lacks(c.addBits(x, c.bits(1<<(lost-1)+1<<near)), 1<<lost-1<<(near+1))
}
