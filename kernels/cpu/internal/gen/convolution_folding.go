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
	foldSrcStep
	foldDstStep
)

// fold writes the kernel that adds up a vector of products from rows and columns, of two channels at a time, as one sum
// would wait for itself.
func (a *assembler) fold() {
	a.begin(a.elementName()+"Fold", "fold *byte", "adds up one vector of products of two channels.")
	fold := a.Load(a.Param("fold"), a.GP64())
	get := func(offset int) reg.GPVirtual {
		register := a.GP64()
		a.MOVQ(operand.Mem{Base: fold, Disp: offset}, register)
		return register
	}
	columns, count, src, rows, rowStep, dst := get(foldColumns), get(foldCount), get(foldSrc), get(foldRows), get(foldRowStep), get(foldDst)
	second, sums := get(foldSrcStep), a.zeros(1, 2)[0]
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
	a.ADDQ(src, second)
	a.Label("row")
	column, left, offset := a.GP64(), a.GP64(), a.GP64()
	a.MOVQ(columns, column)
	a.MOVQ(count, left)
	a.Label("column")
	a.MOVQ(operand.Mem{Base: column}, offset)
	bits := operand.Mem{Base: column, Disp: 8}
	var add func(from operand.Mem, sum vector)
	if a.wide {
		mask := a.K()
		a.KMOVW(bits, mask)
		add = func(from operand.Mem, sum vector) { a.of(a.VADDPS, a.VADDPD)(from, sum, mask, sum) }
	} else {
		mask := a.vector()
		a.of(a.VPBROADCASTD, a.VPBROADCASTQ)(bits, mask)
		a.VPAND(bitOfLane, mask, mask)
		a.of(a.VPCMPEQD, a.VPCMPEQQ)(bitOfLane, mask, mask)
		add = func(from operand.Mem, sum vector) {
			there := a.vector()
			a.of(ofThree(a.VMASKMOVPS), ofThree(a.VMASKMOVPD))(from, mask, there)
			a.of(a.VADDPS, a.VADDPD)(there, sum, sum)
		}
	}
	add(operand.Mem{Base: src, Index: offset, Scale: 1}, sums[0])
	add(operand.Mem{Base: second, Index: offset, Scale: 1}, sums[1])
	a.ADDQ(operand.U32(16), column)
	a.DECQ(left)
	a.JNZ(operand.LabelRef("column"))
	a.ADDQ(rowStep, src)
	a.ADDQ(rowStep, second)
	a.DECQ(rows)
	a.JNZ(operand.LabelRef("row"))
	a.Label("done")
	a.store(sums[0], dst, 0)
	a.ADDQ(get(foldDstStep), dst)
	a.store(sums[1], dst, 0)
	a.VZEROUPPER()
	a.RET()
}
