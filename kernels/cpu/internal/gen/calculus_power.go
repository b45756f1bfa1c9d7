package main

import "math"

// powerTail is ((2 atanh(s)/s − 2)/s² − 2/3)/s² in s² for |s| ≤ 3 − 2√2.
var powerTail = []float64{
	0x1.e02e6fff27908p-4, 0x1.df7cc8e5fa539p-4, 0x1.1118c7e4b0917p-3, 0x1.3b1395d2190c1p-3, 0x1.745d177a96056p-3, 0x1.c71c71c6eaa10p-3,
	0x1.2492492492521p-2, 0x1.999999999999ap-2,
}

// pow is e^(y log x), with the logarithm to some 64 bits. Exponents 1, 2, 3, ½, −½, −1 and −2 give the products, roots
// and quotients that they stand for, which kernels for one exponent compute.
func pow(c code, x, y value) value {
	return powOfAll(c, x, y, powSteps, shortPower, 1, 2, 3, 0.5, -0.5, -1, -2)
}

// powOfAll computes by steps for positive finite x, and puts in what short has for some exponents, which blocks leave.
// Where it completes, it takes the magnitudes of negative x, and sees to zeros; otherwise it leaves them, and always
// infinite operands and NaN.
func powOfAll(c code, x, y value, steps func(c code, x, y value) value, short func(c code, x, y, result value) value, exponents ...float64) value {
	infinite := c.number(math.Inf(1))
	c.unless(c.notLess(magnitude(c, y), infinite))
	if !c.completes() {
		c.unless(c.either(c.less(x, c.number(math.SmallestNonzeroFloat64)), c.notLess(x, infinite)))
		if !c.inBlock() {
			return short(c, x, y, steps(c, x, y))
		}
		isShort := c.equal(y, c.number(exponents[0]))
		for _, exponent := range exponents[1:] {
			isShort = c.either(isShort, c.equal(y, c.number(exponent)))
		}
		c.unless(isShort)
		return steps(c, x, y)
	}
	const least = 1 << 51 // of exponents whose sum with 1.5·2^52 does not tell whether they are odd, which matters to what has a sign
	zero, one, a := c.number(0), c.number(1), magnitude(c, x)
	c.unless(c.either(c.notLess(a, infinite), c.notLess(c.choose(c.notLess(zero, x), magnitude(c, y), zero), c.number(least))))
	result := steps(c, c.choose(c.equal(x, zero), one, a), y)
	result = short(c, magnitude(c, x), y, result)
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

// powSteps is pow of positive finite x.
func powSteps(c code, x, y value) value {
	tiny := c.less(x, c.number(formatOf(c).minimum))
	k, f := splitFraction(c, c.choose(tiny, c.multiply(x, c.number(0x1p54)), x))
	k = c.add(k, c.choose(tiny, c.number(-54), c.number(0)))
	high, low := exactLogarithm(c, f)
	sum, rest := fastTwoSum(c, c.multiply(k, c.number(ln2High)), high)
	rest = c.add(rest, c.fused(k, c.number(ln2Low), low))
	sum, rest = fastTwoSum(c, sum, rest)
	exponent, more := twoProduct(c, y, sum)
	more = c.fused(y, rest, more)
	more = c.choose(c.less(magnitude(c, exponent), c.number(800)), more, c.number(0)) // else the result is 0, 1 or infinite
	n, p, last := exponential(c, clamp(c, exponent, -746, 710))
	last = c.add(last, c.fused(more, p, more))
	return c.scale(c.add(c.add(p, last), c.number(1)), n)
}

var (
	// powLogTail is (2 atanh(s)/s − 2)/s² in s² for |s| ≤ 3 − 2√2, and powExpTail (e^r − 1 − r)/r² for |r| ≤ ½ log 2, with
	// errors below 2^-50 and 2^-44.
	powLogTail = []float64{
		0x1.546a3155bacbfp-3, 0x1.7382dbfa1ce75p-3, 0x1.c71fccd953895p-3, 0x1.2492462af84abp-2, 0x1.9999999b8677ap-2, 0x1.55555555553b8p-1,
	}
	powExpTail = []float64{
		0x1.72aef076792c1p-19, 0x1.a1390a50b5106p-16, 0x1.a019c26a424c4p-13, 0x1.6c166a7c66d74p-10, 0x1.1111111731055p-7, 0x1.555555662e67bp-5, 0x1.5555555554f66p-3, 0x1.fffffffffdf5ap-2,
	}
)

// powSingle is pow for numbers of single precision in double precision, with an error below 2^-43. What is so near to
// the middle between two numbers of single precision that this could tell the wrong one is left to Go, as are results
// below the normal numbers: pow itself computes them. So loops for one exponent have the same bits if their results are
// the rounded ones; cubes, which are rounded twice, are put in here.
func powSingle(c code, x, y value) value {
	return powOfAll(c, x, y, powStepsSingle, func(c code, x, y, result value) value {
		return c.choose(c.equal(y, c.number(3)), cube(c, x), result)
	}, 3)
}

// powStepsSingle is powSingle of positive finite x.
func powStepsSingle(c code, x, y value) value {
	k, f := splitFraction(c, x)
	s := c.divide(f, c.add(f, c.number(2)))
	z := c.multiply(s, s)
	logarithm := c.fused(c.multiply(s, z), inHalves(c, z, powLogTail), c.add(s, s))
	exponent := clamp(c, c.multiply(y, c.fused(k, c.number(math.Ln2), logarithm)), -700, 700) // which float32 has no numbers for
	n := roundProduct(c, exponent, math.Log2E)
	r := c.fusedNegative(n, c.number(math.Ln2), exponent)
	square := c.multiply(r, r)
	e := c.fused(square, inHalvesOf(c, r, square, powExpTail), c.add(r, c.number(1)))
	result := c.multiply(e, powerOfTwo(c, n))
	isDenormal := c.less(c.number(0x1p-151), c.choose(c.less(result, c.number(0x1p-126)), result, c.number(0)))
	c.unless(c.either(isNearMiddle(c, result), isDenormal))
	return result
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

// isNearMiddle tells whether the last 29 bits of x, which single precision has not, differ from 2^28 by less than 2^11.
func isNearMiddle(c code, x value) mask {
	const lost, near = 29, 11
	last := c.addBits(c.shiftLeft(x, 64-lost), c.bits(1<<63+1<<(64-lost+near)))
	one := c.bits(doubleFormat.one)
	return c.equal(c.or(c.shiftRight(last, 64-lost+near+1), one), one)
}

// exactLogarithm returns log(1+f) as a sum, whose error is some 2^-64 of it, for 1+f between √½ and √2: with s = f/(2+f), it
// is 2s + ⅔s³ + s⁵ P(s²), where the first two terms are computed with twice the digits.
func exactLogarithm(c code, f value) (high, low value) {
	below, belowRest := fastTwoSum(c, c.number(2), f)
	s, sRest := quotient(c, f, nil, below, belowRest)
	z, zRest := twoProduct(c, s, s)
	zRest = c.fused(c.add(s, s), sRest, zRest)
	cube, cubeRest := twoProduct(c, s, z)
	cubeRest = c.add(cubeRest, c.fused(s, zRest, c.multiply(sRest, z)))
	third, thirdRest := twoProduct(c, cube, c.number(0x1.5555555555555p-1))
	thirdRest = c.add(thirdRest, c.fused(cube, c.number(0x1.5555555555555p-55), c.multiply(cubeRest, c.number(0x1.5555555555555p-1))))
	high, low = fastTwoSum(c, c.add(s, s), third)
	tail := c.fused(c.multiply(cube, z), inHalves(c, z, powerTail), thirdRest)
	return fastTwoSum(c, high, c.add(low, c.fused(sRest, c.number(2), tail)))
}
