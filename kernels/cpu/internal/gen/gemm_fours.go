package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// foursHeight is how many vectors of sums a tile of fours has at most: enough chains for both multipliers to be busy beside the shuffles.
const foursHeight = 6

// foursCode writes the kernel of tiles of four columns, whose vectors hold four rows each. Elements of A, which are
// adjacent along k, are read by fours too, so that a shuffle within their four lanes spreads them.
type foursCode struct {
	*tileCode
	bases    []reg.GPVirtual // of A, for every eight rows
	aRow7    reg.GPVirtual
	selected reg.OpmaskVirtual // the columns in use, for each row of a vector
}

// tileFours writes the kernel, whose tile has rows by fours, and a multiple of four steps.
func (a *assembler) tileFours() {
	a.begin("float32Fours", "tile *byte", fmt.Sprintf("computes a tile of at most %d rows, by fours, by four columns. Steps are a multiple of four.", 4*foursHeight))
	t := &foursCode{tileCode: &tileCode{asm: a, vectors: 1}}
	tile := a.Load(a.Param("tile"), a.GP64())
	mask := t.field(tile, tileMask)
	t.memory = a.newMask(mask)
	a.IMUL3Q(operand.U32(0x1111), mask, mask)
	t.selected = a.K()
	a.KMOVW(mask.As32(), t.selected)
	t.a, t.b, t.c = t.field(tile, tileA), t.field(tile, tileB), t.field(tile, tileC)
	t.aRow, t.bStep, t.cRow = t.field(tile, tileARow), t.field(tile, tileBStep), t.field(tile, tileCRow)
	t.count = t.field(tile, tileDepth)
	rows := t.field(tile, tileRows)
	t.aRow3, t.aRow5, t.aRow7 = a.GP64(), a.GP64(), a.GP64()
	a.LEAQ(operand.Mem{Base: t.aRow, Index: t.aRow, Scale: 2}, t.aRow3)
	a.LEAQ(operand.Mem{Base: t.aRow, Index: t.aRow, Scale: 4}, t.aRow5)
	a.LEAQ(operand.Mem{Base: t.aRow3, Index: t.aRow, Scale: 4}, t.aRow7)
	t.bases = []reg.GPVirtual{t.a}
	for range (foursHeight - 1) / 2 {
		base := a.GP64()
		a.LEAQ(operand.Mem{Base: t.bases[len(t.bases)-1], Index: t.aRow, Scale: 8}, base)
		t.bases = append(t.bases, base)
	}
	for range foursHeight {
		t.sums = append(t.sums, []vector{a.vector()})
	}
	t.clearSums()
	a.SHRQ(operand.U8(2), t.count)
	a.SHRQ(operand.U8(2), rows)
	t.choose("fours", rows, 1, foursHeight, t.loop)
	t.result()
	a.Label("end")
	a.VZEROUPPER()
	a.RET()
}

// rowOf returns where the elements of A in a row are.
func (t *foursCode) rowOf(row int) operand.Mem {
	m := operand.Mem{Base: t.bases[row/8]}
	switch row %= 8; row {
	case 1, 2, 4:
		m.Index, m.Scale = t.aRow, uint8(row)
	case 3, 6:
		m.Index, m.Scale = t.aRow3, uint8(row/3)
	case 5:
		m.Index, m.Scale = t.aRow5, 1
	case 7:
		m.Index, m.Scale = t.aRow7, 1
	}
	return m
}

// loop writes the loop for so many vectors of sums.
func (t *foursCode) loop(kind string, height int) {
	label := fmt.Sprintf("%s%d", kind, height)
	t.asm.Label(label)
	factors := make([]vector, height)
	for i := range factors {
		factors[i] = t.asm.vector()
		t.asm.VMOVUPS(t.rowOf(4*i), factors[i].AsX())
		for row := 1; row < 4; row++ {
			t.asm.VINSERTF32X4(operand.U8(row), t.rowOf(4*i+row), factors[i], factors[i])
		}
	}
	for step := range 4 {
		other := t.asm.vector()
		t.asm.VBROADCASTF32X4_Z(operand.Mem{Base: t.b}, t.selected, other)
		t.asm.ADDQ(t.bStep, t.b)
		for i, four := range factors {
			factor := t.asm.vector()
			t.asm.VPERMILPS(operand.U8(step*0x55), four, factor)
			t.asm.VFMADD231PS(factor, other, t.sums[i][0])
		}
	}
	for _, base := range t.bases[:(height+1)/2] {
		t.asm.ADDQ(operand.U8(16), base)
	}
	t.asm.DECQ(t.count)
	t.asm.JNZ(operand.LabelRef(label))
	if height < foursHeight {
		t.asm.JMP(operand.LabelRef("result"))
	}
}

// result writes C = alpha*sums + beta*C, row by row; C is not read where beta is zero.
func (t *foursCode) result() {
	t.asm.Label("result")
	tile := t.asm.Load(t.asm.Param("tile"), t.asm.GP64())
	rows, bits := t.asm.GP64(), t.asm.GP64()
	t.asm.MOVQ(operand.Mem{Base: tile, Disp: tileRows}, rows)
	t.asm.SHRQ(operand.U8(2), rows)
	t.multiplyByAlpha(operand.Mem{Base: tile, Disp: tileFactors}, bits)
	t.asm.MOVL(operand.Mem{Base: tile, Disp: tileFactors + 4}, bits.As32())
	t.asm.ADDL(bits.As32(), bits.As32()) // Drops the sign, for -0.
	t.asm.JZ(operand.LabelRef("store"))
	beta := t.asm.spread(operand.Mem{Base: tile, Disp: tileFactors + 4})
	write := func(adds bool) {
		t.eachRow(rows, func(sums []vector) {
			for row := range 4 {
				sum := t.asm.XMM()
				t.asm.VEXTRACTF32X4(operand.U8(row), sums[0], sum)
				if adds {
					old := t.asm.XMM()
					t.asm.VMOVUPS_Z(operand.Mem{Base: t.c}, t.memory.lanes, old)
					t.asm.VFMADD231PS(old, beta.AsX(), sum)
				}
				t.asm.VMOVUPS(sum, t.memory.lanes, operand.Mem{Base: t.c})
				if row < 3 {
					t.asm.ADDQ(t.cRow, t.c)
				}
			}
		})
	}
	write(true)
	t.asm.Label("store")
	write(false)
}
