package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// turnedCode writes the kernel of few rows of A by columns of B whose elements are adjacent along k: it transposes squares of B in
// registers, and adds their rows to the sums at once.
type turnedCode struct {
	*tileCode
	columns multiples // of B
	upper   reg.OpmaskVirtual
	lanes   int
}

// turnedHeight is how many rows a tile has at most: their sums stay in registers beside a square and what it is transposed with.
func (a *assembler) turnedHeight() int {
	switch {
	case a.wide:
		return 14
	case a.double:
		return 10
	}
	return 6
}

// tileTurned writes the kernel. Of the fields of the tile, bStep leads from column to column.
func (a *assembler) tileTurned() {
	height := a.turnedHeight()
	a.begin(a.elementName()+"Turned", "tile *byte",
		fmt.Sprintf("computes a tile of at most %d rows by a vector of columns of B, whose elements are adjacent along k. There are as many steps as a vector has lanes, or more.", height))
	a.Attributes(0) // The square of the rest is more than may be on the stack without a check.
	t := &turnedCode{tileCode: &tileCode{asm: a, vectors: 1}, lanes: a.bytes() / a.elementBytes(), upper: a.upperHalf()}
	tile := a.Load(a.Param("tile"), a.GP64())
	t.a, t.aRow, t.aStep, t.count = t.field(tile, tileA), t.field(tile, tileARow), t.field(tile, tileAStep), t.field(tile, tileDepth)
	rows := t.field(tile, tileRows)
	t.columns = a.multiplesOf(t.field(tile, tileB), t.field(tile, tileBStep), t.lanes)
	t.aRow3, t.aRow5, t.aFrom7 = a.GP64(), a.GP64(), a.GP64()
	a.LEAQ(operand.Mem{Base: t.aRow, Index: t.aRow, Scale: 2}, t.aRow3)
	a.LEAQ(operand.Mem{Base: t.aRow, Index: t.aRow, Scale: 4}, t.aRow5)
	if height > 7 {
		a.LEAQ(operand.Mem{Base: t.a, Index: t.aRow3, Scale: 2}, t.aFrom7)
		a.LEAQ(operand.Mem{Base: t.aFrom7, Index: t.aRow, Scale: 1}, t.aFrom7)
	}
	for range height {
		t.sums = append(t.sums, []vector{a.vector()})
	}
	t.clearSums()
	a.SUBQ(operand.U8(t.lanes), t.count)
	t.choose("squares", rows, 1, height, t.squares)
	t.rest()
	a.Label("sums")
	tile = a.Load(a.Param("tile"), a.GP64()) // Again, for want of registers.
	t.c, t.cRow = t.field(tile, tileC), t.field(tile, tileCRow)
	t.memory = a.newMask(t.field(tile, tileMask))
	t.result()
	a.Label("end")
	a.VZEROUPPER()
	a.RET()
}

// squares writes the loop for so many rows. It leaves at count how many steps are left, less those of a square.
func (t *turnedCode) squares(kind string, rows int) {
	label := fmt.Sprintf("%s%d", kind, rows)
	t.asm.Label(label)
	for _, line := range t.asm.readTurned(t.columns, t.upper) {
		t.addLine(line, rows)
	}
	t.asm.ADDQ(operand.I32(t.asm.bytes()), t.columns.base)
	t.asm.SUBQ(operand.U8(t.lanes), t.count)
	t.asm.JGE(operand.LabelRef(label))
	if rows < len(t.sums) {
		t.asm.JMP(operand.LabelRef("rest"))
	}
}

// addLine adds the products of a row of B to the sums of so many rows.
func (t *turnedCode) addLine(line vector, rows int) {
	for i := range rows {
		if t.asm.wide {
			t.asm.of(t.asm.VFMADD231PS_BCST, t.asm.VFMADD231PD_BCST)(t.row(i), line, t.sums[i][0])
		} else {
			t.multiplyAdd(t.asm.spread(t.row(i)), line, t.sums[i][0])
		}
	}
	t.asm.ADDQ(t.aStep, t.a)
	if rows > 7 {
		t.asm.ADDQ(t.aStep, t.aFrom7)
	}
}

// rest adds the products of the last steps, which are fewer than a square has. These are in the square that ends with them.
func (t *turnedCode) rest() {
	a := t.asm
	a.Label("rest")
	a.ADDQ(operand.U8(t.lanes), t.count)
	a.JZ(operand.LabelRef("sums"))
	a.LEAQ(operand.Mem{Base: t.columns.base, Index: t.count, Scale: uint8(a.elementBytes()), Disp: -a.bytes()}, t.columns.base)
	square, from, rows := a.AllocLocal(t.lanes*a.bytes()), a.GP64(), a.GP64()
	for i, line := range a.readTurned(t.columns, t.upper) {
		a.storeTo(line, square.Offset(i*a.bytes()))
	}
	a.LEAQ(square.Offset(t.lanes*a.bytes()), from)
	a.IMUL3Q(operand.U32(a.bytes()), t.count, rows)
	a.SUBQ(rows, from)
	a.Load(a.Param("tile"), rows)
	a.MOVQ(operand.Mem{Base: rows, Disp: tileRows}, rows)
	t.choose("rows", rows, 1, len(t.sums), func(kind string, rows int) {
		label := fmt.Sprintf("%s%d", kind, rows)
		a.Label(label)
		t.addLine(a.load(from, 0), rows)
		a.ADDQ(operand.U8(a.bytes()), from)
		a.DECQ(t.count)
		a.JNZ(operand.LabelRef(label))
		if rows < len(t.sums) {
			a.JMP(operand.LabelRef("sums"))
		}
	})
}
