package main

import "github.com/mmcloughlin/avo/operand"

// tileLine writes the kernel of one row of A by a vector of columns of B whose elements are adjacent along k. Squares of them are
// transposed in registers, so that the sums are the chains that every tile has. Of the fields of the tile, the depth counts
// squares, the rows are the steps after them, which are at next as if B lay by rows, and bStep leads to the next column.
func (a *assembler) tileLine() {
	a.begin(a.elementName()+"Line", "tile *byte", "computes a vector of C from a row of A and columns of B.")
	t := &tileCode{assembler: a, vectors: 1}
	tile := a.Load(a.Param("tile"), a.GP64())
	t.memory = a.newMask(t.field(tile, tileMask))
	t.a, t.b, t.c = t.field(tile, tileA), t.field(tile, tileB), t.field(tile, tileC)
	t.aStep, t.bStep, t.cRow = t.field(tile, tileAStep), t.field(tile, tileBStep), t.field(tile, tileCRow)
	t.next, t.count = t.field(tile, tileNext), t.field(tile, tileDepth)
	rest, from := t.field(tile, tileRows), a.GP64()
	sum := a.vector()
	a.VXORPS(sum.AsX(), sum.AsX(), sum.AsX())
	t.sums = [][]vector{{sum}}
	add := func(line vector) {
		t.multiplyAdd(a.spread(operand.Mem{Base: t.a}), line, sum)
		a.ADDQ(t.aStep, t.a)
	}
	a.CMPQ(t.count, operand.U8(0))
	a.JEQ(operand.LabelRef("rest"))
	a.Label("square")
	a.MOVQ(t.b, from)
	lines := make([]vector, a.bytes()/a.elementBytes())
	for i := range lines {
		lines[i] = a.vector()
		a.PREFETCHT0(operand.Mem{Base: from, Disp: 512})
		a.of(a.VMOVUPS, a.VMOVUPD)(operand.Mem{Base: from}, lines[i])
		a.ADDQ(t.bStep, from)
	}
	a.turnLines(lines)
	for _, line := range lines {
		add(line)
	}
	a.ADDQ(operand.U8(a.bytes()), t.b)
	a.DECQ(t.count)
	a.JNZ(operand.LabelRef("square"))
	a.Label("rest")
	a.CMPQ(rest, operand.U8(0))
	a.JEQ(operand.LabelRef("result"))
	a.Label("step")
	line := a.vector()
	a.of(a.VMOVUPS, a.VMOVUPD)(operand.Mem{Base: t.next}, line)
	add(line)
	a.ADDQ(operand.U8(a.bytes()), t.next)
	a.DECQ(rest)
	a.JNZ(operand.LabelRef("step"))
	t.result()
	a.Label("end")
	a.VZEROUPPER()
	a.RET()
}
