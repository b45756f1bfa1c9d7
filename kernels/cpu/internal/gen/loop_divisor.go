package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// quotientsByOne are the loops of quotients of integers by one number, and of what is left: z points to a soleDivisor of package cpu. They
// multiply, as T. Granlund and P. L. Montgomery, "Division by Invariant Integers using Multiplication", PLDI 1994, do.
func quotientsByOne() (all []loop) {
	for _, d := range []string{"int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"} {
		all = append(all, sameSize("floor_divide_by_one", []string{d}, 2, false, multiplying(d, false)), sameSize("remainder_by_one", []string{d}, 2, false, multiplying(d, true)))
	}
	return all
}

// multiplier is what divides integers of one type by one number.
type multiplier struct {
	*assembler
	size   int // bytes of an element
	signed bool

	factor, upperFactor, sign, value vector // upperFactor is the upper half of long factors
	shift, places, zero, ones        vector // places has bits of every other byte or word
}

func multiplying(d string, rest bool) steps {
	return func(a *assembler) func(in []operand.Mem) reg.Register {
		m := &multiplier{assembler: a, size: sizeOf[d], signed: d[0] == 'i'}
		m.prepare(rest)
		return func(in []operand.Mem) reg.Register {
			x := a.loaded(in[0])
			quotient := m.quotient(x)
			if !rest {
				return quotient
			}
			return m.pick(a.VPSUBB, a.VPSUBW, a.VPSUBD, a.VPSUBQ)(m.product(quotient), x)
		}
	}
}

// pick returns what applies the instruction for the element.
func (m *multiplier) pick(one, two, four, eight instruction) func(sources ...operand.Op) vector {
	write := map[int]instruction{1: one, 2: two, 4: four, 8: eight}[m.size]
	return func(sources ...operand.Op) vector { return m.apply(write, write, sources...) }
}

// prepare loads the divisor.
func (m *multiplier) prepare(rest bool) {
	divisor := m.GP64()
	m.MOVQ(place(m.Param("z")), divisor)
	field := func(i int) operand.Mem { return operand.Mem{Base: divisor, Disp: 8 * i} }
	spread := m.pick(m.VPBROADCASTB, m.VPBROADCASTW, m.VPBROADCASTD, m.VPBROADCASTQ)
	if m.size > 1 {
		m.factor, m.shift = spread(field(0)), m.XMM()
		m.VMOVQ(field(1), m.shift)
	} else {
		m.factor = m.apply(m.VPBROADCASTW, m.VPBROADCASTW, field(0))
	}
	if m.signed {
		m.sign = spread(field(2))
		if m.zero = zeroVector(m.assembler).(vector); m.wide {
			m.ones = m.spread(m.bits(math.MaxUint32)) // In VPMOVM2B and its like the result waits for what was in its register.
		}
	}
	if rest {
		m.value = spread(field(3))
	}
	switch m.size {
	case 1:
		m.places = m.spread(m.bits(0xff00ff00))
	case 4:
		m.places = m.apply(m.VPBROADCASTQ, m.VPBROADCASTQ, m.table("upperWords", 0xffffffff<<32))
	case 8:
		m.places = m.spread(m.bits(0xffffffff))
		m.upperFactor = m.shiftRight(m.factor, 32)
	}
}

// quotient is x divided by the divisor, rounded down. What is not above it, −1 − x, is divided in place of a negative x, and −x or x − 1, which
// are not negative, by minus a negative divisor: then the opposite of the bits may be due.
func (m *multiplier) quotient(x vector) vector {
	if !m.signed {
		high := m.upperProduct(x)
		if m.size > 1 { // The factor has one more bit, which is set.
			half := m.pick(nil, m.VPSRLW, m.VPSRLD, m.VPSRLQ)(operand.U8(1), m.pick(nil, m.VPSUBW, m.VPSUBD, m.VPSUBQ)(high, x))
			high = m.shifted(m.pick(nil, m.VPADDW, m.VPADDD, m.VPADDQ)(half, high))
		}
		return high
	}
	moved := m.pick(m.VPADDB, m.VPADDW, m.VPADDD, m.VPADDQ)(m.sign, x)
	flips := m.signs(m.or(moved, x))
	high := m.upperProduct(m.xor(moved, flips))
	if m.size > 1 {
		high = m.shifted(high)
	}
	return m.xor(high, m.xor(flips, m.sign))
}

// signs has all bits of elements that are negative.
func (m *multiplier) signs(x vector) vector {
	switch {
	case m.size > 1 && (m.wide || m.size < 8):
		return m.pick(nil, m.VPSRAW, m.VPSRAD, m.VPSRAQ)(operand.U8(8*m.size-1), x)
	case !m.wide:
		return m.pick(m.VPCMPGTB, nil, nil, m.VPCMPGTQ)(x, m.zero)
	}
	mask, result := m.K(), m.vector()
	m.VPMOVB2M(x, mask)
	m.VMOVDQU8_Z(m.ones, mask, result)
	return result
}

func (m *multiplier) shifted(x vector) vector {
	return m.pick(nil, m.VPSRLW, m.VPSRLD, m.VPSRLQ)(m.shift, x)
}

// upperProduct is the upper half of the product with the factor, which has 16 bits for bytes.
func (m *multiplier) upperProduct(x vector) vector {
	times := func(x, y vector) vector { return m.apply(m.VPMULUDQ, nil, x, y) }
	switch m.size {
	case 1:
		upper := m.and(x, m.places)
		lower := m.apply(m.VPMULHUW, nil, m.factor, m.xor(x, upper))
		return m.or(lower, m.and(m.apply(m.VPMULHUW, nil, m.factor, upper), m.places))
	case 2:
		return m.apply(m.VPMULHUW, nil, m.factor, x)
	case 4:
		even, odd := times(m.factor, x), times(m.factor, m.apply(m.VPSRLQ, nil, operand.U8(32), x))
		return m.choose(m.places, odd, m.apply(m.VPSRLQ, nil, operand.U8(32), even))
	}
	upper := m.shiftRight(x, 32)
	middle := m.addIntegers(times(m.factor, upper), m.shiftRight(times(m.factor, x), 32))
	other := m.addIntegers(times(m.upperFactor, x), m.and(middle, m.places))
	return m.addIntegers(m.addIntegers(times(m.upperFactor, upper), m.shiftRight(middle, 32)), m.shiftRight(other, 32))
}

// product is the lower half of the product with the divisor.
func (m *multiplier) product(x vector) vector {
	switch m.size {
	case 1:
		upper := m.apply(m.VPMULLW, nil, m.value, m.and(x, m.places))
		return m.or(upper, m.and(m.apply(m.VPMULLW, nil, m.value, x), m.bits(0x00ff00ff)))
	case 8:
		return m.productOfWords64(x, m.value)
	}
	return m.pick(nil, m.VPMULLW, m.VPMULLD, nil)(m.value, x)
}
