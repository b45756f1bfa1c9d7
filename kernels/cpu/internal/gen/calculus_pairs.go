package main

import "math"

// hypotSingle is √(x² + y²) for numbers of single precision, whose squares are exact in double precision.
func hypotSingle(c code, x, y value) value {
	unlessFinite(c, x, y)
	return hypotSingleOfFinite(c, x, y)
}

func hypotSingleOfFinite(c code, x, y value) value {
	return c.squareRoot(c.fused(x, x, c.multiply(y, y)))
}

// hypot scales what has squares out of range, and corrects the root by what its square is off (Borges, "Algorithm 1014: an
// improved algorithm for hypot(x,y)", ACM Transactions on Mathematical Software 47(1), 2021).
func hypot(c code, x, y value) value {
	unlessFinite(c, x, y)
	return hypotOfFinite(c, x, y)
}

func hypotOfFinite(c code, x, y value) value {
	x, y = magnitude(c, x), magnitude(c, y)
	large, small := c.greater(x, y), c.lesser(x, y)
	tiny, huge := c.less(large, c.number(0x1p-450)), c.less(c.number(0x1p500), large)
	scaled := func(v value) value {
		return c.multiply(v, c.choose(tiny, c.number(0x1p600), c.choose(huge, c.number(0x1p-600), c.number(1))))
	}
	large, small = scaled(large), scaled(small)
	h := c.squareRoot(c.fused(large, large, c.multiply(small, small)))
	square, squareRest := twoProduct(c, h, h)
	largest, largestRest := twoProduct(c, large, large)
	off := c.add(c.fused(small, small, c.subtract(largest, square)), c.subtract(largestRest, squareRest))
	h = c.add(h, c.divide(off, c.choose(c.equal(h, c.number(0)), c.number(1), c.add(h, h))))
	return c.multiply(h, c.choose(tiny, c.number(0x1p-600), c.choose(huge, c.number(0x1p600), c.number(1))))
}

// unlessFinite leaves infinities and NaN to Go.
func unlessFinite(c code, x, y value) { c.unless(notFinite(c, x, y)) }

func notFinite(c code, x, y value) mask {
	infinity := c.number(math.Inf(1))
	return c.either(c.notLess(magnitude(c, x), infinity), c.notLess(magnitude(c, y), infinity))
}

// atan2 is the arctangent of the lesser of |y| and |x| over the larger, less that of ½ or 1, and turned to its octant.
func atan2(c code, y, x value) value {
	unlessFinite(c, y, x)
	return atan2OfFinite(c, y, x, true)
}

// atan2OfFinite scales what is so large or small that quotients may be off, unless it cannot be.
func atan2OfFinite(c code, y, x value, scales bool) value {
	zero, one := c.number(0), c.number(1)
	a, b := magnitude(c, y), magnitude(c, x)
	steep := c.less(b, a)
	large, small := c.greater(a, b), c.lesser(a, b)
	if scales {
		scale := c.choose(c.less(large, c.number(0x1p-900)), c.number(0x1p200), c.choose(c.less(c.number(0x1p900), large), c.number(0x1p-200), one))
		large, small = c.multiply(large, scale), c.multiply(small, scale)
	}
	large = c.choose(c.equal(large, zero), one, large) // the angle of 0, 0 is that of 1, 0
	half, whole := c.notLess(small, c.multiply(large, c.number(7.0/16))), c.notLess(small, c.multiply(large, c.number(11.0/16)))
	of := func(atWhole, atHalf float64) value {
		return c.choose(whole, c.number(atWhole), c.choose(half, c.number(atHalf), zero))
	}
	tangent := of(1, 0.5)
	t := c.divide(c.fusedNegative(tangent, large, small), c.fused(tangent, small, large))
	z := c.multiply(t, t)
	angle, rest := fastTwoSum(c, of(0x1.921fb54442d18p-1, 0x1.dac670561bb4fp-2), t)
	rest = c.add(rest, c.fused(c.multiply(t, z), inHalves(c, z, atanTail), of(0x1.1a62633145c07p-55, 0x1.a2b7f222f65e2p-56)))
	sign := c.bits(formatOf(c).sign)
	backward := c.less(c.or(signOf(c, x), one), zero)
	turn := c.xor(c.choose(steep, sign, zero), signOf(c, x))
	base := func(halfTurn, quarterTurn float64) value {
		return c.choose(steep, c.number(quarterTurn), c.choose(backward, c.number(halfTurn), zero))
	}
	sum, more := fastTwoSum(c, base(2*halfPi, halfPi), c.xor(angle, turn))
	more = c.add(more, c.add(base(2*halfPiRest, halfPiRest), c.xor(rest, turn)))
	return c.or(c.add(sum, more), signOf(c, y))
}

// atan2Single is the arctangent of the lesser of |y| and |x| over the larger, turned to its octant.
func atan2Single(c code, y, x value) value {
	unlessFinite(c, y, x)
	zero, one := c.number(0), c.number(1)
	a, b := magnitude(c, y), magnitude(c, x)
	steep := c.less(b, a)
	large, small := c.greater(a, b), c.lesser(a, b)
	large = c.choose(c.equal(large, zero), one, large) // the angle of 0, 0 is that of 1, 0
	angle := oddTail(c, c.divide(small, large), atanTailSingle)
	turn := c.xor(c.choose(steep, c.bits(formatOf(c).sign), zero), signOf(c, x))
	backward := c.less(c.or(signOf(c, x), one), zero)
	base := func(halfTurn, quarterTurn float64) value {
		return c.choose(steep, c.number(quarterTurn), c.choose(backward, c.number(halfTurn), zero))
	}
	rest := base(2*(halfPi-halfPiSingle), halfPi-halfPiSingle)
	return c.signed(c.add(base(2*halfPiSingle, halfPiSingle), c.add(rest, c.xor(angle, turn))), y)
}

// logAddExp is the larger of x and y, and log(1 + e^-|x−y|). Equal ones differ by nothing, infinite ones too.
func logAddExp(c code, x, y value) value {
	apart := c.choose(c.equal(x, y), c.number(0), c.subtract(x, y))
	small := exp(c, c.or(apart, c.bits(formatOf(c).sign)))
	tail := c.choose(c.less(c.number(0x1p-54), small), logOnePlus(c, c.lesser(small, c.number(1)), nil, nil), small)
	return c.add(c.greater(x, y), tail)
}

// logAddExpSingle is logAddExp with a polynomial for the logarithm, where the power of e makes up for what the difference loses.
func logAddExpSingle(c code, x, y value) value {
	sign := c.bits(formatOf(c).sign)
	difference, lost := twoSum(c, x, c.xor(y, sign))
	apart := c.choose(c.equal(x, y), c.number(0), difference)
	small := expCloseOfNegative(c, c.or(apart, sign))
	lost = c.choose(c.less(magnitude(c, difference), c.number(200)), c.xor(lost, c.xor(signOf(c, apart), sign)), c.number(0))
	small = c.fused(small, lost, small)
	tail := c.fused(c.multiply(small, small), c.polynomial(small, onePlusTailSingle...), small)
	return c.add(c.greater(x, y), tail)
}

// quotientOf returns x/y, an integer within ¾ of it, and what is left of x without that many times y, and whether that
// has not the sign of y. What is left has no digits below those of x and y and is not larger than these, so it is
// exact. Large quotients, and infinite divisors, are left to Go.
func quotientOf(c code, x, y value) (quotient, integer, left value, isOther mask) {
	quotient = c.divide(x, y)
	c.unless(c.notLess(magnitude(c, quotient), c.number(math.Ldexp(1, int(formatOf(c).places)-1))))
	c.unless(c.notLess(magnitude(c, y), c.number(math.Inf(1))))
	integer, _ = round(c, quotient)
	left = c.fusedNegative(integer, y, x)
	return quotient, integer, left, c.less(c.xor(left, signOf(c, y)), c.number(0))
}

// floorDivide is x/y rounded toward minus infinity; zero has the sign of the quotient.
func floorDivide(c code, x, y value) value {
	quotient, integer, _, isOther := quotientOf(c, x, y)
	return c.signed(c.subtract(integer, c.choose(isOther, c.number(1), c.number(0))), quotient)
}

// remainderOf is what is left of that, with the sign of y.
func remainderOf(c code, x, y value) value {
	_, _, left, isOther := quotientOf(c, x, y)
	return c.choose(c.equal(left, c.number(0)), signOf(c, y), c.choose(isOther, c.add(left, y), left))
}

// nextAfter steps the bits of x away from zero or back; the least numbers follow zero.
func nextAfter(c code, x, y value) value {
	form := formatOf(c)
	zero := c.number(0)
	larger, smaller := c.addBits(x, c.bits(1)), c.addBits(x, c.bits(form.sign-1+form.sign))
	negative := c.less(x, zero)
	up, down := c.choose(negative, smaller, larger), c.choose(negative, larger, smaller)
	next := c.choose(c.less(x, y), up, down)
	next = c.choose(c.equal(x, zero), c.or(signOf(c, y), c.bits(1)), next)
	next = c.choose(c.equal(x, y), y, next)
	return c.choose(c.equal(x, x), c.choose(c.equal(y, y), next, y), x) // NaN differs from itself
}
