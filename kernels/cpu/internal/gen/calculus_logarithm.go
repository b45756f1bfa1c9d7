package main

import "math"

var (
	// logTail is (2 atanh(s)/s − 2)/s² in s² for |s| ≤ 3 − 2√2.
	logTail = []float64{
		0x1.0c039c49989c6p-3, 0x1.0fbe95d716020p-3, 0x1.3b1c355a8f7a2p-3, 0x1.745cf9048dd95p-3, 0x1.c71c720159177p-3, 0x1.2492492476cccp-2,
		0x1.9999999999a38p-2, 0x1.5555555555555p-1,
	}
	// asinhTailSingle is (asinh(t)/t − 1)/t² in t² for |t| ≤ 1, and atanhTailSingle that of atanh for |t| ≤ ½.
	asinhTailSingle = []float64{
		-0x1.0b41350fc30ebp-11, 0x1.7ff7f824ace82p-9, -0x1.058c0b40ff0b2p-7, 0x1.dba0f7264b565p-7, -0x1.60716f9c29793p-6, 0x1.ef40a0ea11901p-6,
		-0x1.6d98e86f919ffp-5, 0x1.3332a723fd630p-4, -0x1.555554e73db3bp-3,
	}
	atanhTailSingle = []float64{0x1.4298b19558dc0p-3, 0x1.09f92c54cf22bp-4, 0x1.d5ce5bb1563bap-4, 0x1.242055ae3bc60p-3, 0x1.999c14dd84f6dp-3, 0x1.5555543a1dd4ap-2}
	// logTailSingle is (log(1+r) − r)/r² for r from −1/30 to 1/16.
	logTailSingle = []float64{0x1.86eb4a35c42c1p-3, -0x1.002c6a05a259ep-2, 0x1.55579906b9d0ep-2, -0x1.fffffdb2cf909p-2}
)

// unlessNormal leaves all but the positive normal numbers.
func unlessNormal(c code, x value) {
	c.unless(c.either(c.less(x, c.number(formatOf(c).minimum)), c.notLess(x, c.number(math.Inf(1)))))
}

// splitFraction returns k and f with x = 2^k (1+f), 1+f between √½ and √2, for positive normal x.
func splitFraction(c code, x value) (k, f value) {
	form := formatOf(c)
	shifted := c.addBits(x, c.bits(form.one-form.root))
	power := math.Ldexp(1, int(form.places))
	k = c.subtract(c.or(c.shiftRight(shifted, form.places), c.number(power)), c.number(power+form.bias))
	m := c.addBits(c.and(shifted, c.bits(1<<form.places-1)), c.bits(form.root))
	return k, c.subtract(m, c.number(1))
}

// logarithm returns log(1 + f + rest) as a sum, for 1+f between √½ and √2 and a rest below its last place, or nil: with
// s = f/(2+f), it is f − (f²/2 − s (f²/2 + R(s²))), as in FreeBSD's e_log.c. What f²/2 loses is kept.
func logarithm(c code, f, rest value) (high, low value) {
	s := c.divide(f, c.add(f, c.number(2)))
	z := c.multiply(s, s)
	tail := c.multiply(inHalves(c, z, logTail), z)
	half := c.multiply(f, c.number(0.5))
	square := c.multiply(half, f)
	squareRest := c.fusedNegative(half, f, square)
	high = c.subtract(f, square)
	low = c.subtract(c.subtract(f, high), square)
	low = c.add(low, c.fused(s, c.add(square, tail), squareRest))
	if rest != nil {
		low = c.add(low, c.divide(rest, c.add(f, c.number(1))))
	}
	return high, low
}

// withExponent returns the sum of k times a constant and of high + low.
func withExponent(c code, k, high, low value, constantHigh, constantLow float64) value {
	sum, rest := fastTwoSum(c, c.multiply(k, c.number(constantHigh)), high)
	return c.add(sum, c.add(rest, c.fused(k, c.number(constantLow), low)))
}

const ln2High, ln2Low = 0x1.62e42fefp-1, 0x1.473de6af278edp-34

// ofAll returns the logarithm of x by steps for positive normal numbers. Those below are multiplied by 2^54, whose logarithm is lost.
func ofAll(c code, x value, lost float64, steps func(x value) value) value {
	if !c.completes() {
		unlessNormal(c, x)
		return steps(x)
	}
	isSmall := c.less(x, c.number(formatOf(c).minimum))
	result := steps(c.choose(isSmall, c.multiply(x, c.number(0x1p54)), x))
	return logarithmOfRest(c, x, c.choose(isSmall, c.subtract(result, c.number(lost)), result))
}

func log(c code, x value) value {
	return ofAll(c, x, 54*math.Ln2, func(x value) value {
		k, f := splitFraction(c, x)
		high, low := logarithm(c, f, nil)
		return withExponent(c, k, high, low, ln2High, ln2Low)
	})
}

// Of the sixteenths of 1 to 3/2 and of the thirty-seconds of ¾ to 1, by the first four places of the significand, numbers that divide
// about the middle, but 1 beside 1, and the logarithms of that: such as are very close to numbers of single precision (Gal, "Computing
// elementary functions: a new approach for achieving high accuracy and good performance", LNCS 235, 1986).
var (
	logReciprocals = table{name: "logReciprocals", doc: "are numbers that divide the middle of an interval.", entries: [16]float64{
		1, 0x1.d40f4ep-1, 0x1.badefep-1, 0x1.a42dbp-1, 0x1.8f9708p-1, 0x1.7cf1b6p-1, 0x1.6c138p-1, 0x1.5caeb8p-1,
		0x1.4e5f7ep+0, 0x1.41525ap+0, 0x1.352496p+0, 0x1.29e368p+0, 0x1.1f81eep+0, 0x1.159aaep+0, 0x1.0cadccp+0, 1,
	}}
	logMiddles = table{name: "logMiddles", doc: "are minus the logarithms of logReciprocals.", entries: [16]float64{
		0, 0x1.6f874p-4, 0x1.290ddap-3, 0x1.94c6f2p-3, 0x1.fbab7ep-3, 0x1.2ec494p-2, 0x1.5d2504p-2, 0x1.8961fep-2,
		-0x1.117d5ap-2, -0x1.d1707ap-3, -0x1.824e78p-3, -0x1.365b36p-3, -0x1.db6deep-4, -0x1.4bda8ep-4, -0x1.8bff52p-5, 0,
	}}
)

// partsSingle returns k, reciprocal, middle and r with x = 2^k (1+r)/reciprocal, where minus the logarithm of reciprocal is middle.
func partsSingle(c code, x value) (k, reciprocal, middle, r value) {
	k, m := c.split(x)
	interval := c.shiftRight(m, formatOf(c).places-4)
	reciprocal = c.lookUp(logReciprocals, interval)
	return k, reciprocal, c.lookUp(logMiddles, interval), c.fused(m, reciprocal, c.number(-1))
}

// fractionSingle returns log(1+r) + middle.
func fractionSingle(c code, r, middle value) value {
	return c.add(c.fused(c.multiply(r, r), c.polynomial(r, logTailSingle...), r), middle)
}

// logSingle is k log 2 + middle + log(1+r).
func logSingle(c code, x value) value { return logScaledSingle(c, x, nil) }

// logScaledSingle is logSingle of x times a power of two, 1 if that is nil.
func logScaledSingle(c code, x, power value) value {
	k, _, middle, r := partsSingle(c, x)
	if power != nil {
		k = c.add(k, power)
	}
	return c.fused(k, c.number(math.Ln2), fractionSingle(c, r, middle))
}

func log2Single(c code, x value) value {
	k, _, middle, r := partsSingle(c, x)
	return c.fused(fractionSingle(c, r, middle), c.number(math.Log2E), k)
}

// log10Single has log 2 to the base of ten in two parts, products of the former with k being exact, so that powers of
// ten have exact results.
func log10Single(c code, x value) value {
	const high, low = 0x1.3440p-2, 0x1.3509f79fef312p-18
	k, _, middle, r := partsSingle(c, x)
	rest := c.fused(fractionSingle(c, r, middle), c.number(math.Log10E), c.multiply(k, c.number(low)))
	return c.fused(k, c.number(high), rest)
}

// ofAboveMinusOne returns the logarithm of 1 + x by steps for x above −1 and below a limit.
func ofAboveMinusOne(c code, x value, limit float64, steps func(x value) value) value {
	least := c.number(-1)
	isOut := c.notLess(least, x)
	if !c.completes() {
		c.unless(c.either(isOut, c.notLess(x, c.number(limit))))
		return steps(x)
	}
	limited := c.choose(isOut, c.number(0), x)
	c.unless(c.notLess(limited, c.number(limit)))
	return c.choose(isOut, c.choose(c.equal(x, least), c.number(math.Inf(-1)), c.number(math.NaN())), steps(limited))
}

// log1pSingle is logSingle of 1 + x, where what that loses is added to r.
func log1pSingle(c code, x value) value {
	return ofAboveMinusOne(c, x, 0x1p126, func(x value) value {
		one := c.number(1)
		sum, lost := fastTwoSum(c, c.greater(x, one), c.lesser(x, one))
		k, reciprocal, middle, r := partsSingle(c, sum)
		lost = c.multiply(lost, powerOfTwo(c, c.subtract(c.number(0), k)))
		r = c.fused(lost, reciprocal, r)
		return c.signed(c.fused(k, c.number(math.Ln2), fractionSingle(c, r, middle)), x)
	})
}

// inBase returns high + low times a constant, as a sum.
func inBase(c code, high, low value, constantHigh, constantLow float64) (product, rest value) {
	product, rest = twoProduct(c, high, c.number(constantHigh))
	return product, c.add(rest, c.fused(low, c.number(constantHigh), c.multiply(high, c.number(constantLow))))
}

func log2(c code, x value) value {
	return ofAll(c, x, 54, func(x value) value {
		k, f := splitFraction(c, x)
		high, low := logarithm(c, f, nil)
		high, low = inBase(c, high, low, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56)
		return withExponent(c, k, high, low, 1, 0)
	})
}

func log10(c code, x value) value {
	return ofAll(c, x, 54*(math.Ln2/math.Ln10), func(x value) value {
		k, f := splitFraction(c, x)
		high, low := logarithm(c, f, nil)
		high, low = inBase(c, high, low, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57)
		return withExponent(c, k, high, low, 0x1.34413509p-2, 0x1.ef3fde623e256p-35)
	})
}

// logOnePlus returns log(1 + x + rest) + k log 2 for a number below 2^1023 and above 2^-60 in the parentheses; k may be nil.
func logOnePlus(c code, x, rest, k value) value {
	sum, more := twoSum(c, c.number(1), x)
	if rest != nil {
		more = c.add(more, rest)
	}
	exponent, f := splitFraction(c, sum)
	more = c.multiply(more, powerOfTwo(c, c.subtract(c.number(0), exponent)))
	high, low := logarithm(c, f, more)
	if k != nil {
		exponent = c.add(exponent, k)
	}
	return withExponent(c, exponent, high, low, ln2High, ln2Low)
}

// log1p is x where x² is nothing beside it, which keeps the sign of zero.
func log1p(c code, x value) value {
	return ofAboveMinusOne(c, x, 0x1p1023, func(x value) value {
		return c.choose(c.less(magnitude(c, x), c.number(0x1p-54)), x, logOnePlus(c, x, nil, nil))
	})
}

// softplus is log(1 + e^x) = max(x, 0) + log(1 + e^-|x|).
func softplus(c code, x value) value {
	small := expCloseOfNegative(c, c.or(x, c.bits(formatOf(c).sign)))
	tail := c.choose(c.less(small, c.number(0x1p-54)), small, logOnePlus(c, c.lesser(small, c.number(1)), nil, nil))
	return c.add(c.greater(c.number(0), x), tail)
}

// onePlusTailSingle is (log(1 + t) − t)/t² for t from 0 to 1.
var onePlusTailSingle = []float64{
	0x1.6f378177e7d67p-9, -0x1.198c0a2c809c8p-6, 0x1.93f28268939e2p-5, -0x1.7659b30a3dafcp-4, 0x1.0aec5d5ccf077p-3, -0x1.4f28885d61dc4p-3,
	0x1.98b69fff4273fp-3, -0x1.ffef0338f4e3dp-3, 0x1.555514eadf2e1p-2, -0x1.ffffffadeb2dep-2,
}

// softplusSingle is softplus with a polynomial for the logarithm.
func softplusSingle(c code, x value) value {
	small := expCloseOfNegative(c, c.or(x, c.bits(formatOf(c).sign)))
	tail := c.fused(c.multiply(small, small), c.polynomial(small, onePlusTailSingle...), small)
	return c.add(c.greater(c.number(0), x), tail)
}

// quotient returns (x + xRest)/(y + yRest) and its error.
func quotient(c code, x, xRest, y, yRest value) (q, rest value) {
	q = c.divide(x, y)
	rest = c.fusedNegative(q, y, x)
	if xRest != nil {
		rest = c.add(rest, xRest)
	}
	return q, c.divide(c.fusedNegative(q, yRest, rest), y)
}

// root returns the square root of x + rest and its error, for positive x.
func root(c code, x, rest value) (r, more value) {
	r = c.squareRoot(x)
	return r, c.divide(c.add(c.fusedNegative(r, r, x), rest), c.add(r, r))
}

// asinh is log(1 + a + a²/(1 + √(1+a²))), for large a log a + log 2.
func asinh(c code, x value) value {
	a := magnitude(c, x)
	big := c.less(c.number(0x1p60), a)
	c.unless(c.notLess(a, c.number(0x1p1023)))
	limited := c.lesser(c.number(0x1p60), a)
	square, squareRest := twoProduct(c, limited, limited)
	sum, sumRest := twoSum(c, c.number(1), square)
	r, rRest := root(c, sum, c.add(sumRest, squareRest))
	below, belowRest := twoSum(c, c.number(1), r)
	q, qRest := quotient(c, square, squareRest, below, c.add(belowRest, rRest))
	z, zRest := fastTwoSum(c, limited, q)
	zRest = c.add(zRest, qRest)
	result := logOnePlus(c, c.choose(big, a, z), c.choose(big, c.number(0), zRest), c.choose(big, c.number(1), c.number(0)))
	return c.or(nearZero(c, a, -1.0/6, result), signOf(c, x))
}

// acosh is log(1 + t + √(t (t+2))) with t = x − 1, for large x log x + log 2.
func acosh(c code, x value) value {
	c.unless(c.notLess(x, c.number(0x1p1023)))
	out := c.less(x, c.number(1))
	x = c.choose(out, c.number(1), x)
	big := c.less(c.number(0x1p60), x)
	limited := c.lesser(c.number(0x1p60), x)
	t, tRest := twoSum(c, limited, c.number(-1))
	sum, sumRest := twoSum(c, limited, c.number(1))
	product, rest := twoProduct(c, t, sum)
	rest = c.add(rest, c.fused(t, sumRest, c.multiply(tRest, sum)))
	r, rRest := root(c, c.greater(c.number(0x1p-200), product), rest)
	one := c.equal(x, c.number(1))
	z, zRest := twoSum(c, t, r)
	zRest = c.add(zRest, c.add(rRest, tRest))
	result := logOnePlus(c, c.choose(big, x, z), c.choose(big, c.number(0), zRest), c.choose(big, c.number(1), c.number(0)))
	return c.choose(out, c.number(math.NaN()), c.choose(one, c.number(0), result))
}

// atanh is ½ log(1 + 2a/(1−a)).
func atanh(c code, x value) value {
	given := magnitude(c, x)
	in := c.less(given, c.number(1))
	a := c.choose(in, given, c.number(0))
	below, belowRest := twoSum(c, c.number(1), c.xor(a, c.bits(formatOf(c).sign)))
	q, qRest := quotient(c, c.add(a, a), nil, below, belowRest)
	result := c.multiply(logOnePlus(c, q, qRest, nil), c.number(0.5))
	out := c.choose(c.equal(given, c.number(1)), c.number(math.Inf(1)), c.number(math.NaN()))
	return c.or(c.choose(in, nearZero(c, a, 1.0/3, result), out), signOf(c, x))
}

// asinhSingle is log(a + √(1+a²)) for large a, for very large ones log a + log 2.
func asinhSingle(c code, x value) value {
	a, one := magnitude(c, x), c.number(1)
	far := logOfSumSingle(c, a, one)
	return c.signed(c.choose(c.less(a, one), oddTail(c, a, asinhTailSingle), far), x)
}

// acoshSingle is 2 asinh √((x−1)/2), for large x log(x + √(x²−1)), and for very large ones log x + log 2.
func acoshSingle(c code, x value) value {
	half := c.squareRoot(c.multiply(c.subtract(x, c.number(1)), c.number(0.5)))
	near := oddTail(c, half, asinhTailSingle)
	return c.choose(c.less(x, c.number(3)), c.add(near, near), logOfSumSingle(c, x, c.number(-1)))
}

// logOfSumSingle is log(x + √(x² + one)).
func logOfSumSingle(c code, x, one value) value {
	big, limited := c.less(c.number(0x1p30), x), c.lesser(c.number(0x1p30), x)
	sum, rest := twoSum(c, limited, c.squareRoot(c.fused(limited, limited, one)))
	ofSum := logScaledSingle(c, c.choose(big, x, sum), c.choose(big, c.number(1), c.number(0)))
	return c.add(ofSum, c.divide(rest, sum))
}

// atanhSingle is ½ log((1+a)/(1−a)) for large a.
func atanhSingle(c code, x value) value {
	a, one := magnitude(c, x), c.number(1)
	far := c.multiply(logSingle(c, c.divide(c.add(one, a), c.subtract(one, a))), c.number(0.5))
	return c.signed(c.choose(c.less(a, c.number(0.5)), oddTail(c, a, atanhTailSingle), far), x)
}
