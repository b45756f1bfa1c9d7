package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// ofParts is a loop of a function of the parts of complex numbers of type d, which body gets as two vectors. What it writes is
// done once for as many numbers as a vector has results.
func ofParts(operator, d string, body func(a *assembler, re, im vector) vector) loop {
	size := sizeOf[d]
	write := func(a *assembler) func(in []operand.Mem) reg.Register {
		a.double = size == 16
		var places vector
		if a.wide {
			places = a.everyOther()
		}
		return func(in []operand.Mem) reg.Register {
			re, im := a.partsOfPairs(a.loaded(in[0]), a.loaded(in[0].Offset(a.bytes())))
			return a.ordered(body(a, re, im), places)
		}
	}
	return loop{operator: operator, dtypes: []string{d}, sizes: []int{size / 2, size}, ofPairs: true, narrow: write, wide: write}
}

// partsOfPairs takes two vectors of pairs apart. The first of each lane of 16 bytes are before the second of that lane.
func (a *assembler) partsOfPairs(x, y vector) (first, second vector) {
	if a.double {
		return a.apply(a.VUNPCKLPD, nil, y, x), a.apply(a.VUNPCKHPD, nil, y, x)
	}
	return a.apply(a.VSHUFPS, nil, operand.U8(0x88), y, x), a.apply(a.VSHUFPS, nil, operand.U8(0xDD), y, x)
}

// everyOther is the places from which ordered takes quadwords of wide vectors.
func (a *assembler) everyOther() vector {
	return a.loaded(a.table("everyOther", 0, 2, 4, 6, 1, 3, 5, 7))
}

// ordered puts what partsOfPairs gave in the order of the pairs.
func (a *assembler) ordered(x, places vector) vector {
	if a.wide {
		return a.apply(a.VPERMQ, nil, x, places)
	}
	return a.apply(a.VPERMQ, nil, operand.U8(0xD8), x)
}

// where writes steps for vectors with an element for which m holds; the label is behind them.
func (l lanes) where(m mask, label string, steps func()) {
	l.test(m)
	l.asm.JZ(operand.LabelRef(label))
	steps()
	l.asm.Label(label)
}

// inDouble computes a function of vectors of single precision in double precision, half a vector at a time, and rounds.
func (a *assembler) inDouble(f func(c code, x, y value) value, x, y vector) vector {
	half := func(part func(x vector) vector) vector {
		a.double = true
		result := lanes{a}.register(f(lanes{a}, a.doubles(part(x)), a.doubles(part(y))))
		a.double = false
		return a.singles(result)
	}
	low := half(func(x vector) vector {
		if a.wide {
			return x.AsY().(vector)
		}
		return x.AsX().(vector)
	})
	return a.joined([]vector{low, half(func(x vector) vector {
		result := a.half()
		if a.wide {
			a.VEXTRACTF64X4(operand.U8(1), x, result)
		} else {
			a.VEXTRACTF128(operand.U8(1), x, result)
		}
		return result
	})})
}

// doubles makes half a vector of single precision, which may be in memory, a vector of double precision.
func (a *assembler) doubles(x operand.Op) vector {
	result := a.vector()
	a.VCVTPS2PD(x, result)
	return result
}

// singles makes a vector of double precision half a vector of single precision.
func (a *assembler) singles(x vector) vector {
	result := a.half()
	if a.wide {
		a.VCVTPD2PS(x, result)
	} else {
		a.VCVTPD2PSY(x, result)
	}
	return result
}

// square returns x² and its error.
func (l lanes) square(x value) (square, rest value) {
	square = l.multiply(x, x)
	left := l.copied(square)
	l.asm.of(l.asm.VFMSUB231PS, l.asm.VFMSUB231PD)(x.(vector), x.(vector), left)
	return square, left
}

// nearlyInverseRoot is 1/√x for a normal x, off by less than 2⁻¹¹, or 2⁻¹⁴ by wide vectors.
func (l lanes) nearlyInverseRoot(x value) value {
	if l.asm.wide {
		return l.asm.apply(l.asm.of(l.asm.VRSQRT14PS, l.asm.VRSQRT14PD), nil, l.register(x))
	}
	return l.asm.apply(ofTwo(l.asm.VRSQRTPS), nil, l.register(x))
}

// rootOfSquares returns √(x² + y²) rounded once, and which elements may be off. Of the sum of squares it has what rounding loses,
// too, by which it corrects the root, a little too much and a little too little. Where both give the same, so do all steps that are
// as precise. That is not so where parts of the sum are no normal numbers.
func (l lanes) rootOfSquares(x, y value) (root value, doubtful mask) {
	least, off := 0x1p-100, 0x1p-33
	switch {
	case l.asm.double:
		least, off = 0x1p-960, 0x1p-64
	case l.asm.wide:
		off = 0x1p-35
	}
	xx, xxRest := l.square(x)
	yy, yyRest := l.square(y)
	sum, rest := fastTwoSum(l, l.greater(xx, yy), l.lesser(xx, yy))
	rest = l.add(rest, l.add(xxRest, yyRest))
	positive := l.choose(l.areZero(x, y), l.number(1), sum)
	root = l.squareRoot(sum)
	left := l.add(l.fusedNegative(root, root, sum), rest)
	twice := l.multiply(left, l.nearlyInverseRoot(positive)) // what the root lacks
	more, less := l.fused(root, l.number(off), twice), l.fusedNegative(root, l.number(off), twice)
	half := l.number(0.5)
	more, less = l.fused(more, half, root), l.fused(less, half, root)
	return more, l.either(l.less(positive, l.number(least)), l.compare(comparesOther, more, less))
}

// areZero tells where both are zero.
func (l lanes) areZero(x, y value) mask {
	bits, all := l.or(x, y), l.bits(formatOf(l).sign-1)
	if !l.asm.wide {
		return l.equal(l.and(bits, all), l.number(0))
	}
	result := l.asm.K()
	l.asm.of(l.asm.VPTESTNMD_BCST, l.asm.VPTESTNMQ_BCST)(all.(operand.Op), bits.(operand.Op), result)
	return result
}

// magnitudeOfParts is √(re² + im²), by the steps of hypot where what is faster is not certain.
func magnitudeOfParts(a *assembler, re, im vector) vector {
	l := lanes{a}
	if !a.wide && a.double { // which has no estimates of roots
		return l.magnitudeInSteps(re, im)
	}
	root, doubtful := l.rootOfSquares(re, im)
	result := root.(vector)
	l.where(doubtful, "certain", func() { a.move(l.magnitudeInSteps(re, im), result, a.bytes()) })
	return result
}

// magnitudeInSteps is hypot of any numbers.
func (l lanes) magnitudeInSteps(re, im vector) (result vector) {
	if l.asm.double {
		result = l.register(hypotOfFinite(l, re, im))
	} else {
		result = l.asm.inDouble(hypotSingleOfFinite, re, im)
	}
	l.where(notFinite(l, re, im), "finite", func() {
		special := l.choose(l.compare(comparesUnordered, re, im), l.number(math.NaN()), result)
		l.asm.move(l.register(l.choose(l.eitherInfinite(re, im), l.number(math.Inf(1)), special)), result, l.asm.bytes())
	})
	return result
}

func (l lanes) isInfinite(x value) mask { return l.equal(magnitude(l, x), l.number(math.Inf(1))) }

func (l lanes) eitherInfinite(x, y value) mask { return l.either(l.isInfinite(x), l.isInfinite(y)) }

// argumentOfParts is atan2 of any numbers. Beside infinity, finite ones are like zero.
func argumentOfParts(a *assembler, re, im vector) vector {
	l := lanes{a}
	l.where(notFinite(l, re, im), "finite", func() {
		isNaN, beside := l.compare(comparesUnordered, re, im), l.eitherInfinite(re, im)
		for _, part := range []vector{re, im} {
			unit := l.signed(l.choose(l.isInfinite(part), l.number(1), l.number(0)), part)
			a.move(l.register(l.choose(isNaN, l.number(math.NaN()), l.choose(beside, unit, part))), part, a.bytes())
		}
	})
	if a.double {
		return l.register(atan2OfFinite(l, im, re, true))
	}
	return a.inDouble(func(c code, x, y value) value { return atan2OfFinite(c, y, x, false) }, re, im)
}
