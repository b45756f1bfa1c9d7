package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// writeInterleaved writes the transposition of few rows: of each column their elements are stored together, with
// undefined ones behind them where there are fewer rows than narrowColumns, or as many as 16 bytes have of longer
// elements. The next column is stored over these.
func (t transposition) writeInterleaved(name string) {
	most := min(narrowColumns, t.block())
	t.asm.begin(name, "dst, src *byte, dstStride, srcStride, rows, columns int",
		fmt.Sprintf("writes a matrix with elements of %d bytes transposed. It has 1 to %d rows, and a positive multiple of %d columns.", t.size, most, t.rows()),
		fmt.Sprintf("Strides are the bytes between rows of src and between rows of dst, to each of which, in order, %d elements are written: those", most),
		"behind as many as there are rows are undefined.")
	t.to, t.toStride = t.asm.Load(t.asm.Param("dst"), t.asm.GP64()), t.asm.Load(t.asm.Param("dstStride"), t.asm.GP64())
	from, stride := t.asm.Load(t.asm.Param("src"), t.asm.GP64()), t.asm.Load(t.asm.Param("srcStride"), t.asm.GP64())
	rows, columns := t.asm.Load(t.asm.Param("rows"), t.asm.GP64()), t.asm.Load(t.asm.Param("columns"), t.asm.GP64())
	places := []reg.Register{from}
	for i := 1; i < most; i++ { // Rows that are missing are read as the last one.
		place, none := t.asm.GP64(), t.asm.GP64()
		t.asm.XORQ(none, none)
		t.asm.CMPQ(rows, operand.U8(i))
		t.asm.CMOVQGT(stride, none)
		t.asm.LEAQ(operand.Mem{Base: places[i-1], Index: none, Scale: 1}, place)
		places = append(places, place)
	}
	t.asm.Label("columns")
	x := make([]func() vector, most)
	for i, place := range places {
		row := t.asm.loadFrom(operand.Mem{Base: place})
		t.asm.ADDQ(operand.I32(t.asm.bytes()), place)
		x[i] = func() vector { return row }
	}
	joined := make([]vector, most)
	t.within(0, x, func(v vector, number int) { joined[number] = v })
	for lane := range t.lanes() {
		for _, v := range joined {
			t.putLane(v, lane, most*t.size)
		}
	}
	t.asm.SUBQ(operand.I32(t.rows()), columns)
	t.asm.JNZ(operand.LabelRef("columns"))
	t.asm.VZEROUPPER()
	t.asm.RET()
}

// putLane stores a lane of v in pieces of so many bytes.
func (t transposition) putLane(v vector, lane, piece int) {
	x := v.AsX()
	if lane > 0 {
		x = t.asm.XMM()
		if t.asm.wide {
			t.asm.VEXTRACTI32X4(operand.U8(lane), v, x)
		} else {
			t.asm.VEXTRACTI128(operand.U8(lane), v, x)
		}
	}
	place := operand.Mem{Base: t.to}
	for part := range 16 / piece {
		switch piece {
		case 4:
			t.asm.VPEXTRD(operand.U8(part), x, place)
		case 8:
			t.asm.VPEXTRQ(operand.U8(part), x, place)
		default:
			t.asm.VMOVDQU(x, place)
		}
		t.asm.ADDQ(t.toStride, t.to)
	}
}
