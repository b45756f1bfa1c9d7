package main

import (
	"fmt"
	"strings"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The offsets of the fields of the dots of package convolution, in bytes.
const (
	dotRows = 8 * iota
	dotBlocks
	dotX
	dotXSkip = dotX + 8*mostDotTaps + 8*(iota-3)
	dotG
	dotGStep
	dotGSkip
	dotSums
	dotSumStep
	dotStart
	dotBits
	dotMask
)

// mostDotTaps is the number of taps of the largest kernel of dots.
const mostDotTaps = 9

func (a *assembler) dots() {
	var table strings.Builder
	for _, filters := range []int{1, 3} {
		fmt.Fprint(&table, "\t{")
		for _, taps := range []int{3, mostDotTaps} {
			if !a.wide && filters*taps > mostDotTaps {
				fmt.Fprint(&table, "nil, ")
				continue
			}
			a.dotTile(filters, taps)
			fmt.Fprintf(&table, "%s, ", a.elementName()+fmt.Sprintf("Dots%dx%d", filters, taps)+a.suffix())
		}
		fmt.Fprintln(&table, "},")
	}
	a.file.appendix += fmt.Sprintf("\n// %sDots has the kernels of dots of one and of three filters, by three and by nine taps.\nvar %[1]sDots = [2][2]kernel{\n%s}\n",
		a.elementName()+a.suffix(), table.String())
}

// dotTile writes the kernel of one number of filters and taps, which adds to a vector for each filter and tap the sum over rows of
// blocks of 64 bytes of products of vectors of G, one for each filter, with those of X, one for each tap. Of the last block of a row
// there are the elements of a mask. What is added to is never a negative zero, so that it does not matter whether a sum has become
// one or, by zeros in the place of elements that there are not, a positive one.
func (a *assembler) dotTile(filters, taps int) {
	a.begin(fmt.Sprintf("%sDots%dx%d", a.elementName(), filters, taps), "dots *byte", fmt.Sprintf("computes the dots of %d filters by %d taps.", filters, taps))
	dots := a.Load(a.Param("dots"), a.GP64())
	field := func(offset int) operand.Mem { return operand.Mem{Base: dots, Disp: offset} }
	get := func(offset int) reg.GPVirtual {
		register := a.GP64()
		a.MOVQ(field(offset), register)
		return register
	}
	x := make([]reg.GPVirtual, taps)
	for i := range x {
		x[i] = get(dotX + 8*i)
	}
	g, gStep, offset, count := get(dotG), get(dotGStep), a.GP64(), a.GP64()
	memory := tileMemory{asm: a}
	if a.wide {
		memory.lanes = a.K()
	} else {
		memory.masking = a.YMM()
	}
	sums := a.zeros(filters, taps)
	a.MOVQ(field(dotStart), offset)
	a.ADDQ(offset, g)
	a.Label("row")
	a.MOVQ(field(dotBlocks), count)
	if a.wide {
		a.KXNORW(memory.lanes, memory.lanes, memory.lanes)
	} else {
		a.VPCMPEQD(memory.masking, memory.masking, memory.masking)
	}
	a.Label("block")
	a.CMPQ(count, operand.U8(1))
	a.JNE(operand.LabelRef("multiply"))
	if a.wide {
		a.KMOVW(field(dotBits), memory.lanes)
	} else {
		a.VMOVDQU(field(dotMask), memory.masking)
	}
	a.Label("multiply")
	factors := make([]vector, filters)
	for i := range factors {
		factors[i] = a.vector()
		from := operand.Mem{Base: g}
		if i > 0 {
			from.Index, from.Scale = gStep, uint8(i)
		}
		memory.read(from, true, factors[i])
	}
	fused := a.of(a.VFMADD231PS, a.VFMADD231PD)
	for tap := range x {
		line := a.vector()
		memory.read(operand.Mem{Base: x[tap], Index: offset, Scale: 1}, !a.wide, line) // Masked loads take a place of a multiplication.
		for i, factor := range factors {
			if a.wide {
				fused(factor, line, memory.lanes, sums[i][tap])
			} else {
				fused(factor, line, sums[i][tap])
			}
		}
	}
	a.ADDQ(operand.U32(64), g)
	a.ADDQ(operand.U32(64), offset)
	a.DECQ(count)
	a.JNZ(operand.LabelRef("block"))
	a.ADDQ(field(dotGSkip), g)
	a.ADDQ(field(dotXSkip), offset)
	a.DECQ(field(dotRows))
	a.JNZ(operand.LabelRef("row"))
	to, step := get(dotSums), get(dotSumStep)
	a.ADDQ(field(dotStart), to)
	at := func(i, tap int) operand.Mem {
		m := operand.Mem{Base: to, Disp: 64 * tap}
		if i > 0 {
			m.Index, m.Scale = step, uint8(i)
		}
		return m
	}
	for i, row := range sums {
		for tap, sum := range row {
			a.of(a.VADDPS, a.VADDPD)(at(i, tap), sum, sum)
			a.of(a.VMOVUPS, a.VMOVUPD)(sum, at(i, tap))
		}
	}
	a.VZEROUPPER()
	a.RET()
}
