package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Steps by AVX2 that make numbers fit into float32 by their bits: where some of the last ones do not, the last that does is set if any of these is. It is
// as good as rounding to odd (see oddLoops) where what follows keeps at least two bits less.

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

// joinedInt64s joins the last eleven bits of integers of more than 32, so that float64 has room for the others, and then what float32 has no room for.
func joinedInt64s(a *assembler) func(in []operand.Mem) reg.Register {
	return func(in []operand.Mem) reg.Register {
		x := a.loaded(in[0])
		large, integer, low, high, zero := a.vector(), a.vector(), a.vector(), a.vector(), a.vector()
		a.VPABSD(x, large) // the upper half of small integers is 0 or −1, and the largest magnitude stays negative
		a.VPSRLD(operand.U8(1), large, large)
		a.VPXOR(zero, zero, zero)
		a.VPCMPGTD(zero, large, large)
		a.VBLENDVPD(large, a.joinedBits(x, a.wideBits(1<<11-1), a.VPADDQ), x, integer)
		// The halves as the last bits of powers of two: 2^52, and 2^84 and 2^63 for the sign.
		const lowPower, highPower, sign = 1 << 52, 1 << 84, 1 << 63
		a.VPBLENDD(operand.U8(0xAA), a.wideBits(math.Float64bits(lowPower)), integer, low)
		a.VPSRLQ(operand.U8(32), integer, high)
		a.VPXOR(a.wideBits(math.Float64bits(highPower)|1<<31), high, high)
		a.VSUBPD(a.wideBits(math.Float64bits(lowPower)), low, low)
		a.VSUBPD(a.wideBits(math.Float64bits(highPower+sign)), high, high)
		a.VADDPD(low, high, low)
		return a.toSingle(a.joinedBits(low, a.wideBits(1<<beyondSingle-1), a.VPADDQ))
	}
}
