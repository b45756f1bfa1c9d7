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
		memory[i].asm = a
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

// gradientStrip is what the gradient of one vector of columns has in registers.
type gradientStrip struct {
	asm                 *assembler
	memory              [4]tileMemory
	sums                []vector         // one for each tap
	factor              vector           // a row of the result's gradient
	shifted             [3]reg.GPVirtual // the data, for each tap of a row
	row, limit          reg.GPVirtual    // of the data; rows from limit on, and negative ones, are padding
	offset, offsetStep  reg.GPVirtual
	dst, dstStep, count reg.GPVirtual
}

// stripGradient writes the kernel of the gradient of such filters, for one vector of columns: to the sums of each tap it adds, from
// row to row, products of the result's gradient with what the tap meets.
func (a *assembler) stripGradient() {
	a.begin(a.elementName()+"StripGradient", "strip *byte", "adds one vector of columns to the gradient of a depthwise filter.")
	strip := a.Load(a.Param("strip"), a.GP64())
	get := func(offset int) reg.GPVirtual {
		register := a.GP64()
		a.MOVQ(operand.Mem{Base: strip, Disp: offset}, register)
		return register
	}
	g := gradientStrip{asm: a, memory: a.stripMemory(strip), sums: make([]vector, 9)}
	move := a.of(a.VMOVUPS, a.VMOVUPD)
	start := get(stripSums)
	for i := range g.sums {
		g.sums[i] = a.vector()
		move(operand.Mem{Base: start, Disp: 64 * i}, g.sums[i])
	}
	src := get(stripSrc)
	g.offset, g.offsetStep = get(stripOffset), get(stripOffsetStep)
	g.row, g.limit = get(stripRow), get(stripLimit)
	g.dst, g.dstStep, g.count = get(stripDst), get(stripDstStep), get(stripCount)
	for i := range g.shifted {
		g.shifted[i] = get(stripShifts + 8*i)
		a.ADDQ(src, g.shifted[i])
	}
	g.factor = a.vector()
	if a.wide {
		g.heldRows()
	} else {
		g.readRows()
	}
	a.JNZ(operand.LabelRef("row"))
	a.Label("sums")
	start = get(stripSums)
	for i, sum := range g.sums {
		move(sum, operand.Mem{Base: start, Disp: 64 * i})
	}
	a.VZEROUPPER()
	a.RET()
}

// heldRows is a turn of the loop over rows with AVX-512, for three rows: as many of the data stay in registers.
func (g *gradientStrip) heldRows() {
	fused := g.asm.of(g.asm.VFMADD231PS, g.asm.VFMADD231PD)
	lines := g.asm.zeros(3, 3)
	waiting := g.asm.GP64() // rows of the data until those that a row of the result meets are there
	g.asm.MOVQ(operand.I32(2), waiting)
	g.asm.Label("row")
	for turn := range 3 { // The newest row takes the place of the oldest.
		at := func(label string) string { return fmt.Sprint(label, turn) }
		g.asm.CMPQ(g.row, g.limit)
		g.asm.JAE(operand.LabelRef(at("outside")))
		for i, line := range lines[turn] {
			g.memory[i].read(operand.Mem{Base: g.shifted[i], Index: g.offset, Scale: 1}, true, line)
		}
		g.asm.JMP(operand.LabelRef(at("multiply")))
		g.asm.Label(at("outside"))
		for _, line := range lines[turn] {
			g.asm.zero(line)
		}
		g.asm.Label(at("multiply"))
		g.asm.SUBQ(operand.I32(1), waiting)
		g.asm.JGE(operand.LabelRef(at("next")))
		g.memory[3].read(operand.Mem{Base: g.dst}, true, g.factor)
		for i := range g.sums {
			fused(lines[(turn+1+i/3)%3][i%3], g.factor, g.sums[i])
		}
		g.asm.ADDQ(g.dstStep, g.dst)
		g.asm.Label(at("next"))
		g.asm.INCQ(g.row)
		g.asm.ADDQ(g.offsetStep, g.offset)
		g.asm.DECQ(g.count)
		if turn < 2 {
			g.asm.JZ(operand.LabelRef("sums"))
		}
	}
}

// readRows is a turn of the loop over rows with AVX2, for one row of the result: it reads the three rows of the data that this meets.
func (g *gradientStrip) readRows() {
	fused := g.asm.of(g.asm.VFMADD231PS, g.asm.VFMADD231PD)
	g.asm.SUBQ(operand.I32(2), g.count)
	at, there, line := g.asm.GP64(), g.asm.GP64(), g.asm.vector()
	g.asm.Label("row")
	g.memory[3].read(operand.Mem{Base: g.dst}, true, g.factor)
	g.asm.ADDQ(g.dstStep, g.dst)
	g.asm.MOVQ(g.row, at)
	g.asm.MOVQ(g.offset, there)
	for i := range 3 {
		g.asm.CMPQ(at, g.limit)
		g.asm.JAE(operand.LabelRef(fmt.Sprintf("outside%d", i)))
		for tap := range 3 {
			g.memory[tap].read(operand.Mem{Base: g.shifted[tap], Index: there, Scale: 1}, true, line)
			fused(line, g.factor, g.sums[3*i+tap])
		}
		g.asm.JMP(operand.LabelRef(fmt.Sprintf("done%d", i)))
		g.asm.Label(fmt.Sprintf("outside%d", i))
		g.asm.zero(line)
		for tap := range 3 {
			fused(line, g.factor, g.sums[3*i+tap])
		}
		g.asm.Label(fmt.Sprintf("done%d", i))
		g.asm.INCQ(at)
		g.asm.ADDQ(g.offsetStep, there)
	}
	g.asm.INCQ(g.row)
	g.asm.ADDQ(g.offsetStep, g.offset)
	g.asm.DECQ(g.count)
}
