package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// writeNormal writes what makes normal numbers of words, in their place, by the method of Box and Muller.
func writeNormal(f *file) {
	f.each(false, func(a *assembler) {
		a.begin("normal32", "dst *float32, count int, mean, deviation float32",
			"turns count words, a positive multiple of 32, into float32 numbers; see normal32 of Go.")
		a.normal(4, a.radius32, a.direction32)
	})
	f.each(true, func(a *assembler) {
		a.begin("normal64", "dst *float64, count int, mean, deviation float64",
			"turns pairs of words into count float64 numbers, a positive multiple of 16; see normal64 of Go.")
		a.normal(8, a.radius64, a.direction64)
	})
}

// normal writes the loop over two vectors at a time. Their values at even places give radii, those at odd places directions.
func (a *assembler) normal(size int, radius func(vector) vector, direction func(vector) (sine, cosine vector)) {
	mean, deviation := a.parameter("mean", a.vector), a.parameter("deviation", a.vector)
	a.loop(size, 2*a.bytes(), func(address reg.Register) {
		front, back := a.load(address, 0), a.load(address, a.bytes())
		var even, odd vector
		if a.double {
			front, back = a.swapWords(front), a.swapWords(back)
			even, odd = a.apply(a.VUNPCKLPD, nil, back, front), a.apply(a.VUNPCKHPD, nil, back, front)
		} else {
			even = a.apply(a.VSHUFPS, nil, operand.U8(0x88), back, front)
			odd = a.apply(a.VSHUFPS, nil, operand.U8(0xDD), back, front)
		}
		length := radius(even)
		sine, cosine := direction(odd)
		x := a.add(a.multiply(a.multiply(length, cosine), deviation()), mean())
		y := a.add(a.multiply(a.multiply(length, sine), deviation()), mean())
		a.store(a.apply(a.of(a.VUNPCKLPS, a.VUNPCKLPD), nil, y, x), address, 0)
		a.store(a.apply(a.of(a.VUNPCKHPS, a.VUNPCKHPD), nil, y, x), address, a.bytes())
	})
}

// radius32 returns sqrt(-2 ln((word+1/2) 2^-32)).
func (a *assembler) radius32(word vector) vector {
	small := a.multiply(a.add(a.apply(a.VCVTDQ2PS, nil, word), a.number(0.5)), a.number(0x1p-32))
	x := a.add(small, a.and(a.negative(word), a.number(1)))
	biased, m := a.split(x, 23, uint64(math.Float32bits(math.Sqrt2/2)), uint64(math.Float32bits(1)))
	k := a.addIntegers(biased, a.bits(1<<32-127))
	f := a.choose(a.negative(k), a.subtract(m, a.number(1)), small)
	return a.radius(a.logarithm(f, a.apply(a.VCVTDQ2PS, nil, k), logarithm32))
}

// radius64 returns sqrt(-2 ln(1 - x)), x the number from 0 up to 1 that the highest 53 bits are.
func (a *assembler) radius64(bits vector) vector {
	x := a.fromBits53(a.subtractIntegers(a.spread(a.bits(1<<53)), a.shiftRight(bits, 11)))
	biased, m := a.split(a.multiply(x, a.number(0x1p-53)), 52, math.Float64bits(math.Sqrt2/2), math.Float64bits(1))
	k := a.subtract(a.or(biased, a.number(0x1p52)), a.number(0x1p52+1023))
	return a.radius(a.logarithm(a.subtract(m, a.number(1)), k, logarithm64))
}

func (a *assembler) radius(logarithm vector) vector {
	return a.squareRoot(a.multiply(logarithm, a.number(-2)))
}

// split returns the exponent of x > 0, above that of zero, and the significand from root, sqrt(1/2), up to sqrt(2).
func (a *assembler) split(x vector, places uint8, root, one uint64) (exponent, significand vector) {
	shifted := a.addIntegers(x, a.bits(one-root))
	return a.shiftRight(shifted, places), a.addIntegers(a.and(shifted, a.bits(1<<places-1)), a.bits(root))
}

// logarithmOf are the coefficients of a logarithm by the method of FreeBSD's e_log.c, the highest powers first.
type logarithmOf struct {
	odd, even       []float64
	ln2High, ln2Low float64
}

var (
	logarithm32 = logarithmOf{
		[]float64{0x91e9ee.0p-25, 0xaaaaaa.0p-24}, []float64{0xf89e26.0p-26, 0xccce13.0p-25},
		6.9313812256e-01, 9.0580006145e-06,
	}
	logarithm64 = logarithmOf{
		[]float64{1.479819860511658591e-01, 1.818357216161805012e-01, 2.857142874366239149e-01, 6.666666666666735130e-01},
		[]float64{1.531383769920937332e-01, 2.222219843214978396e-01, 3.999999999940941908e-01},
		6.93147180369123816490e-01, 1.90821492927058770002e-10,
	}
)

// logarithm returns the logarithm of 2^k (1+f).
func (a *assembler) logarithm(f, k vector, of logarithmOf) vector {
	s := a.divide(f, a.add(f, a.number(2)))
	s2 := a.multiply(s, s)
	s4 := a.multiply(s2, s2)
	odd, even := a.multiply(a.polynomial(s4, of.odd...), s2), a.multiply(a.polynomial(s4, of.even...), s4)
	half := a.multiply(a.multiply(f, a.number(0.5)), f)
	correction := a.multiply(a.add(a.add(odd, even), half), s)
	correction = a.add(correction, a.multiply(k, a.number(of.ln2Low)))
	return a.subtract(a.multiply(k, a.number(of.ln2High)), a.subtract(a.subtract(half, correction), f))
}

// The coefficients of Cephes' sinf, cosf, sin and cos, the highest powers first.
var (
	sine32   = []float64{-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1}
	cosine32 = []float64{2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2}
	sine64   = []float64{
		1.58962301576546568060e-10, -2.50507477628578072866e-8, 2.75573136213857245213e-6,
		-1.98412698295895385996e-4, 8.33333333332211858878e-3, -1.66666666666666307295e-1,
	}
	cosine64 = []float64{
		-1.13585365213876817300e-11, 2.08757008419747316778e-9, -2.75573141792967388112e-7,
		2.48015872888517045348e-5, -1.38888888888730564116e-3, 4.16666666666665929218e-2,
	}
)

// direction32 returns the sine and cosine of word 2^-32 turns.
func (a *assembler) direction32(word vector) (sine, cosine vector) {
	fraction := a.apply(a.VPSRAD, nil, operand.U8(2), a.shiftLeft(word, 2))
	z := a.multiply(a.apply(a.VCVTDQ2PS, nil, fraction), a.number(math.Pi/2*0x1p-30))
	return a.sineAndCosine(z, a.addIntegers(word, a.bits(1<<29)), 1<<31, sine32, cosine32)
}

// direction64 returns the sine and cosine of x turns, x the number from 0 up to 1 that the highest 53 bits are.
func (a *assembler) direction64(bits vector) (sine, cosine vector) {
	quarters := a.multiply(a.fromBits53(a.shiftRight(bits, 11)), a.number(0x1p-51))
	rounded := a.add(quarters, a.number(0.5))
	if a.wide {
		a.VRNDSCALEPD(operand.U8(9), rounded, rounded)
	} else {
		a.VROUNDPD(operand.U8(9), rounded, rounded)
	}
	z := a.multiply(a.subtract(quarters, rounded), a.number(math.Pi/2))
	return a.sineAndCosine(z, a.shiftLeft(a.add(rounded, a.number(0x1p52)), 62), 1<<63, sine64, cosine64)
}

// sineAndCosine returns the sine and cosine of z, from -π/4 to π/4, after as many quarter turns as the highest two bits of
// quadrant say.
func (a *assembler) sineAndCosine(z, quadrant vector, highest uint64, ofSine, ofCosine []float64) (sine, cosine vector) {
	zz := a.multiply(z, z)
	s := a.add(a.multiply(a.polynomial(zz, ofSine...), a.multiply(z, zz)), z)
	c := a.subtract(a.spread(a.number(1)), a.multiply(zz, a.number(0.5)))
	c = a.add(c, a.multiply(a.polynomial(zz, ofCosine...), a.multiply(zz, zz)))
	odd := a.negative(a.shiftLeft(quadrant, 1))
	sine = a.xor(a.choose(odd, c, s), a.and(quadrant, a.bits(highest)))
	cosine = a.xor(a.choose(odd, s, c), a.and(a.addIntegers(quadrant, a.bits(highest/2)), a.bits(highest)))
	return sine, cosine
}
