package main

import "math"

// The rational approximations of FreeBSD's s_erf.c, the highest powers first: of erf(a)/a − 1 in a² for a < 27/32, of
// erf(a) − erfAtOne in a − 1 for a < 5/4, and of log(a e^(a²) erfc(a)) + 9/16 in 1/a² for a < 20/7 and above.
var (
	erfSmallAbove = []float64{-2.37630166566501626084e-05, -5.77027029648944159157e-03, -2.84817495755985104766e-02, -3.25042107247001499370e-01, 1.28379167095512558561e-01}
	erfSmallBelow = []float64{-3.96022827877536812320e-06, 1.32494738004321644526e-04, 5.08130628187576562776e-03, 6.50222499887672944485e-02, 3.97917223959155352819e-01, 1}
	erfMidAbove   = []float64{
		-2.16637559486879084300e-03, 3.54783043256182359371e-02, -1.10894694282396677476e-01, 3.18346619901161753674e-01, -3.72207876035701323847e-01,
		4.14856118683748331666e-01, -2.36211856075265944077e-03,
	}
	erfMidBelow = []float64{
		1.19844998467991074170e-02, 1.36370839120290507362e-02, 1.26171219808761642112e-01, 7.18286544141962662868e-02, 5.40397917702171048937e-01,
		1.06420880400844228286e-01, 1,
	}
	erfNearAbove = []float64{
		-9.81432934416914548592e+00, -8.12874355063065934246e+01, -1.84605092906711035994e+02, -1.62396669462573470355e+02, -6.23753324503260060396e+01,
		-1.05586262253232909814e+01, -6.93858572707181764372e-01, -9.86494403484714822705e-03,
	}
	erfNearBelow = []float64{
		-6.04244152148580987438e-02, 6.57024977031928170135e+00, 1.08635005541779435134e+02, 4.29008140027567833386e+02, 6.45387271733267880336e+02,
		4.34565877475229228821e+02, 1.37657754143519042600e+02, 1.96512716674392571292e+01, 1,
	}
	erfFarAbove = []float64{
		-4.83519191608651397019e+02, -1.02509513161107724954e+03, -6.37566443368389627722e+02, -1.60636384855821916062e+02, -1.77579549177547519889e+01,
		-7.99283237680523006574e-01, -9.86494292470009928597e-03,
	}
	erfFarBelow = []float64{
		-2.24409524465858183362e+01, 4.74528541206955367215e+02, 2.55305040643316442583e+03, 3.19985821950859553908e+03, 1.53672958608443695994e+03,
		3.25792512996573918826e+02, 3.03380607434824582924e+01, 1,
	}
)

const erfAtOne = 8.45062911510467529297e-01

// errorParts are what the error function of a number that is not negative, and its complement, are made of.
type errorParts struct {
	small, mid mask
	ratio      value // of the approximation that holds for a
	complement value // erfc(a) where neither small nor mid holds
}

// errorOf returns those of a + aRest.
func errorOf(c code, a, aRest value) errorParts {
	p := errorParts{small: c.less(a, c.number(27.0/32)), mid: c.less(a, c.number(1.25))}
	limited := c.greater(c.number(1.25), c.lesser(c.number(28), a))
	square, offset := c.multiply(a, a), c.subtract(a, c.number(1))
	inverse := c.divide(c.number(1), limited)
	s := c.multiply(inverse, inverse)
	near := c.less(limited, c.number(20.0/7))
	sums := c.inStep(polynomial{s, erfNearAbove}, polynomial{s, erfFarAbove}, polynomial{s, erfNearBelow}, polynomial{s, erfFarBelow})
	above, below := c.choose(near, sums[0], sums[1]), c.choose(near, sums[2], sums[3])
	sums = c.inStep(polynomial{offset, erfMidAbove}, polynomial{offset, erfMidBelow}, polynomial{square, erfSmallAbove}, polynomial{square, erfSmallBelow})
	above, below = c.choose(p.mid, sums[0], above), c.choose(p.mid, sums[1], below)
	above, below = c.choose(p.small, sums[2], above), c.choose(p.small, sums[3], below)
	p.ratio = c.divide(above, below)
	high, low := twoProduct(c, limited, limited)
	low = c.fused(c.add(limited, limited), aRest, low)
	sum, rest := fastTwoSum(c, c.xor(high, c.bits(formatOf(c).sign)), c.subtract(p.ratio, c.number(9.0/16)))
	k, e, more := exponential(c, sum)
	e = c.add(e, c.fused(c.subtract(rest, low), c.add(e, c.number(1)), more))
	p.complement = c.scale(c.multiply(c.add(e, c.number(1)), inverse), k)
	return p
}

// erf is 1 − e^−Q(|x|), which is 1 from 6 on, and for small x a polynomial.
func erf(c code, x value) value {
	a := magnitude(c, x)
	one := c.number(1)
	z, limited := c.multiply(x, x), c.lesser(c.number(6), a)
	odd, even := oddAndEven(c.lesser(c.number(36), z), erfcLog)
	sums := c.inStep(odd, even, polynomial{z, erfTail})
	small := c.fused(x, sums[2], x)
	y := c.xor(c.fused(limited, sums[0], sums[1]), c.bits(formatOf(c).sign))
	k := roundProduct(c, y, math.Log2E)
	r := c.fusedNegative(k, c.number(math.Ln2), y) // what log 2 has beyond is lost, k 2^-55, but little of that is left where e^−Q is subtracted from 1
	square := c.multiply(r, r)
	p := c.fused(square, inHalvesOf(c, r, square, expTail), r)
	power := powerOfTwo(c, k)
	large := c.or(c.fusedNegative(p, power, c.subtract(one, power)), signOf(c, x))
	return c.choose(c.less(a, one), small, large)
}

// gelu is x Φ(x).
func gelu(c code, x value) value {
	return c.multiply(normalDistribution(c, x), c.greater(c.number(-40), x)) // from about −38.5 downwards the weight is zero
}

// geluGradient is u (Φ(x) + x φ(x)), φ being the density of the normal distribution.
func geluGradient(c code, x, u value) value {
	weight, a := normalDistribution(c, x), c.lesser(c.number(40), magnitude(c, x))
	density := c.multiply(exp(c, c.multiply(c.multiply(a, a), c.number(-0.5))), c.number(normalPeak))
	return c.multiply(c.fused(c.or(a, signOf(c, x)), density, weight), u)
}

// normalPeak is the density of the normal distribution at zero.
const normalPeak = 0x1.9884533d43651p-2

// normalDistribution is Φ(x), which is erfc(−x/√2)/2.
func normalDistribution(c code, x value) value {
	const rootHalf, rootHalfRest = 0x1.6a09e667f3bcdp-1, -0x1.bdd3413b26456p-55
	limited := c.lesser(c.number(40), magnitude(c, x))
	a, aRest := twoProduct(c, limited, c.number(rootHalf))
	aRest = c.fused(limited, c.number(rootHalfRest), aRest)
	p := errorOf(c, a, aRest)
	half := c.number(0.5)
	complement := c.choose(p.mid, c.subtract(c.number(1-erfAtOne), p.ratio), p.complement)
	complement = c.choose(p.small, c.subtract(half, c.fused(a, p.ratio, c.subtract(a, half))), complement)
	negative := c.less(x, c.number(0))
	weight := c.choose(negative, complement, c.subtract(c.number(2), complement))
	return c.multiply(weight, half)
}

// geluSingle is max(x, 0) − a Φ(−a) for a = |x|. The power of two is multiplied last, so that nothing is lost where Φ is below the normal
// numbers; from 14.5 on the product is zero.
func geluSingle(c code, x value) value {
	a, scaled := magnitude(c, x), withPower
	if !c.leavesBeyond(x, 11.5) {
		a, scaled = c.lesser(c.number(14.5), a), scaledDown
	}
	piece, above := pieceOf(c, a)
	tail := inPiece(c, piece, above, tailPieces)
	square, rest := twoProduct(c, a, a)
	bits, k, r := inSixteenths(c, c.multiply(square, c.number(-0.5)))
	r = c.fusedNegative(rest, c.number(0.5), r)
	return c.subtract(c.greater(c.bits(formatOf(c).sign), x), scaled(c, bits, k, r, tail))
}

// scaledDown is 2^k e^r y, for any k.
func scaledDown(c code, bits, k, r, y value) value {
	return c.scaleDown(c.multiply(withTail(c, r, c.lookUp(sixteenths, bits), sixteenthTail), y), k, bits)
}

// withPower is scaledDown for k above -101.
func withPower(c code, bits, _, r, y value) value {
	return c.multiply(withTail(c, r, powerOfSixteenths(c, bits), sixteenthTail), y)
}

// geluGradientSingle is u t for negative x and u (1 − t) for others, with t = Φ(−a) − a φ(a) for a = |x|, which is zero from 14.9 on.
func geluGradientSingle(c code, x, u value) value {
	a, scaled := magnitude(c, x), withPower
	if !c.leavesBeyond(x, 11.5) {
		a, scaled = c.lesser(c.number(14.9), a), scaledDown
	}
	piece, above := pieceOf(c, a)
	difference := inPiece(c, piece, above, slopePieces)
	bits, k, r := inSixteenths(c, c.multiply(c.multiply(a, a), c.number(-0.5)))
	t := c.add(scaled(c, bits, k, r, difference), c.number(0)) // not -0
	return c.multiply(c.choose(c.less(x, c.number(0)), t, c.subtract(c.number(1), t)), u)
}

var (
	// erfTail is erf(a)/a − 1 in a² for a ≤ 1, and erfcLog −log erfc(a) for a from 0.99 to 6, where what erf(a) errs by is below 2^-56 of it.
	erfTail = []float64{
		-0x1.acdff90b8ebd8p-31, 0x1.d784936618cc2p-27, -0x1.5c16e30fb0d45p-23, 0x1.b9827b1885f9bp-20, -0x1.f4ca94990cb86p-17, 0x1.f9a2bf73f0c68p-14,
		-0x1.c02db072f3fe0p-11, 0x1.565bccfa9a825p-8, -0x1.b82ce312062bcp-6, 0x1.ce2f21a041018p-4, -0x1.812746b0379c2p-2, 0x1.06eba8214db68p-3,
	}
	erfcLog = []float64{
		0x1.67990a2b66383p-38, -0x1.d139816570434p-33, 0x1.171e5577760d2p-28, -0x1.9aeffc5bc3919p-25, 0x1.9c7e39fe83956p-22, -0x1.26d41e0061fe1p-19,
		0x1.2b86d68a5bb2dp-17, -0x1.8d3d42628513ep-16, 0x1.79103f1ada6bbp-16, 0x1.11ca1fc6853a2p-13, -0x1.904081b1383e6p-11, 0x1.f3de4c726d2c9p-10,
		-0x1.a544c6e44c206p-12, -0x1.373e20b9f3f79p-6, 0x1.a4b0184d9db60p-4, 0x1.45f5fa9c32dc9p-1, 0x1.20dd24fd1720fp+0, 0x1.f887475b68c41p-22,
	}
	// erfTailSingle is erf(a)/a − 1 in a² for a ≤ 1, and erfcLogSingle −log erfc(a) for a from 0.9 to 4.
	erfTailSingle = []float64{
		0x1.4a5690869d13fp-14, -0x1.a45087f1a200ap-11, 0x1.541270c79ca2cp-8, -0x1.b7faba961c85ap-6, 0x1.ce2d10ed44e09p-4, -0x1.81273e7a02443p-2,
		0x1.06eba7f673903p-3,
	}
	erfcLogSingle = []float64{
		-0x1.b90e798383a72p-20, 0x1.834021abb515fp-15, -0x1.394e9ab7b164fp-11, 0x1.381f9a319829cp-8, -0x1.b0fd8b523cdf5p-6, 0x1.c2eac2bceb716p-4,
		0x1.437e6cb2308c2p-1, 0x1.2156d28b1b6edp+0, -0x1.4e0356ebae8f4p-12,
	}
)

// erfSingle is 1 − e^−Q(|x|), which is 1 from 4 on, and for small x a polynomial.
func erfSingle(c code, x value) value {
	a := magnitude(c, x)
	one := c.number(1)
	z := c.multiply(x, x)
	sums := c.inStep(polynomial{z, erfTailSingle}, polynomial{c.lesser(c.number(4), a), erfcLogSingle})
	small := c.fused(x, sums[0], x)
	k, p := expQuick(c, c.xor(sums[1], c.bits(formatOf(c).sign)))
	power := powerOfTwo(c, k)
	large := c.or(c.fusedNegative(p, power, c.subtract(one, power)), signOf(c, x))
	return c.choose(c.less(a, one), small, large)
}
