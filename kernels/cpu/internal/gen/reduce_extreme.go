package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// How to compare whether one of two numbers is NaN, and whether an integer is larger than another.
const (
	comparesUnordered = operand.U8(3)
	comparesAbove     = operand.U8(6) // of integers
)

// extreme is the largest or smallest element, NaN if there is one; zeros are ordered by their signs. With AVX-512 the
// state is the extreme of the numbers, and the largest magnitude, as an integer, of all that are NaN or not. AVX2
// cannot tell zeros apart: its state has the signs that all elements share, or that any has, and where there was NaN.
func extreme(operator string, largest bool) total {
	return total{
		operator: operator, elements: floatElements, unordered: true,
		begin: func(a *assembler, x operand.Mem) []reg.Register {
			v := a.loadMemory(x)
			if a.wide {
				return []reg.Register{v, a.addIntegers(v, v)}
			}
			signs, nans := a.vector(), a.vector()
			a.VMOVAPS(v, signs)
			a.of(a.VCMPPS, a.VCMPPD)(comparesUnordered, v, v, nans)
			return []reg.Register{v, signs, nans}
		},
		step: func(a *assembler, state []reg.Register, x operand.Mem) {
			v := a.loadMemory(x)
			if a.wide {
				a.of(a.VPMAXUD, a.VPMAXUQ)(a.addIntegers(v, v), state[1], state[1])
				a.extremeOf(largest, v, state[0])
				return
			}
			unordered := a.vector()
			a.of(a.VCMPPS, a.VCMPPD)(comparesUnordered, v, v, unordered)
			a.VORPS(unordered, state[2], state[2])
			a.extremeOf(largest, v, state[0])
			a.commonSign(largest, v, state[1])
		},
		join: func(a *assembler, state, other []reg.Register) {
			a.extremeOf(largest, other[0], state[0])
			if a.wide {
				a.of(a.VPMAXUD, a.VPMAXUQ)(other[1], state[1], state[1])
				return
			}
			a.commonSign(largest, other[1], state[1])
			a.VORPS(other[2], state[2], state[2])
		},
		finish: func(a *assembler, state []reg.Register, whole bool) reg.Register {
			if a.wide {
				return a.finishWide(state, whole)
			}
			return a.finishNarrow(state, whole)
		},
		quick: quickExtreme(largest),
	}
}

// quickExtreme is the extreme of the numbers, and a sum of all elements: NaN if one of them is. It may also be NaN
// where there are infinities of both signs, or where parts of it overflow.
func quickExtreme(largest bool) *quickTotal {
	return &quickTotal{
		total: total{
			begin: func(a *assembler, x operand.Mem) []reg.Register {
				return []reg.Register{a.loadMemory(x), a.loadMemory(x)}
			},
			step: func(a *assembler, state []reg.Register, x operand.Mem) {
				a.extremeOf(largest, x, state[0])
				a.of(a.VADDPS, a.VADDPD)(x, state[1], state[1])
			},
			join: func(a *assembler, state, other []reg.Register) {
				a.extremeOf(largest, other[0], state[0])
				if len(state) > 1 {
					a.of(a.VADDPS, a.VADDPD)(other[1], state[1], state[1])
				}
			},
		},
		jumpIfDoubtful: func(a *assembler, state []reg.Register, label string) {
			isNaN := a.K()
			a.of(a.VCMPPS, a.VCMPPD)(comparesUnordered, state[1], state[1], isNaN)
			a.KORTESTW(isNaN, isNaN)
			a.JNZ(operand.LabelRef(label))
		},
	}
}

// extremeOf takes x into result.
func (a *assembler) extremeOf(largest bool, x operand.Op, result reg.Register) {
	switch {
	case a.wide && largest:
		a.of(a.VRANGEPS, a.VRANGEPD)(operand.U8(5), x, result, result)
	case a.wide:
		a.of(a.VRANGEPS, a.VRANGEPD)(operand.U8(4), x, result, result)
	case largest:
		a.of(a.VMAXPS, a.VMAXPD)(x, result, result)
	default:
		a.of(a.VMINPS, a.VMINPD)(x, result, result)
	}
}

// commonSign takes the sign of x into that of signs: a largest zero is negative if all elements are, a smallest one if any is.
func (a *assembler) commonSign(largest bool, x, signs reg.Register) {
	if largest {
		a.VANDPS(x, signs, signs)
	} else {
		a.VORPS(x, signs, signs)
	}
}

// finishWide makes lanes NaN that had one.
func (a *assembler) finishWide(state []reg.Register, whole bool) reg.Register {
	v, magnitudes := state[0], state[1]
	infinity, nan := reg.Register(a.spread(a.bits(2*a.infinity()))), reg.Register(a.spread(a.bits(a.nan())))
	if !whole {
		infinity, nan = short(infinity), short(nan)
	}
	hasNaN := a.K()
	a.of(a.VPCMPUD, a.VPCMPUQ)(comparesAbove, infinity, magnitudes, hasNaN)
	a.of(a.VMOVAPS, a.VMOVAPD)(nan, hasNaN, v)
	return v
}

// finishNarrow gives zeros their sign, and makes lanes NaN that had one.
func (a *assembler) finishNarrow(state []reg.Register, whole bool) reg.Register {
	create := a.vector
	if !whole {
		create = a.XMM
	}
	size := func(v reg.Register) reg.Register {
		if whole {
			return v
		}
		return short(v)
	}
	v, signs, nans := size(state[0]), size(state[1]), size(state[2])
	zeros, isZero := create(), create()
	a.VXORPS(zeros, zeros, zeros)
	a.of(a.VCMPPS, a.VCMPPD)(comparesEqual, zeros, v, isZero)
	signBit := a.spread(a.bits(1 << (8*a.elementBytes() - 1)))
	a.VANDPS(size(signBit), signs, signs)
	a.VANDPS(isZero, signs, signs)
	a.VANDNPS(v, isZero, v)
	a.VORPS(signs, v, v)
	a.VORPS(nans, v, v)
	return v
}

// nan is the bits of a NaN.
func (a *assembler) nan() uint64 { return ^uint64(0) >> (64 - 8*a.elementBytes()) }

// infinity is the bits of infinity.
func (a *assembler) infinity() uint64 {
	if a.double {
		return math.Float64bits(math.Inf(1))
	}
	return uint64(math.Float32bits(float32(math.Inf(1))))
}
