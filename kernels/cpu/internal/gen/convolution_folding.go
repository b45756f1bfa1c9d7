package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The offsets of the fields of the fold of package convolution, in bytes.
const (
	foldColumns = 8 * iota
	foldCount
	foldSrc
	foldRows
	foldRowStep
	foldDst
)

// fold writes the kernel that adds up a vector of products from rows and columns.
func (a *assembler) fold() {
	a.begin(a.elementName()+"Fold", "fold *byte", "adds up one vector of products.")
	fold := a.Load(a.Param("fold"), a.GP64())
	get := func(offset int) reg.GPVirtual {
		register := a.GP64()
		a.MOVQ(operand.Mem{Base: fold, Disp: offset}, register)
		return register
	}
	columns, count, src, rows, rowStep, dst := get(foldColumns), get(foldCount), get(foldSrc), get(foldRows), get(foldRowStep), get(foldDst)
	sum := a.zeros(1, 1)[0][0]
	var bitOfLane vector
	if !a.wide {
		bitOfLane = a.vector()
		numbers := []uint64{1<<33 | 1, 1<<35 | 1<<2, 1<<37 | 1<<4, 1<<39 | 1<<6}
		if a.double {
			numbers = []uint64{1, 2, 4, 8}
		}
		a.VMOVDQU(a.table(a.elementName()+"BitsOfLanes", numbers...), bitOfLane)
	}
	a.TESTQ(rows, rows)
	a.JZ(operand.LabelRef("done"))
	a.Label("row")
	column, left, offset := a.GP64(), a.GP64(), a.GP64()
	a.MOVQ(columns, column)
	a.MOVQ(count, left)
	a.Label("column")
	a.MOVQ(operand.Mem{Base: column}, offset)
	from, bits := operand.Mem{Base: src, Index: offset, Scale: 1}, operand.Mem{Base: column, Disp: 8}
	if a.wide {
		mask := a.K()
		a.KMOVW(bits, mask)
		a.of(a.VADDPS, a.VADDPD)(from, sum, mask, sum)
	} else {
		mask, there := a.vector(), a.vector()
		a.of(a.VPBROADCASTD, a.VPBROADCASTQ)(bits, mask)
		a.VPAND(bitOfLane, mask, mask)
		a.of(a.VPCMPEQD, a.VPCMPEQQ)(bitOfLane, mask, mask)
		a.of(ofThree(a.VMASKMOVPS), ofThree(a.VMASKMOVPD))(from, mask, there)
		a.of(a.VADDPS, a.VADDPD)(there, sum, sum)
	}
	a.ADDQ(operand.U32(16), column)
	a.DECQ(left)
	a.JNZ(operand.LabelRef("column"))
	a.ADDQ(rowStep, src)
	a.DECQ(rows)
	a.JNZ(operand.LabelRef("row"))
	a.Label("done")
	a.store(sum, dst, 0)
	a.VZEROUPPER()
	a.RET()
}
