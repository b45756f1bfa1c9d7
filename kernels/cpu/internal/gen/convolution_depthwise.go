package main

import (
	"fmt"

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
	stripSums    = stripWeights + 9*32
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
	memory := a.stripMemory(strip)
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
	sums, lines := a.zeros(3, 1), a.zeros(3, 1)
	move := a.of(a.VMOVAPS, a.VMOVAPD)
	waiting := a.GP64() // rows of the source until a row of the result is complete
	a.MOVQ(operand.I32(2), waiting)
	var written reg.GPVirtual // the elements of a row that are written, by bits
	if !a.wide {
		written = a.GP64()
		if a.double {
			a.VMOVMSKPD(memory[3].masking, written.As32())
		} else {
			a.VMOVMSKPS(memory[3].masking, written.As32())
		}
	}
	a.Label("row")
	a.CMPQ(row, limit)
	a.JAE(operand.LabelRef("outside"))
	for i, line := range lines {
		memory[i].read(operand.Mem{Base: shifted[i], Index: offset, Scale: 1}, true, line[0])
	}
	a.JMP(operand.LabelRef("multiply"))
	a.Label("outside")
	for _, line := range lines {
		a.zero(line[0])
	}
	a.Label("multiply")
	for tap := range 3 {
		for age := range 3 {
			a.of(a.VFMADD231PS, a.VFMADD231PD)(factor(3*(2-age)+tap), lines[tap][0], sums[age][0])
		}
	}
	a.SUBQ(operand.I32(1), waiting)
	a.JGE(operand.LabelRef("next"))
	if !a.wide { // Some processors take tens of cycles for a masked write.
		a.CMPL(written.As32(), operand.U32(1<<(a.bytes()/a.elementBytes())-1))
		a.JNE(operand.LabelRef("masked"))
		memory[3].write(sums[0][0], false, operand.Mem{Base: dst})
		a.JMP(operand.LabelRef("written"))
		a.Label("masked")
	}
	memory[3].write(sums[0][0], true, operand.Mem{Base: dst})
	a.Label("written")
	a.ADDQ(dstStep, dst)
	a.Label("next")
	move(sums[1][0], sums[0][0])
	move(sums[2][0], sums[1][0])
	a.zero(sums[2][0])
	a.ADDQ(rowStep, row)
	a.ADDQ(offsetStep, offset)
	a.DECQ(count)
	a.JNZ(operand.LabelRef("row"))
	a.VZEROUPPER()
	a.RET()
}

// stripMemory returns what masks the three taps of a row, and what is written or, for the gradient of the weights, read beside them.
func (a *assembler) stripMemory(strip reg.Register) (memory [4]tileMemory) {
	for i := range memory {
		memory[i].assembler = a
		if a.wide {
			memory[i].lanes = a.K()
			a.KMOVW(operand.Mem{Base: strip, Disp: stripBits + 8*i}, memory[i].lanes)
		} else {
			memory[i].masking = a.YMM()
			a.VMOVDQU(operand.Mem{Base: strip, Disp: stripMasks + 32*i}, memory[i].masking)
		}
	}
	return memory
}

func (a *assembler) zero(v vector) {
	if a.wide {
		a.VPXORD(v, v, v)
	} else {
		a.VXORPS(v, v, v)
	}
}

// stripGradient writes the kernel of the gradient of such filters, for one vector of columns: to the sums of each tap it adds, from
// row to row, products of the result's gradient with what the tap meets. With AVX-512 three rows of that stay in registers.
func (a *assembler) stripGradient() {
	a.begin(a.elementName()+"StripGradient", "strip *byte", "adds one vector of columns to the gradient of a depthwise filter.")
	strip := a.Load(a.Param("strip"), a.GP64())
	get := func(offset int) reg.GPVirtual {
		register := a.GP64()
		a.MOVQ(operand.Mem{Base: strip, Disp: offset}, register)
		return register
	}
	memory := a.stripMemory(strip)
	fused, move := a.of(a.VFMADD231PS, a.VFMADD231PD), a.of(a.VMOVUPS, a.VMOVUPD)
	start := get(stripSums)
	sums := make([]vector, 9)
	for i := range sums {
		sums[i] = a.vector()
		move(operand.Mem{Base: start, Disp: 64 * i}, sums[i])
	}
	src, offset, offsetStep := get(stripSrc), get(stripOffset), get(stripOffsetStep)
	row, limit := get(stripRow), get(stripLimit)
	dst, dstStep, count := get(stripDst), get(stripDstStep), get(stripCount)
	var shifted [3]reg.GPVirtual
	for i := range shifted {
		shifted[i] = get(stripShifts + 8*i)
		a.ADDQ(src, shifted[i])
	}
	factor := a.vector()
	if a.wide {
		lines := a.zeros(3, 3)
		waiting := a.GP64() // rows of the data until those that a row of the result meets are there
		a.MOVQ(operand.I32(2), waiting)
		a.Label("row")
		for turn := range 3 { // The newest row takes the place of the oldest.
			at := func(label string) string { return fmt.Sprint(label, turn) }
			a.CMPQ(row, limit)
			a.JAE(operand.LabelRef(at("outside")))
			for i, line := range lines[turn] {
				memory[i].read(operand.Mem{Base: shifted[i], Index: offset, Scale: 1}, true, line)
			}
			a.JMP(operand.LabelRef(at("multiply")))
			a.Label(at("outside"))
			for _, line := range lines[turn] {
				a.zero(line)
			}
			a.Label(at("multiply"))
			a.SUBQ(operand.I32(1), waiting)
			a.JGE(operand.LabelRef(at("next")))
			memory[3].read(operand.Mem{Base: dst}, true, factor)
			for i := range sums {
				fused(lines[(turn+1+i/3)%3][i%3], factor, sums[i])
			}
			a.ADDQ(dstStep, dst)
			a.Label(at("next"))
			a.INCQ(row)
			a.ADDQ(offsetStep, offset)
			a.DECQ(count)
			if turn < 2 {
				a.JZ(operand.LabelRef("sums"))
			}
		}
	} else {
		a.SUBQ(operand.I32(2), count)
		at, there, line := a.GP64(), a.GP64(), a.vector()
		a.Label("row")
		memory[3].read(operand.Mem{Base: dst}, true, factor)
		a.ADDQ(dstStep, dst)
		a.MOVQ(row, at)
		a.MOVQ(offset, there)
		for i := range 3 {
			a.CMPQ(at, limit)
			a.JAE(operand.LabelRef(fmt.Sprintf("outside%d", i)))
			for tap := range 3 {
				memory[tap].read(operand.Mem{Base: shifted[tap], Index: there, Scale: 1}, true, line)
				fused(line, factor, sums[3*i+tap])
			}
			a.JMP(operand.LabelRef(fmt.Sprintf("done%d", i)))
			a.Label(fmt.Sprintf("outside%d", i))
			a.zero(line)
			for tap := range 3 {
				fused(line, factor, sums[3*i+tap])
			}
			a.Label(fmt.Sprintf("done%d", i))
			a.INCQ(at)
			a.ADDQ(offsetStep, there)
		}
		a.INCQ(row)
		a.ADDQ(offsetStep, offset)
		a.DECQ(count)
	}
	a.JNZ(operand.LabelRef("row"))
	a.Label("sums")
	start = get(stripSums)
	for i, sum := range sums {
		move(sum, operand.Mem{Base: start, Disp: 64 * i})
	}
	a.VZEROUPPER()
	a.RET()
}
