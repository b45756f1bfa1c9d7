package main

import (
	"go/types"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// writeUniform writes what makes numbers of a uniform distribution. The words never go through memory.
func writeUniform(f *file) {
	f.each(true, func(a *assembler) {
		a.begin("uniform32", "dst *float32, "+philoxParameters+", low, step float64, below float32",
			"makes the numbers of count words, a positive multiple of 192, of the consecutive blocks of state.")
		u := interval{a, a.parameter("low", a.vector), a.parameter("step", a.vector), a.parameter("below", a.half)}
		a.philoxLoop(func(front, back vector, address reg.Register, offset int) {
			u.singles(front, address, offset)
			u.singles(back, address, offset+a.bytes())
		})
	})
	f.each(true, func(a *assembler) {
		a.begin("exact32", "dst *float32, "+philoxParameters+", low, step float32",
			"is uniform32 where float32 holds all numbers exactly.")
		u := interval{a.single(), a.parameter("low", a.vector), a.parameter("step", a.vector), nil}
		a.philoxLoop(func(front, back vector, address reg.Register, offset int) {
			u.asm.store(u.scaled(u.asm.apply(u.asm.VCVTDQ2PS, nil, u.asm.shiftRight(front, 8))), address, offset)
			u.asm.store(u.scaled(u.asm.apply(u.asm.VCVTDQ2PS, nil, u.asm.shiftRight(back, 8))), address, offset+a.bytes())
		})
	})
	f.each(true, func(a *assembler) {
		a.begin("uniform64", "dst *float64, "+philoxParameters+", low, step, below float64",
			"makes the numbers of count words, a positive multiple of 192, of the consecutive blocks of state.")
		u := interval{a, a.parameter("low", a.vector), a.parameter("step", a.vector), a.parameter("below", a.vector)}
		a.philoxLoop(func(front, back vector, address reg.Register, offset int) {
			a.store(u.doubles(front), address, offset)
			a.store(u.doubles(back), address, offset+a.bytes())
		})
	})
}

// interval writes numbers low + integer*step, at most below.
type interval struct {
	asm              *assembler
	low, step, below func() vector
}

func (u interval) scaled(x vector) vector { return u.asm.add(u.asm.multiply(x, u.step()), u.low()) }

// single is a for elements of 32 bits.
func (a *assembler) single() *assembler {
	single := *a
	single.double = false
	return &single
}

// singles turns words into float32 numbers, by way of float64, and stores them.
func (u interval) singles(words vector, address reg.Register, offset int) {
	integers := u.asm.vector()
	u.asm.VPSRLD(operand.U8(8), words, integers)
	lower, upper, convert := integers.AsX(), u.asm.half(), u.asm.VCVTPD2PSY
	if u.asm.wide {
		lower, convert = integers.AsY(), u.asm.VCVTPD2PS
		u.asm.VEXTRACTI64X4(operand.U8(1), integers, upper)
	} else {
		u.asm.VEXTRACTI128(operand.U8(1), integers, upper)
	}
	for i, half := range []reg.Register{lower, upper} {
		value, single := u.asm.vector(), u.asm.half()
		u.asm.VCVTDQ2PD(half, value)
		convert(u.scaled(value), single)
		u.asm.VMINPS(u.below(), single, single)
		u.asm.VMOVUPS(single, operand.Mem{Base: address, Disp: offset + i*u.asm.bytes()/2})
	}
}

// doubles turns pairs of words into float64 numbers.
func (u interval) doubles(words vector) vector {
	integers := u.asm.shiftRight(u.asm.swapWords(words), 11)
	return u.asm.minimum(u.scaled(u.asm.fromBits53(integers)), u.below())
}

// parameter returns what gives a vector, of those that make makes, whose elements equal a parameter. Narrow code, which is
// short of registers, makes it where it is used.
func (a *assembler) parameter(name string, make func() vector) func() vector {
	place, err := a.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	broadcast := a.VBROADCASTSD
	if place.Type.Kind() == types.Float32 {
		broadcast = a.VBROADCASTSS
	}
	spread := func() vector {
		result := make()
		broadcast(place.Addr, result)
		return result
	}
	if a.wide {
		result := spread()
		return func() vector { return result }
	}
	return spread
}

// swapWords exchanges the halves of 64-bit elements.
func (a *assembler) swapWords(x vector) vector { return a.apply(a.VPSHUFD, nil, operand.U8(0xB1), x) }

// fromBits53 converts 64-bit integers up to 2^53, exactly.
func (a *assembler) fromBits53(x vector) vector {
	if a.wide {
		return a.apply(a.VCVTUQQ2PD, nil, x)
	}
	// The bits of 2^84 and of 2^52 with an integer in the lowest places are the sums of these powers and the integer,
	// scaled by 2^32 for the first.
	high := a.subtract(a.or(a.shiftRight(x, 32), a.number(0x1p84)), a.number(0x1p84))
	power, low := a.spread(a.number(0x1p52)), a.vector()
	a.VPBLENDD(operand.U8(0xAA), power, x, low)
	return a.add(high, a.subtract(low, a.number(0x1p52)))
}
