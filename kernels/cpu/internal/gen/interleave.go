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
	t.begin(name, "dst, src *byte, dstStride, srcStride, rows, columns int",
		fmt.Sprintf("writes a matrix with elements of %d bytes transposed. It has 1 to %d rows, and a positive multiple of %d columns.", t.size, most, t.rows()),
		fmt.Sprintf("Strides are the bytes between rows of src and between rows of dst, to each of which, in order, %d elements are written: those", most),
		"behind as many as there are rows are undefined.")
	t.to, t.toStride = t.Load(t.Param("dst"), t.GP64()), t.Load(t.Param("dstStride"), t.GP64())
	from, stride := t.Load(t.Param("src"), t.GP64()), t.Load(t.Param("srcStride"), t.GP64())
	rows, columns := t.Load(t.Param("rows"), t.GP64()), t.Load(t.Param("columns"), t.GP64())
	places := []reg.Register{from}
	for i := 1; i < most; i++ { // Rows that are missing are read as the last one.
		place, none := t.GP64(), t.GP64()
		t.XORQ(none, none)
		t.CMPQ(rows, operand.U8(i))
		t.CMOVQGT(stride, none)
		t.LEAQ(operand.Mem{Base: places[i-1], Index: none, Scale: 1}, place)
		places = append(places, place)
	}
	t.Label("columns")
	x := make([]func() vector, most)
	for i, place := range places {
		row := t.loadFrom(operand.Mem{Base: place})
		t.ADDQ(operand.I32(t.bytes()), place)
		x[i] = func() vector { return row }
	}
	joined := make([]vector, most)
	t.within(0, x, func(v vector, number int) { joined[number] = v })
	for lane := range t.lanes() {
		for _, v := range joined {
			t.putLane(v, lane, most*t.size)
		}
	}
	t.SUBQ(operand.I32(t.rows()), columns)
	t.JNZ(operand.LabelRef("columns"))
	t.VZEROUPPER()
	t.RET()
}

// putLane stores a lane of v in pieces of so many bytes.
func (t transposition) putLane(v vector, lane, piece int) {
	x := v.AsX()
	if lane > 0 {
		x = t.XMM()
		if t.wide {
			t.VEXTRACTI32X4(operand.U8(lane), v, x)
		} else {
			t.VEXTRACTI128(operand.U8(lane), v, x)
		}
	}
	place := operand.Mem{Base: t.to}
	for part := range 16 / piece {
		switch piece {
		case 4:
			t.VPEXTRD(operand.U8(part), x, place)
		case 8:
			t.VPEXTRQ(operand.U8(part), x, place)
		default:
			t.VMOVDQU(x, place)
		}
		t.ADDQ(t.toStride, t.to)
	}
}
