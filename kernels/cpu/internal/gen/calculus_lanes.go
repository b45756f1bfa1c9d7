package main

import (
	"math"
	"slices"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"
)

// lanes is code for all elements of a vector at once.
type lanes struct{ asm *assembler }

func (l lanes) isDouble() bool { return l.asm.double }

func (l lanes) number(v float64) value { return l.asm.number(v) }

func (l lanes) bits(v uint64) value { return l.asm.bits(v) }

// register returns x in a register, which may be that of x.
func (l lanes) register(x value) vector {
	x = l.asm.orKept(x.(operand.Op))
	if memory, isConstant := x.(constant); isConstant {
		return l.asm.spread(memory)
	}
	return x.(vector)
}

// copied returns x in a register of its own.
func (l lanes) copied(x value) vector {
	x = l.asm.orKept(x.(operand.Op))
	if memory, isConstant := x.(constant); isConstant {
		return l.asm.spread(memory)
	}
	result := l.asm.vector()
	l.asm.VMOVAPD(x.(vector), result)
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
	return l.asm.add(l.register(x), other)
}

func (l lanes) multiply(x, y value) value {
	x, other := withConstant(x, y)
	return l.asm.multiply(l.register(x), other)
}

func (l lanes) subtract(x, y value) value {
	return l.asm.subtract(l.register(x), y.(operand.Op))
}

func (l lanes) divide(x, y value) value {
	return l.asm.divide(l.register(x), l.register(y))
}

func (l lanes) squareRoot(x value) value { return l.asm.squareRoot(l.register(x)) }

func (l lanes) fused(x, y, z value) value {
	x, other := withConstant(x, y)
	_, isProductOfConstant := other.(constant)
	if addend, isConstant := z.(constant); isConstant && !isProductOfConstant {
		result := l.copied(x)
		l.inPlace(l.asm.of(l.asm.VFMADD213PS, l.asm.VFMADD213PD), l.asm.of(l.asm.VFMADD213PS_BCST, l.asm.VFMADD213PD_BCST), addend, l.register(other), result)
		return result
	}
	result := l.copied(z)
	l.inPlace(l.asm.of(l.asm.VFMADD231PS, l.asm.VFMADD231PD), l.asm.of(l.asm.VFMADD231PS_BCST, l.asm.VFMADD231PD_BCST), other, l.register(x), result)
	return result
}

func (l lanes) fusedNegative(x, y, z value) value {
	x, other := withConstant(x, y)
	result := l.copied(z)
	l.inPlace(l.asm.of(l.asm.VFNMADD231PS, l.asm.VFNMADD231PD), l.asm.of(l.asm.VFNMADD231PS_BCST, l.asm.VFNMADD231PD_BCST), other, l.register(x), result)
	return result
}

// inPlace writes an instruction that changes its last operand; the first may be a constant.
func (l lanes) inPlace(plain, broadcasting instruction, operands ...operand.Op) {
	operands[0] = l.asm.orKept(operands[0])
	if _, isConstant := operands[0].(constant); isConstant && l.asm.wide {
		plain = broadcasting
	}
	plain(operands...)
}

func (l lanes) polynomial(x value, coefficients ...float64) value {
	x = l.register(x)
	result := l.copied(l.asm.number(coefficients[0]))
	for _, c := range coefficients[1:] {
		l.horner(result, x, c)
	}
	return result
}

func (l lanes) inStep(all ...polynomial) []value {
	results := make([]value, len(all))
	eachStep(all, func(i int, coefficient float64) {
		results[i] = l.copied(l.asm.number(coefficient))
	}, func(i int, coefficient float64) {
		l.horner(results[i], l.register(all[i].x), coefficient)
	})
	return results
}

// horner sets result to result · x + c.
func (l lanes) horner(result, x value, c float64) {
	l.inPlace(l.asm.of(l.asm.VFMADD213PS, l.asm.VFMADD213PD), l.asm.of(l.asm.VFMADD213PS_BCST, l.asm.VFMADD213PD_BCST), l.asm.number(c), x.(operand.Op), result.(operand.Op))
}

func (l lanes) lesser(x, y value) value {
	return l.asm.apply(l.asm.of(l.asm.VMINPS, l.asm.VMINPD), nil, l.register(y), l.register(x))
}

func (l lanes) greater(x, y value) value {
	return l.asm.apply(l.asm.of(l.asm.VMAXPS, l.asm.VMAXPD), nil, l.register(y), l.register(x))
}

func (l lanes) scale(y, k value) value {
	if !l.asm.wide {
		return scaleInSteps(l, y, k)
	}
	return l.asm.apply(l.asm.of(l.asm.VSCALEFPS, l.asm.VSCALEFPD), nil, l.register(k), l.register(y))
}

// scaleDown by AVX2 multiplies by 2^⌊k/2⌋ and by the rest of the power, since the power itself may be out of range.
// Their exponents are among the bits, above those of the sixteenths.
func (l lanes) scaleDown(y, k, bits value) value {
	if l.asm.wide {
		return l.scale(y, k) // takes any k
	}
	const places, sixteenths = 23, 4
	exponents := l.asm.bits(0xFF800000)
	half := l.and(l.shiftLeft(bits, places-sixteenths-1), exponents)
	rest := l.asm.subtractIntegers(l.register(l.and(l.shiftLeft(bits, places-sixteenths), exponents)), l.register(half))
	one := l.number(1)
	return l.multiply(l.multiply(y, l.addBits(half, one)), l.addBits(rest, one))
}

func (l lanes) and(x, y value) value {
	x, other := withConstant(x, y)
	return l.asm.and(l.register(x), other)
}

func (l lanes) or(x, y value) value {
	x, other := withConstant(x, y)
	return l.asm.or(l.register(x), other)
}

func (l lanes) xor(x, y value) value {
	x, other := withConstant(x, y)
	return l.asm.xor(l.register(x), other)
}

func (l lanes) signed(y, x value) value {
	if !l.asm.wide {
		return signedInSteps(l, y, x)
	}
	const eitherOrBoth = operand.U8(0xF8) // y or (x and sign)
	result := l.copied(y)
	l.asm.of(l.asm.VPTERNLOGD_BCST, l.asm.VPTERNLOGQ_BCST)(eitherOrBoth, l.bits(formatOf(l).sign).(operand.Op), l.register(x), result)
	return result
}

func (l lanes) addBits(x, y value) value {
	x, other := withConstant(x, y)
	return l.asm.addIntegers(l.register(x), other)
}

func (l lanes) shiftLeft(x value, by uint8) value { return l.asm.shiftLeft(l.register(x), by) }

func (l lanes) shiftRight(x value, by uint8) value { return l.asm.shiftRight(l.register(x), by) }

func (l lanes) split(x value) (k, m value) {
	if !l.asm.wide {
		return splitPositive(l, x)
	}
	const fromThreeQuarters, notOfNegative = 3, 3 << 2
	exponent := l.asm.of(l.asm.VGETEXPPS, l.asm.VGETEXPPD)
	m = l.asm.apply(l.asm.of(l.asm.VGETMANTPS, l.asm.VGETMANTPD), nil, operand.U8(fromThreeQuarters|notOfNegative), l.register(x))
	return l.subtract(l.asm.apply(exponent, nil, l.register(x)), l.asm.apply(exponent, nil, l.register(m))), m
}

func (l lanes) binade(x value) (k, m value) {
	if !l.asm.wide {
		if l.inBlock() {
			unlessNormal(l, x)
		}
		return binadeInSteps(l, x)
	}
	const fromOne, notOfNegative = 0, 3 << 2
	m = l.asm.apply(l.asm.of(l.asm.VGETMANTPS, l.asm.VGETMANTPD), nil, operand.U8(fromOne|notOfNegative), l.register(x))
	return l.asm.apply(l.asm.of(l.asm.VGETEXPPS, l.asm.VGETEXPPD), nil, l.register(x)), m
}

func (l lanes) lookUp(t table, index value) value {
	memory, result := l.asm.table(t.name, t.words()...), l.asm.vector()
	if kept, found := l.asm.kept[t.name]; found {
		l.asm.VPERMPS(kept, l.register(index), result)
		return result
	}
	l.asm.VPERMPS(memory, l.register(index), result)
	if l.asm.wide || t.isOfThreeBits() {
		return result
	}
	above := l.asm.vector()
	l.asm.VPERMPS(memory.Offset(32), l.register(index), above)
	const fromFourth = 28 // to the highest bit, by which VBLENDVPS chooses
	l.asm.VBLENDVPS(l.shiftLeft(index, fromFourth).(vector), above, result, result)
	return result
}

func (l lanes) lookUpAll(index value, tables ...table) (results []value) {
	numbers := l.register(index)
	if l.asm.wide {
		for _, t := range tables {
			words, result := t.words(), l.asm.vector()
			l.asm.VMOVAPD(numbers, result)
			l.asm.VPERMI2PD(l.line(t.name+"Above", words[8:]), l.line(t.name+"Below", words[:8]), result)
			results = append(results, result)
		}
		return results
	}
	numbers = l.asm.and(numbers, l.asm.bits(15))
	above := l.asm.XMM()
	l.asm.VEXTRACTI128(operand.U8(1), numbers, above)
	of := [4]reg.Register{}
	for i, pair := range []vector{numbers.AsX().(vector), above} {
		of[2*i], of[2*i+1] = l.asm.GP64(), l.asm.GP64()
		l.asm.VMOVQ(pair, of[2*i])
		l.asm.VPEXTRQ(operand.U8(1), pair, of[2*i+1])
	}
	for _, t := range tables {
		entries, result := l.asm.GP64(), l.asm.vector()
		l.asm.LEAQ(l.asm.table(t.name, t.words()...), entries)
		pairs := [2]vector{l.asm.XMM(), l.asm.XMM()}
		for i, pair := range pairs {
			l.asm.VMOVSD(operand.Mem{Base: entries, Index: of[2*i], Scale: 8}, pair)
			l.asm.VMOVHPD(operand.Mem{Base: entries, Index: of[2*i+1], Scale: 8}, pair, pair)
		}
		l.asm.VINSERTF128(operand.U8(1), pairs[1], pairs[0].AsY(), result)
		results = append(results, result)
	}
	return results
}

// line returns a register with eight words, which may be kept.
func (l lanes) line(name string, words []uint64) vector {
	memory := l.asm.table(name, words...)
	if kept, found := l.asm.kept[name]; found {
		return kept
	}
	return l.asm.loadMemory(memory)
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
	if l.asm.wide {
		result := l.asm.K()
		test := l.asm.of(l.asm.VPTESTNMD_BCST, l.asm.VPTESTNMQ_BCST)
		if kept := l.asm.orKept(pattern.(operand.Op)); kept != pattern {
			test, pattern = l.asm.of(l.asm.VPTESTNMD, l.asm.VPTESTNMQ), kept
		}
		test(pattern.(operand.Op), l.register(x), result)
		return result
	}
	return l.asm.apply(l.asm.of(l.asm.VPCMPEQD, l.asm.VPCMPEQQ), nil, l.bits(0).(operand.Op), l.and(x, pattern).(vector))
}

func (l lanes) compare(how operand.Op, x, y value) mask {
	first, second := l.register(x), l.asm.orKept(y.(operand.Op))
	if l.asm.wide {
		result := l.asm.K()
		write := l.asm.of(l.asm.VCMPPS, l.asm.VCMPPD)
		if _, isConstant := second.(constant); isConstant {
			write = l.asm.of(l.asm.VCMPPS_BCST, l.asm.VCMPPD_BCST)
		}
		write(how, second, first, result)
		return result
	}
	result := l.asm.vector()
	l.asm.of(l.asm.VCMPPS, l.asm.VCMPPD)(how, second, first, result)
	return result
}

func (l lanes) either(x, y mask) mask {
	if l.asm.wide {
		result := l.asm.K()
		l.asm.KORW(x.(reg.Register), y.(reg.Register), result)
		return result
	}
	return l.asm.or(x.(vector), y.(vector))
}

func (l lanes) choose(m mask, yes, no value) value {
	if !l.asm.wide {
		result := l.asm.vector()
		if l.asm.double {
			l.asm.VBLENDVPD(m.(vector), yes.(operand.Op), l.register(no), result)
		} else {
			l.asm.VBLENDVPS(m.(vector), yes.(operand.Op), l.register(no), result)
		}
		return result
	}
	return l.blend(l.asm.orKept(yes.(operand.Op)), l.register(no), m.(operand.Op))
}

// blend returns yes where m holds, and no elsewhere. Avo takes results under a mask for operands, too, as most are:
// their registers would be taken for the whole function.
func (l lanes) blend(yes operand.Op, no vector, m operand.Op) vector {
	result := l.asm.vector()
	write := x86.VBLENDMPS
	_, isConstant := yes.(constant)
	switch {
	case l.asm.double && isConstant:
		write = x86.VBLENDMPD_BCST
	case l.asm.double:
		write = x86.VBLENDMPD
	case isConstant:
		write = x86.VBLENDMPS_BCST
	}
	i, err := write(yes, no, m, result)
	if err != nil {
		panic(err)
	}
	i.Inputs = slices.DeleteFunc(i.Inputs, func(o operand.Op) bool { return o == operand.Op(result) })
	l.asm.Instruction(i)
	return result
}

// The labels that elements are left to.
const (
	toGo   = "done"
	toLoop = "single"
	toFar  = "far"
)

func (l lanes) inBlock() bool { return l.asm.leave == toLoop }

func (l lanes) completes() bool { return l.asm.leave == toGo }

func (l lanes) leavesBeyond(value, float64) bool { return false }

func (l lanes) unless(m mask) {
	l.test(m)
	l.asm.JNZ(operand.LabelRef(l.asm.leave))
}

// test clears the flag of zero if m holds for an element.
func (l lanes) test(m mask) {
	switch {
	case l.asm.active != nil:
		l.asm.KTESTW(m.(operand.Op), l.asm.active)
	case l.asm.wide:
		l.asm.KORTESTW(m.(operand.Op), m.(operand.Op))
	default:
		bits := l.asm.GP32()
		if l.asm.double {
			l.asm.VMOVMSKPD(m.(operand.Op), bits)
		} else {
			l.asm.VMOVMSKPS(m.(operand.Op), bits)
		}
		l.asm.TESTL(bits, bits)
	}
}

// of writes the steps of the function of the operands.
func (f function) of(c code, operands []value) value {
	if f.body2 != nil {
		return f.body2(c, operands[0], operands[1])
	}
	return f.body(c, operands[0])
}
