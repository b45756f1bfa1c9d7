package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The offsets of the fields of the strip of package convolution, in bytes.
const (
	stripCount = 8 * iota
	stripRow
	stripRowStep
	stripLimit
	stripSrc
	stripOffset
	stripOffsetStep
	stripDst
	stripDstStep
	stripShifts
	stripBits    = stripShifts + 3*8
	stripMasks   = stripBits + 4*8
	stripWeights = stripMasks + 4*32
)

// depthwiseStrip writes the kernel of depthwise filters of 3 by 3 elements, for one vector of columns from row to row. What a
// row of the source adds to three rows of the result is computed at a time; the oldest of these is complete then.
func (a *assembler) depthwiseStrip() {
	a.begin(a.elementName()+"Strip", "strip *byte", "computes one vector of columns of a depthwise convolution.")
	strip := a.Load(a.Param("strip"), a.GP64())
	field := func(offset int) operand.Mem { return operand.Mem{Base: strip, Disp: offset} }
	get := func(offset int) reg.GPVirtual {
		register := a.GP64()
		a.MOVQ(field(offset), register)
		return register
	}
	var memory [4]tileMemory
	for i := range memory {
		memory[i].assembler = a
		if a.wide {
			memory[i].lanes = a.K()
			a.KMOVW(field(stripBits+8*i), memory[i].lanes)
		} else {
			memory[i].masking = a.YMM()
			a.VMOVDQU(field(stripMasks+32*i), memory[i].masking)
		}
	}
	factor := func(i int) operand.Op { return field(stripWeights + i*a.bytes()) }
	if a.wide {
		factors := make([]vector, 9)
		for i := range factors {
			factors[i] = a.spread(field(stripWeights + i*a.elementBytes()))
		}
		factor = func(i int) operand.Op { return factors[i] }
	}
	src, offset, offsetStep := get(stripSrc), get(stripOffset), get(stripOffsetStep)
	row, rowStep, limit := get(stripRow), get(stripRowStep), get(stripLimit)
	dst, dstStep, count := get(stripDst), get(stripDstStep), get(stripCount)
	var shifted [3]reg.GPVirtual
	for i := range shifted {
		shifted[i] = get(stripShifts + 8*i)
		a.ADDQ(src, shifted[i])
	}
	zero := func(v vector) {
		if a.wide {
			a.VPXORD(v, v, v)
		} else {
			a.VXORPS(v, v, v)
		}
	}
	sums, lines := a.zeros(3, 1), a.zeros(3, 1)
	move := a.of(a.VMOVAPS, a.VMOVAPD)
	waiting := a.GP64() // rows of the source until a row of the result is complete
	a.MOVQ(operand.I32(2), waiting)
	a.Label("row")
	a.CMPQ(row, limit)
	a.JAE(operand.LabelRef("outside"))
	for i, line := range lines {
		memory[i].read(operand.Mem{Base: shifted[i], Index: offset, Scale: 1}, true, line[0])
	}
	a.JMP(operand.LabelRef("multiply"))
	a.Label("outside")
	for _, line := range lines {
		zero(line[0])
	}
	a.Label("multiply")
	for tap := range 3 {
		for age := range 3 {
			a.of(a.VFMADD231PS, a.VFMADD231PD)(factor(3*(2-age)+tap), lines[tap][0], sums[age][0])
		}
	}
	a.SUBQ(operand.I32(1), waiting)
	a.JGE(operand.LabelRef("next"))
	memory[3].write(sums[0][0], true, operand.Mem{Base: dst})
	a.ADDQ(dstStep, dst)
	a.Label("next")
	move(sums[1][0], sums[0][0])
	move(sums[2][0], sums[1][0])
	zero(sums[2][0])
	a.ADDQ(rowStep, row)
	a.ADDQ(offsetStep, offset)
	a.DECQ(count)
	a.JNZ(operand.LabelRef("row"))
	a.VZEROUPPER()
	a.RET()
}
