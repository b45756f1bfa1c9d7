package main

import (
	"math"
	"slices"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"
)

// lanes is code for all elements of a vector at once.
type lanes struct{ *assembler }

func (l lanes) isDouble() bool { return l.double }

func (l lanes) number(v float64) value { return l.assembler.number(v) }

func (l lanes) bits(v uint64) value { return l.assembler.bits(v) }

// register returns x in a register, which may be that of x.
func (l lanes) register(x value) vector {
	x = l.orKept(x.(operand.Op))
	if memory, isConstant := x.(constant); isConstant {
		return l.spread(memory)
	}
	return x.(vector)
}

// copied returns x in a register of its own.
func (l lanes) copied(x value) vector {
	x = l.orKept(x.(operand.Op))
	if memory, isConstant := x.(constant); isConstant {
		return l.spread(memory)
	}
	result := l.vector()
	l.VMOVAPD(x.(vector), result)
	return result
}

// withConstant returns x and y with what may be a constant as y.
func withConstant(x, y value) (value, operand.Op) {
	if _, isConstant := x.(constant); isConstant {
		return y, x.(operand.Op)
	}
	return x, y.(operand.Op)
}

func (l lanes) add(x, y value) value {
	x, other := withConstant(x, y)
	return l.assembler.add(l.register(x), other)
}

func (l lanes) multiply(x, y value) value {
	x, other := withConstant(x, y)
	return l.assembler.multiply(l.register(x), other)
}

func (l lanes) subtract(x, y value) value {
	return l.assembler.subtract(l.register(x), y.(operand.Op))
}

func (l lanes) divide(x, y value) value {
	return l.assembler.divide(l.register(x), l.register(y))
}

func (l lanes) squareRoot(x value) value { return l.assembler.squareRoot(l.register(x)) }

func (l lanes) fused(x, y, z value) value {
	x, other := withConstant(x, y)
	_, isProductOfConstant := other.(constant)
	if addend, isConstant := z.(constant); isConstant && !isProductOfConstant {
		result := l.copied(x)
		l.inPlace(l.of(l.VFMADD213PS, l.VFMADD213PD), l.of(l.VFMADD213PS_BCST, l.VFMADD213PD_BCST), addend, l.register(other), result)
		return result
	}
	result := l.copied(z)
	l.inPlace(l.of(l.VFMADD231PS, l.VFMADD231PD), l.of(l.VFMADD231PS_BCST, l.VFMADD231PD_BCST), other, l.register(x), result)
	return result
}

func (l lanes) fusedNegative(x, y, z value) value {
	x, other := withConstant(x, y)
	result := l.copied(z)
	l.inPlace(l.of(l.VFNMADD231PS, l.VFNMADD231PD), l.of(l.VFNMADD231PS_BCST, l.VFNMADD231PD_BCST), other, l.register(x), result)
	return result
}

// inPlace writes an instruction that changes its last operand; the first may be a constant.
func (l lanes) inPlace(plain, broadcasting instruction, operands ...operand.Op) {
	operands[0] = l.orKept(operands[0])
	if _, isConstant := operands[0].(constant); isConstant && l.wide {
		plain = broadcasting
	}
	plain(operands...)
}

func (l lanes) polynomial(x value, coefficients ...float64) value {
	x = l.register(x)
	result := l.copied(l.assembler.number(coefficients[0]))
	for _, c := range coefficients[1:] {
		l.horner(result, x, c)
	}
	return result
}

func (l lanes) inStep(all ...polynomial) []value {
	results := make([]value, len(all))
	eachStep(all, func(i int, coefficient float64) {
		results[i] = l.copied(l.assembler.number(coefficient))
	}, func(i int, coefficient float64) {
		l.horner(results[i], l.register(all[i].x), coefficient)
	})
	return results
}

// horner sets result to result · x + c.
func (l lanes) horner(result, x value, c float64) {
	l.inPlace(l.of(l.VFMADD213PS, l.VFMADD213PD), l.of(l.VFMADD213PS_BCST, l.VFMADD213PD_BCST), l.assembler.number(c), x.(operand.Op), result.(operand.Op))
}

func (l lanes) lesser(x, y value) value {
	return l.apply(l.of(l.VMINPS, l.VMINPD), nil, l.register(y), l.register(x))
}

func (l lanes) greater(x, y value) value {
	return l.apply(l.of(l.VMAXPS, l.VMAXPD), nil, l.register(y), l.register(x))
}

func (l lanes) scale(y, k value) value {
	if !l.wide {
		return scaleInSteps(l, y, k)
	}
	return l.apply(l.of(l.VSCALEFPS, l.VSCALEFPD), nil, l.register(k), l.register(y))
}

// scaleDown by AVX2 multiplies by 2^⌊k/2⌋ and by the rest of the power, since the power itself may be out of range.
// Their exponents are among the bits, above those of the sixteenths.
func (l lanes) scaleDown(y, k, bits value) value {
	if l.wide {
		return l.scale(y, k) // takes any k
	}
	const places, sixteenths = 23, 4
	exponents := l.assembler.bits(0xFF800000)
	half := l.and(l.shiftLeft(bits, places-sixteenths-1), exponents)
	rest := l.subtractIntegers(l.register(l.and(l.shiftLeft(bits, places-sixteenths), exponents)), l.register(half))
	one := l.number(1)
	return l.multiply(l.multiply(y, l.addBits(half, one)), l.addBits(rest, one))
}

func (l lanes) and(x, y value) value {
	x, other := withConstant(x, y)
	return l.assembler.and(l.register(x), other)
}

func (l lanes) or(x, y value) value {
	x, other := withConstant(x, y)
	return l.assembler.or(l.register(x), other)
}

func (l lanes) xor(x, y value) value {
	x, other := withConstant(x, y)
	return l.assembler.xor(l.register(x), other)
}

func (l lanes) signed(y, x value) value {
	if !l.wide {
		return signedInSteps(l, y, x)
	}
	const eitherOrBoth = operand.U8(0xF8) // y or (x and sign)
	result := l.copied(y)
	l.of(l.VPTERNLOGD_BCST, l.VPTERNLOGQ_BCST)(eitherOrBoth, l.bits(formatOf(l).sign).(operand.Op), l.register(x), result)
	return result
}

func (l lanes) addBits(x, y value) value {
	x, other := withConstant(x, y)
	return l.addIntegers(l.register(x), other)
}

func (l lanes) shiftLeft(x value, by uint8) value { return l.assembler.shiftLeft(l.register(x), by) }

func (l lanes) shiftRight(x value, by uint8) value { return l.assembler.shiftRight(l.register(x), by) }

func (l lanes) split(x value) (k, m value) {
	if !l.wide {
		return splitPositive(l, x)
	}
	const fromThreeQuarters, notOfNegative = 3, 3 << 2
	exponent := l.of(l.VGETEXPPS, l.VGETEXPPD)
	m = l.apply(l.of(l.VGETMANTPS, l.VGETMANTPD), nil, operand.U8(fromThreeQuarters|notOfNegative), l.register(x))
	return l.subtract(l.apply(exponent, nil, l.register(x)), l.apply(exponent, nil, l.register(m))), m
}

func (l lanes) binade(x value) (k, m value) {
	if !l.wide {
		if l.inBlock() {
			unlessNormal(l, x)
		}
		return binadeInSteps(l, x)
	}
	const fromOne, notOfNegative = 0, 3 << 2
	m = l.apply(l.of(l.VGETMANTPS, l.VGETMANTPD), nil, operand.U8(fromOne|notOfNegative), l.register(x))
	return l.apply(l.of(l.VGETEXPPS, l.VGETEXPPD), nil, l.register(x)), m
}

func (l lanes) lookUp(t table, index value) value {
	memory, result := l.table(t.name, t.words()...), l.vector()
	if kept, found := l.kept[t.name]; found {
		l.VPERMPS(kept, l.register(index), result)
		return result
	}
	l.VPERMPS(memory, l.register(index), result)
	if l.wide || t.isOfThreeBits() {
		return result
	}
	above := l.vector()
	l.VPERMPS(memory.Offset(32), l.register(index), above)
	const fromFourth = 28 // to the highest bit, by which VBLENDVPS chooses
	l.VBLENDVPS(l.shiftLeft(index, fromFourth).(vector), above, result, result)
	return result
}

func (l lanes) lookUpAll(index value, tables ...table) (results []value) {
	numbers := l.register(index)
	if l.wide {
		for _, t := range tables {
			words, result := t.words(), l.vector()
			l.VMOVAPD(numbers, result)
			l.VPERMI2PD(l.line(t.name+"Above", words[8:]), l.line(t.name+"Below", words[:8]), result)
			results = append(results, result)
		}
		return results
	}
	numbers = l.assembler.and(numbers, l.assembler.bits(15))
	above := l.XMM()
	l.VEXTRACTI128(operand.U8(1), numbers, above)
	of := [4]reg.Register{}
	for i, pair := range []vector{numbers.AsX().(vector), above} {
		of[2*i], of[2*i+1] = l.GP64(), l.GP64()
		l.VMOVQ(pair, of[2*i])
		l.VPEXTRQ(operand.U8(1), pair, of[2*i+1])
	}
	for _, t := range tables {
		entries, result := l.GP64(), l.vector()
		l.LEAQ(l.table(t.name, t.words()...), entries)
		pairs := [2]vector{l.XMM(), l.XMM()}
		for i, pair := range pairs {
			l.VMOVSD(operand.Mem{Base: entries, Index: of[2*i], Scale: 8}, pair)
			l.VMOVHPD(operand.Mem{Base: entries, Index: of[2*i+1], Scale: 8}, pair, pair)
		}
		l.VINSERTF128(operand.U8(1), pairs[1], pairs[0].AsY(), result)
		results = append(results, result)
	}
	return results
}

// line returns a register with eight words, which may be kept.
func (l lanes) line(name string, words []uint64) vector {
	memory := l.table(name, words...)
	if kept, found := l.kept[name]; found {
		return kept
	}
	return l.loadMemory(memory)
}

// words are the entries as they are in memory.
func (t table) words() (words []uint64) {
	for i, v := range t.entries {
		switch {
		case t.double:
			words = append(words, math.Float64bits(v))
		case i%2 == 0:
			words = append(words, uint64(math.Float32bits(float32(v))))
		default:
			words[i/2] |= uint64(math.Float32bits(float32(v))) << 32
		}
	}
	return words
}

// How to compare without exceptions: x = y, x < y, not x < y, and not x = y.
const (
	comparesEqual = operand.U8(0)
	comparesLess  = operand.U8(17)
	comparesNot   = operand.U8(21)
	comparesOther = operand.U8(4)
)

func (l lanes) less(x, y value) mask { return l.compare(comparesLess, x, y) }

func (l lanes) notLess(x, y value) mask { return l.compare(comparesNot, x, y) }

func (l lanes) equal(x, y value) mask { return l.compare(comparesEqual, x, y) }

func (l lanes) lacks(x value, bits uint64) mask {
	pattern := l.bits(bits)
	if l.wide {
		result := l.K()
		test := l.of(l.VPTESTNMD_BCST, l.VPTESTNMQ_BCST)
		if kept := l.orKept(pattern.(operand.Op)); kept != pattern {
			test, pattern = l.of(l.VPTESTNMD, l.VPTESTNMQ), kept
		}
		test(pattern.(operand.Op), l.register(x), result)
		return result
	}
	return l.apply(l.of(l.VPCMPEQD, l.VPCMPEQQ), nil, l.bits(0).(operand.Op), l.and(x, pattern).(vector))
}

func (l lanes) compare(how operand.Op, x, y value) mask {
	first, second := l.register(x), l.orKept(y.(operand.Op))
	if l.wide {
		result := l.K()
		write := l.of(l.VCMPPS, l.VCMPPD)
		if _, isConstant := second.(constant); isConstant {
			write = l.of(l.VCMPPS_BCST, l.VCMPPD_BCST)
		}
		write(how, second, first, result)
		return result
	}
	result := l.vector()
	l.of(l.VCMPPS, l.VCMPPD)(how, second, first, result)
	return result
}

func (l lanes) either(x, y mask) mask {
	if l.wide {
		result := l.K()
		l.KORW(x.(reg.Register), y.(reg.Register), result)
		return result
	}
	return l.assembler.or(x.(vector), y.(vector))
}

func (l lanes) choose(m mask, yes, no value) value {
	if !l.wide {
		result := l.vector()
		if l.double {
			l.VBLENDVPD(m.(vector), yes.(operand.Op), l.register(no), result)
		} else {
			l.VBLENDVPS(m.(vector), yes.(operand.Op), l.register(no), result)
		}
		return result
	}
	return l.blend(l.orKept(yes.(operand.Op)), l.register(no), m.(operand.Op))
}

// blend returns yes where m holds, and no elsewhere. Avo takes results under a mask for operands, too, as most are:
// their registers would be taken for the whole function.
func (l lanes) blend(yes operand.Op, no vector, m operand.Op) vector {
	result := l.vector()
	write := x86.VBLENDMPS
	_, isConstant := yes.(constant)
	switch {
	case l.double && isConstant:
		write = x86.VBLENDMPD_BCST
	case l.double:
		write = x86.VBLENDMPD
	case isConstant:
		write = x86.VBLENDMPS_BCST
	}
	i, err := write(yes, no, m, result)
	if err != nil {
		panic(err)
	}
	i.Inputs = slices.DeleteFunc(i.Inputs, func(o operand.Op) bool { return o == operand.Op(result) })
	l.Instruction(i)
	return result
}

// The labels that elements are left to.
const (
	toGo   = "done"
	toLoop = "single"
	toFar  = "far"
)

func (l lanes) inBlock() bool { return l.leave == toLoop }

func (l lanes) completes() bool { return l.leave == toGo }

func (l lanes) leavesBeyond(value, float64) bool { return false }

func (l lanes) unless(m mask) {
	l.test(m)
	l.JNZ(operand.LabelRef(l.leave))
}

// test clears the flag of zero if m holds for an element.
func (l lanes) test(m mask) {
	switch {
	case l.active != nil:
		l.KTESTW(m.(operand.Op), l.active)
	case l.wide:
		l.KORTESTW(m.(operand.Op), m.(operand.Op))
	default:
		bits := l.GP32()
		if l.double {
			l.VMOVMSKPD(m.(operand.Op), bits)
		} else {
			l.VMOVMSKPS(m.(operand.Op), bits)
		}
		l.TESTL(bits, bits)
	}
}

// of writes the steps of the function of the operands.
func (f function) of(c code, operands []value) value {
	if f.body2 != nil {
		return f.body2(c, operands[0], operands[1])
	}
	return f.body(c, operands[0])
}
