package main

import (
	"strings"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// integerExtremes are the largest and smallest elements of all types of integers.
func integerExtremes() (all []total) {
	for _, element := range []string{"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"} {
		all = append(all, integerExtreme("max", element, true), integerExtreme("min", element, false))
	}
	return all
}

func integerExtreme(operator, element string, largest bool) total {
	unsigned := strings.HasPrefix(element, "u")
	// AVX2 compares signed integers of 64 bits alone: unsigned ones have their highest bit flipped on the way.
	flipped := func(a *assembler) bool { return a.double && unsigned && !a.wide }
	lift := func(a *assembler, x operand.Mem) vector {
		v := a.loadMemory(x)
		if flipped(a) {
			return a.xor(v, a.bits(1<<63))
		}
		return v
	}
	t := total{
		operator: operator, elements: []string{element}, unordered: true,
		begin: func(a *assembler, x operand.Mem) []reg.Register { return []reg.Register{lift(a, x)} },
		step: func(a *assembler, state []reg.Register, x operand.Mem) {
			if flipped(a) {
				a.extremeOfIntegers(largest, unsigned, lift(a, x), state[0])
			} else {
				a.extremeOfIntegers(largest, unsigned, x, state[0])
			}
		},
		join: func(a *assembler, state, other []reg.Register) {
			a.extremeOfIntegers(largest, unsigned, other[0], state[0])
		},
	}
	if unsigned && sizeOf[element] == 8 {
		t.finish = func(a *assembler, state []reg.Register, whole bool) reg.Register {
			if flipped(a) {
				sign := reg.Register(a.spread(a.bits(1 << 63)))
				if !whole {
					sign, state[0] = short(sign), short(state[0])
				}
				a.VPXOR(sign, state[0], state[0])
			}
			return state[0]
		}
	}
	return t
}

// extremeOfIntegers takes x into result.
func (a *assembler) extremeOfIntegers(largest, unsigned bool, x operand.Op, result reg.Register) {
	if a.double && !a.wide {
		mask, v := reg.Register(a.XMM()), reg.Register(a.XMM())
		if result.Size() == 32 {
			mask, v = a.YMM(), a.YMM()
		}
		a.VMOVDQU(x, v)
		if largest {
			a.VPCMPGTQ(result, v, mask)
		} else {
			a.VPCMPGTQ(v, result, mask)
		}
		a.VBLENDVPD(mask, v, result, result)
		return
	}
	of := func(signedMax, unsignedMax, signedMin, unsignedMin instruction) instruction {
		switch {
		case largest && unsigned:
			return unsignedMax
		case largest:
			return signedMax
		case unsigned:
			return unsignedMin
		}
		return signedMin
	}
	map[int]instruction{
		1: of(a.VPMAXSB, a.VPMAXUB, a.VPMINSB, a.VPMINUB), 2: of(a.VPMAXSW, a.VPMAXUW, a.VPMINSW, a.VPMINUW),
		4: of(a.VPMAXSD, a.VPMAXUD, a.VPMINSD, a.VPMINUD), 8: of(a.VPMAXSQ, a.VPMAXUQ, a.VPMINSQ, a.VPMINUQ),
	}[a.elementBytes()](x, result, result)
}
