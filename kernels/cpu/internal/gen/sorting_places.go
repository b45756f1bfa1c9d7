package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// placesTable is the places of the words of 32 bits of a vector of AVX2 for each mask of its lanes, a byte each.
func (a *assembler) placesTable() operand.Mem {
	if !a.double {
		return a.table("places", places(8)...)
	}
	pairs := places(4)
	for mask, lanes := range pairs {
		words := uint64(0)
		for place := range 4 {
			lane := lanes >> (8 * place) & 0xFF
			words |= (2*lane | (2*lane+1)<<8) << (16 * place)
		}
		pairs[mask] = words
	}
	return a.table("places_of_pairs", pairs...)
}

// maskOf returns the bits of the lanes of a vector of AVX2 that are all ones.
func (a *assembler) maskOf(lanes vector) reg.GPVirtual {
	mask := a.GP64()
	if a.double {
		a.VMOVMSKPD(lanes, mask.As32())
	} else {
		a.VMOVMSKPS(lanes, mask.As32())
	}
	return mask
}

// aboveBits returns the bits of the lanes of x that are above the pivot.
func (p partition) aboveBits(x vector) reg.GPVirtual {
	above := p.asm.vector()
	p.asm.of(p.asm.VPCMPGTD, p.asm.VPCMPGTQ)(p.pivot, x, above)
	return p.asm.maskOf(above)
}

// placed returns the lanes of x that are not in mask, and behind them the others.
func (p partition) placed(x vector, mask reg.GPVirtual) vector {
	from, result := p.asm.vector(), p.asm.vector()
	p.asm.VPMOVZXBD(operand.Mem{Base: p.table, Index: mask, Scale: 8}, from)
	p.asm.VPERMD(x, from, result)
	return result
}

// bytesOf returns how many bytes the lanes of mask have.
func (p partition) bytesOf(mask reg.GPVirtual) reg.GPVirtual {
	count := p.asm.GP64()
	p.asm.POPCNTL(mask.As32(), count.As32())
	p.asm.SHLQ(operand.U8(p.asm.keyBytesBits()), count)
	return count
}

// divideByPlaces is divide by AVX2.
func (p partition) divideByPlaces(x vector) {
	above := p.aboveBits(x)
	divided, bytes := p.placed(x, above), p.bytesOf(above)
	p.asm.storeTo(divided, operand.Mem{Base: p.low})
	p.asm.storeTo(divided, operand.Mem{Base: p.high, Disp: -p.asm.bytes()})
	p.asm.SUBQ(bytes, p.high)
	p.asm.SUBQ(bytes, p.low)
	p.asm.ADDQ(operand.I32(p.asm.bytes()), p.low)
}

// divideFirst divides the first lanes of x, as many as count, by AVX2. What else is written is within the gaps.
func (p partition) divideFirst(x vector, count reg.GPVirtual) {
	lanes := 1 << p.asm.laneBits()
	beyond, above, all := p.asm.GP64(), p.aboveBits(x), p.asm.GP64()
	p.asm.MOVQ(operand.I32(-1), beyond)
	p.asm.MOVQ(count, reg.RCX)
	p.asm.SHLQ(reg.CL, beyond)
	p.asm.ANDQ(operand.I32(1<<lanes-1), beyond)
	p.asm.MOVQ(beyond, all)
	p.asm.ORQ(above, all)
	p.asm.storeTo(p.placed(x, all), operand.Mem{Base: p.low})
	p.asm.SUBQ(p.bytesOf(all), p.low)
	p.asm.ADDQ(operand.I32(p.asm.bytes()), p.low)
	p.asm.NOTQ(beyond)
	p.asm.ANDQ(above, beyond)
	p.asm.storeTo(p.placed(x, beyond), operand.Mem{Base: p.high, Disp: -p.asm.bytes()})
	p.asm.SUBQ(p.bytesOf(beyond), p.high)
}

// selectByPlaces writes what follows the declaration of a selection by AVX2.
func (a *assembler) selectByPlaces(bits int) {
	lanes := 1 << a.laneBits()
	numbers, src := a.integer("numbers"), a.integer("src")
	count := a.integer("count")
	mask, shift, flip, bound := a.everywhere("mask"), a.everywhere("shift"), a.everywhere("flip"), a.everywhere("bound")
	first, table, at, next := a.GP64(), a.GP64(), a.numbers(), a.numbers()
	a.MOVQ(numbers, first)
	a.VMOVDQU(a.table(a.name("lanes")+a.suffix(), a.lanePairs(func(lane int) uint64 { return uint64(lane) })...), at)
	a.VMOVDQU(a.table(fmt.Sprintf("step%dof%d", lanes, a.keyBits()), a.lanePairs(func(int) uint64 { return uint64(lanes) })...), next)
	a.LEAQ(a.table(fmt.Sprintf("places_of_%d", lanes), places(lanes)...), table)
	a.CMPQ(count, operand.I32(0))
	a.JE(operand.LabelRef("end"))
	a.Label("vectors")
	x, above := a.vector(), a.vector()
	switch bits {
	case 8:
		a.VPMOVZXBD(operand.Mem{Base: src}, x)
	case 16:
		a.VPMOVZXWD(operand.Mem{Base: src}, x)
	default:
		x = a.load(src, 0)
	}
	if missing := a.keyBits() - bits; missing > 0 {
		x = a.shiftLeft(x, uint8(missing))
	}
	a.of(a.VPCMPGTD, a.VPCMPGTQ)(bound, a.encode(x, mask, shift, flip), above)
	others, from, chosen, found := a.maskOf(above), a.numbers(), a.numbers(), a.GP64()
	a.VPMOVZXBD(operand.Mem{Base: table, Index: others, Scale: 8}, from)
	if a.double {
		a.VPERMILPS(from, at, chosen)
	} else {
		a.VPERMD(at, from, chosen)
	}
	a.VMOVDQU(chosen, operand.Mem{Base: numbers})
	a.POPCNTL(others.As32(), found.As32())
	a.SHLQ(operand.U8(2), found)
	a.SUBQ(found, numbers)
	a.ADDQ(operand.I32(4*lanes), numbers)
	a.VPADDD(next, at, at)
	a.ADDQ(operand.I32(lanes*bits/8), src)
	a.SUBQ(operand.I32(lanes), count)
	a.JNZ(operand.LabelRef("vectors"))
	a.Label("end")
	a.SUBQ(first, numbers)
	a.SHRQ(operand.U8(2), numbers)
	a.Store(numbers, a.ReturnIndex(0))
	a.VZEROUPPER()
	a.RET()
}
