package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Steps by AVX2 that make numbers fit into float32 by their bits: where some of the last ones do not, the last that
// does is set if any of these is. It is as good as rounding to odd (see oddLoops) where what follows keeps at least two
// bits less.

// joinedBits clears the bits of mask in x, and sets the one above where one of them was set. Adding is that of the elements.
func (a *assembler) joinedBits(x vector, mask operand.Op, adding instruction) vector {
	sum, result := a.vector(), a.vector()
	a.VPAND(mask, x, sum)
	adding(mask, sum, sum)
	a.VPOR(x, sum, sum)
	a.VMOVDQU(mask, result)
	a.VPANDN(sum, result, result)
	return result
}

// wideBits is the constant with the bits for elements of 64 bits, and narrowBits for those of 32.
func (a *assembler) wideBits(bits uint64) constant {
	doubles := *a
	doubles.double = true
	return doubles.bits(bits)
}

func (a *assembler) narrowBits(bits uint32) constant {
	singles := *a
	singles.double = false
	return singles.bits(uint64(bits))
}

// beyondSingle is the bits of float64 that float32 has no room for.
const beyondSingle = 29

// joinedDoubles makes float32 of float64, of which subnormal numbers need not be right.
func joinedDoubles(a *assembler) func(in []operand.Mem) reg.Register {
	return func(in []operand.Mem) reg.Register {
		return a.toSingle(a.joinedBits(a.loaded(in[0]), a.wideBits(1<<beyondSingle-1), a.VPADDQ))
	}
}

// roundedToBFloat16 makes bfloat16 of float64: it adds and subtracts a number whose last place is that of bfloat16.
// That is 1.5 · 2^45 times the power of two of x, at least that of the least normal number, of which subnormal ones
// have the last place, and not so large that infinity less infinity comes of it.
func roundedToBFloat16(a *assembler) func(in []operand.Mem) reg.Register {
	const places, least, most = 7, 0x1p-126, 0x1p200
	return func(in []operand.Mem) reg.Register {
		x := a.loaded(in[0])
		power, rounded, result := a.and(x, a.wideBits(0x7ff<<52)), a.vector(), a.XMM()
		a.VMAXPD(a.wideBits(math.Float64bits(least)), power, power)
		a.VMINPD(a.wideBits(math.Float64bits(most)), power, power)
		a.VMULPD(a.wideBits(math.Float64bits(math.Ldexp(1.5, 52-places))), power, power)
		a.VADDPD(power, x, rounded)
		a.VSUBPD(power, rounded, rounded)
		a.VPOR(a.and(x, a.wideBits(1<<63)), rounded, rounded) // for zero
		a.VPSRLD(operand.U8(16), a.toSingle(rounded), result)
		a.VPACKUSDW(result, result, result)
		return result
	}
}

// toSingle is float64 as float32.
func (a *assembler) toSingle(x vector) vector {
	y := a.XMM()
	a.VCVTPD2PSY(x, y)
	return y
}

// joinedInt32s joins the last eight bits of large integers.
func joinedInt32s(a *assembler) func(in []operand.Mem) reg.Register {
	return func(in []operand.Mem) reg.Register {
		x := a.loaded(in[0])
		large, result := a.vector(), a.vector()
		a.VPABSD(x, large) // of which the largest stays negative
		a.VPSRLD(operand.U8(24), large, large)
		zero := a.vector()
		a.VPXOR(zero, zero, zero)
		a.VPCMPGTD(zero, large, large)
		a.VBLENDVPS(large, a.joinedBits(x, a.narrowBits(1<<8-1), a.VPADDD), x, result)
		a.VCVTDQ2PS(result, result)
		return result
	}
}

// joinedInt64s joins the last eleven bits of integers of more than 32, so that float64 has room for the others, and
// then what float32 has no room for.
func joinedInt64s(a *assembler) func(in []operand.Mem) reg.Register {
	return func(in []operand.Mem) reg.Register {
		x := a.loaded(in[0])
		large, integer, zero := a.vector(), a.vector(), a.vector()
		a.VPABSD(x, large) // the upper half of small integers is 0 or −1, and the largest magnitude stays negative
		a.VPSRLD(operand.U8(1), large, large)
		a.VPXOR(zero, zero, zero)
		a.VPCMPGTD(zero, large, large)
		a.VBLENDVPD(large, a.joinedBits(x, a.wideBits(1<<11-1), a.VPADDQ), x, integer)
		return a.toSingle(a.joinedBits(a.doublesOf(integer, true), a.wideBits(1<<beyondSingle-1), a.VPADDQ))
	}
}

// doublesOf makes float64 of integers of 64 bits: the halves are the last bits of the powers 2^52 and 2^84, to which
// 2^63 is added for the sign, and the last sum alone rounds.
func (a *assembler) doublesOf(x vector, signed bool) vector {
	lowPower, highPower, sign := math.Ldexp(1, 52), math.Ldexp(1, 84), math.Ldexp(1, 63)
	bits := math.Float64bits(highPower)
	if signed {
		bits |= 1 << 31
	} else {
		sign = 0
	}
	low, high := a.vector(), a.vector()
	a.VPBLENDD(operand.U8(0xAA), a.wideBits(math.Float64bits(lowPower)), x, low)
	a.VPSRLQ(operand.U8(32), x, high)
	a.VPXOR(a.wideBits(bits), high, high)
	a.VSUBPD(a.wideBits(math.Float64bits(highPower+sign+lowPower)), high, high)
	a.VADDPD(low, high, low)
	return low
}

// wordsToDoubles, uint32ToDoubles and uint32ToSingles are the steps of casts by AVX2, which converts int32 alone.
func wordsToDoubles(signed bool) steps {
	return func(a *assembler) func(in []operand.Mem) reg.Register {
		return func(in []operand.Mem) reg.Register { return a.doublesOf(a.loaded(in[0]), signed) }
	}
}

func uint32ToDoubles(a *assembler) func(in []operand.Mem) reg.Register {
	return func(in []operand.Mem) reg.Register { return a.doublesOfUint32(in[0]) }
}

func (a *assembler) doublesOfUint32(at operand.Mem) vector {
	power, x := a.wideBits(math.Float64bits(1<<52)), a.vector()
	a.VPMOVZXDQ(at, x)
	a.VPOR(power, x, x)
	a.VSUBPD(power, x, x)
	return x
}

func uint32ToSingles(a *assembler) func(in []operand.Mem) reg.Register {
	return func(in []operand.Mem) reg.Register {
		return a.joined([]vector{a.toSingle(a.doublesOfUint32(in[0])), a.toSingle(a.doublesOfUint32(in[0].Offset(16)))})
	}
}
