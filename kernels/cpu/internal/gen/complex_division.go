package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// writeComplexDivision writes the quotients of complex numbers, and of these and their magnitudes, in the steps of package cpu, as
// vectors of float64. Those that need scaling, or are no finite numbers, are left to Go: the functions return how many elements there
// are before the first vector with one.
func writeComplexDivision(f *file) {
	f.each(true, func(a *assembler) { a.writeQuotients("divideComplex64", "*[2]float32", a.singleQuotient) })
	f.each(true, func(a *assembler) { a.writeQuotients("divideComplex128", "*[2]float64", a.doubleQuotient) })
	f.each(true, func(a *assembler) { a.writeSigns("signComplex64", "*[2]float32", a.singleSigns) })
	f.each(true, func(a *assembler) { a.writeSigns("signComplex128", "*[2]float64", a.doubleSigns) })
	f.appendix = `
func init() {
	complexQuotients64 = [2]complexQuotients[float32]{divideComplex64AVX2, divideComplex64AVX512}
	complexQuotients128 = [2]complexQuotients[float64]{divideComplex128AVX2, divideComplex128AVX512}
	complexSigns64 = [2]complexSigns[float32]{signComplex64AVX2, signComplex64AVX512}
	complexSigns128 = [2]complexSigns[float64]{signComplex128AVX2, signComplex128AVX512}
}
`
}

// writeQuotients writes a function of count elements, a positive multiple of those of a vector of float64.
func (a *assembler) writeQuotients(name, element string, body func() func(x, y, dst operand.Mem)) {
	single := element == "*[2]float32"
	a.begin(name, "dst, x, y "+element+", count int) (done int",
		"computes count elements, a positive multiple of four, up to the first vector with one left to Go; see complexQuotients.")
	dst, x, y := a.Load(a.Param("dst"), a.GP64()), a.Load(a.Param("x"), a.GP64()), a.Load(a.Param("y"), a.GP64())
	count, done := a.Load(a.Param("count"), a.GP64()), a.GP64()
	a.XORQ(done, done)
	quotient := body()
	a.Label("loop")
	at := func(base reg.Register) operand.Mem { return operand.Mem{Base: base} }
	quotient(at(x), at(y), at(dst))
	width := a.bytes()
	if single {
		width /= 2
	}
	for _, address := range []reg.Register{dst, x, y} {
		a.ADDQ(operand.I32(width), address)
	}
	a.ADDQ(operand.I32(a.bytes()/16), done)
	a.CMPQ(done, count)
	a.JLT(operand.LabelRef("loop"))
	a.Label("hard")
	a.VZEROUPPER()
	a.Store(done, a.ReturnIndex(0))
	a.RET()
}

// unlessAll leaves the loop if a mask of elements is not set everywhere.
func (a *assembler) unlessAll(mask reg.Register) {
	bits := a.GP32()
	if a.wide {
		a.KMOVW(mask, bits)
		a.CMPL(bits, operand.U32(0xff))
	} else {
		a.VMOVMSKPD(mask, bits)
		a.CMPL(bits, operand.U32(0xf))
	}
	a.JNE(operand.LabelRef("hard"))
}

// exchanged is the parts of complex numbers the other way round, realParts and imaginaryParts are those twice.
func (a *assembler) exchanged(x vector) vector {
	return a.apply(a.VPERMILPD, nil, operand.U8(0x55), x)
}

func (a *assembler) realParts(x vector) vector { return a.apply(a.VMOVDDUP, nil, x) }

func (a *assembler) imaginaryParts(x vector) vector {
	return a.apply(a.VPERMILPD, nil, operand.U8(0xff), x)
}

// singleQuotient is (a+bi)/(c+di) by products that are exact.
func (a *assembler) singleQuotient() func(x, y, dst operand.Mem) {
	signs := a.loaded(a.imaginarySigns())
	return func(from, by, dst operand.Mem) {
		x, y := a.vector(), a.vector()
		a.VCVTPS2PD(from, x)
		a.VCVTPS2PD(by, y)
		squares := a.multiply(y, y)
		square := a.add(squares, a.exchanged(squares))
		first, second := a.multiply(x, a.realParts(y)), a.multiply(a.exchanged(x), a.imaginaryParts(y))
		quotient := a.divide(a.add(first, a.xor(second, signs)), square)
		sum := a.add(quotient, a.exchanged(quotient))
		a.unlessAll(a.compared(7, a.subtract(sum, sum), sum))
		result := a.half()
		if a.wide {
			a.VCVTPD2PS(quotient, result)
			a.VMOVDQU32(result, dst)
		} else {
			a.VCVTPD2PSY(quotient, result)
			a.VMOVDQU(result, dst)
		}
	}
}

// doubleQuotient is (a+bi)/(c+di) by sums of two products without a loss.
func (a *assembler) doubleQuotient() func(x, y, dst operand.Mem) {
	signs := a.loaded(a.imaginarySigns())
	least, most := a.spread(a.number(0x1p-400)), a.spread(a.number(0x1p400))
	magnitudes := a.spread(a.bits(1<<63 - 1))
	return func(from, by, dst operand.Mem) {
		x, y := a.loaded(from), a.loaded(by)
		for _, v := range []vector{x, y} {
			magnitude := a.and(v, magnitudes)
			larger := a.apply(a.VMAXPD, nil, a.exchanged(magnitude), magnitude)
			a.unlessAll(a.compared(30, least, larger))
			a.unlessAll(a.compared(17, most, larger))
		}
		re, im := a.realParts(y), a.imaginaryParts(y)
		square := a.multiply(im, im)
		a.VFMADD231PD(re, re, square)
		turned := a.xor(a.exchanged(x), signs)
		product := a.multiply(turned, im)
		rest := a.vector()
		a.move(product, rest, a.bytes())
		a.VFMADD231PD(x, re, product)
		a.VFMSUB231PD(turned, im, rest)
		a.put(a.divide(a.add(product, rest), square), dst, a.bytes())
	}
}

// writeSigns writes a function of count elements, a positive multiple of those of two vectors of float64.
func (a *assembler) writeSigns(name, element string, body func() func(x, dst reg.Register)) {
	a.begin(name, "dst, x "+element+", count int) (done int",
		"computes count elements, a positive multiple of eight, up to the first vector with one left to Go; see complexSigns.")
	dst, x, count, done := a.Load(a.Param("dst"), a.GP64()), a.Load(a.Param("x"), a.GP64()), a.Load(a.Param("count"), a.GP64()), a.GP64()
	a.XORQ(done, done)
	a.leave = "hard"
	sign := body()
	a.Label("loop")
	sign(x, dst)
	width := 2 * a.bytes()
	if element == "*[2]float32" {
		width = a.bytes()
	}
	a.ADDQ(operand.I32(width), x)
	a.ADDQ(operand.I32(width), dst)
	a.ADDQ(operand.I32(a.bytes()/8), done)
	a.CMPQ(done, count)
	a.JLT(operand.LabelRef("loop"))
	a.Label("hard")
	a.VZEROUPPER()
	a.Store(done, a.ReturnIndex(0))
	a.RET()
}

// singleSigns multiplies by inverse magnitudes in double precision, by a little too much and a little too little: where both round to
// the same, so does the quotient.
func (a *assembler) singleSigns() func(x, dst reg.Register) {
	l := lanes{a}
	// The words of one half of a vector and those of the other, in turns, in the order of pairs.
	order := []uint64{4 << 32, 6<<32 | 2, 5<<32 | 1, 7<<32 | 3}
	if a.wide {
		order = []uint64{8 << 32, 10<<32 | 2, 12<<32 | 4, 14<<32 | 6, 9<<32 | 1, 11<<32 | 3, 13<<32 | 5, 15<<32 | 7}
	}
	places := a.loaded(a.table("turns"+a.suffix(), order...))
	return func(x, dst reg.Register) {
		re, im := a.partsOfPairs(a.doubles(operand.Mem{Base: x}), a.doubles(operand.Mem{Base: x, Disp: a.bytes() / 2}))
		square := l.add(l.multiply(re, re), l.multiply(im, im))
		isZero := l.equal(square, l.number(0))
		inverse := l.inverseRoot(l.choose(isZero, l.number(1), square))
		quotient := func(part vector) vector { return l.register(l.choose(isZero, l.number(0), l.multiply(part, inverse))) }
		re, im = quotient(re), quotient(im)
		times := func(factor float64) vector {
			return a.joined([]vector{a.singles(a.multiply(re, a.number(factor))), a.singles(a.multiply(im, a.number(factor)))})
		}
		more, less := times(1+0x1p-48), times(1-0x1p-48)
		a.double = false
		l.unless(l.compare(comparesOther, more, less))
		a.double = true
		a.storeTo(a.apply(a.VPERMPS, nil, more, places), operand.Mem{Base: dst})
	}
}

// inverseRoot is 1/√x for a normal x, off by few units in the last place.
func (l lanes) inverseRoot(x value) value {
	if !l.asm.wide {
		return l.divide(l.number(1), l.squareRoot(x))
	}
	y, half := l.nearlyInverseRoot(x), l.multiply(x, l.number(0.5))
	for range 2 { // Newton's method
		y = l.fused(y, l.fusedNegative(half, l.multiply(y, y), l.number(0.5)), y)
	}
	return y
}

// doubleSigns divides by magnitudes.
func (a *assembler) doubleSigns() func(x, dst reg.Register) {
	l := lanes{a}
	return func(x, dst reg.Register) {
		re, im := a.partsOfPairs(a.load(x, 0), a.load(x, a.bytes()))
		larger := l.greater(magnitude(l, re), magnitude(l, im))
		isZero := l.equal(larger, l.number(0))
		larger = l.choose(isZero, l.number(1), larger)
		l.unless(l.either(l.notLess(l.number(0x1p-400), larger), l.notLess(larger, l.number(0x1p400))))
		var size value
		if a.wide {
			root, doubtful := l.rootOfSquares(re, im)
			l.unless(doubtful)
			size = root
		} else {
			size = hypot(l, re, im)
		}
		size = l.choose(isZero, l.number(1), size)
		quotient := func(part vector) vector { return l.register(l.choose(isZero, l.number(0), l.divide(part, size))) }
		first, second := a.partsOfPairs(quotient(re), quotient(im)) // takes pairs together, too
		a.store(first, dst, 0)
		a.store(second, dst, a.bytes())
	}
}
