package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The offsets of the fields of the tiling of package convolution, in bytes.
const (
	tilingSrc = 8 * iota
	tilingRow
	tilingPhase
	tilingDst
	tilingStep
	tilingCount
)

// tilingField returns a function that loads the fields of a tiling.
func (a *assembler) tilingField() func(offset int) reg.GPVirtual {
	tiling := a.Load(a.Param("tiling"), a.GP64())
	return func(offset int) reg.GPVirtual {
		register := a.GP64()
		a.MOVQ(operand.Mem{Base: tiling, Disp: offset}, register)
		return register
	}
}

// rounds writes the loop over count rounds, and its end.
func (a *assembler) rounds(count reg.GPVirtual, body func()) {
	a.Label("round")
	body()
	a.DECQ(count)
	a.JNZ(operand.LabelRef("round"))
	a.VZEROUPPER()
	a.RET()
}

// winogradInput writes the transform of data: rows of four, B^T d B for the tiles of a vector, from planes of even and of odd
// columns.
func (a *assembler) winogradInput() {
	a.begin(a.elementName()+"Input", "tiling *byte", "transforms the data of a row of tiles, a vector of tiles at a time.")
	field := a.tilingField()
	src, row, phase, dst, step, count := field(tilingSrc), field(tilingRow), field(tilingPhase), field(tilingDst), field(tilingStep), field(tilingCount)
	move := a.of(a.VMOVUPS, a.VMOVUPD)
	row3, other, to := a.GP64(), a.GP64(), a.GP64()
	a.LEAQ(operand.Mem{Base: row, Index: row, Scale: 2}, row3)
	at := func(i, j int) operand.Mem {
		m := operand.Mem{Base: []reg.GPVirtual{src, other}[j%2], Disp: j / 2 * a.elementBytes()}
		switch i {
		case 1, 2:
			m.Index, m.Scale = row, uint8(i)
		case 3:
			m.Index, m.Scale = row3, 1
		}
		return m
	}
	a.rounds(count, func() {
		a.LEAQ(operand.Mem{Base: src, Index: phase, Scale: 1}, other)
		a.MOVQ(dst, to)
		for _, rows := range [][2]int{{0, 2}, {1, 2}, {2, 1}, {1, 3}} {
			var d [4]vector
			for j := range d {
				d[j] = a.vector()
				move(at(rows[0], j), d[j])
				if rows == [2]int{1, 2} {
					a.of(a.VADDPS, a.VADDPD)(at(rows[1], j), d[j], d[j])
				} else {
					a.of(a.VSUBPS, a.VSUBPD)(at(rows[1], j), d[j], d[j])
				}
			}
			for _, v := range []vector{a.subtract(d[0], d[2]), a.add(d[1], d[2]), a.subtract(d[2], d[1]), a.subtract(d[1], d[3])} {
				move(v, operand.Mem{Base: to})
				a.ADDQ(step, to)
			}
		}
		a.ADDQ(operand.U32(a.bytes()), src)
		a.ADDQ(operand.U32(a.bytes()), dst)
	})
}

// winogradOutput writes the transform of products: A^T m A for the tiles of a vector, two rows of adjacent columns.
func (a *assembler) winogradOutput() {
	a.begin(a.elementName()+"Output", "tiling *byte", "transforms the products of a row of tiles, a vector of tiles at a time, to two rows.")
	field := a.tilingField()
	src, row, dst, step, count := field(tilingSrc), field(tilingRow), field(tilingDst), field(tilingStep), field(tilingCount)
	move := a.of(a.VMOVUPS, a.VMOVUPD)
	var low, high vector // indices that interleave
	if a.wide {
		low, high = a.vector(), a.vector()
		move(a.interleaving("interleaveLow", 0), low)
		move(a.interleaving("interleaveHigh", a.bytes()/a.elementBytes()/2), high)
	}
	from := a.GP64()
	a.rounds(count, func() {
		a.MOVQ(src, from)
		var m [4][2]vector
		for i := range m {
			var line [4]vector
			for j := range line {
				line[j] = a.vector()
				move(operand.Mem{Base: from}, line[j])
				a.ADDQ(step, from)
			}
			m[i] = [2]vector{a.add(a.add(line[0], line[1]), line[2]), a.subtract(a.subtract(line[1], line[2]), line[3])}
		}
		for i := range 2 {
			var y [2]vector
			for j := range y {
				if i == 0 {
					y[j] = a.add(a.add(m[0][j], m[1][j]), m[2][j])
				} else {
					y[j] = a.subtract(a.subtract(m[1][j], m[2][j]), m[3][j])
				}
			}
			first, second := a.interleave(y[0], y[1], low, high)
			at := operand.Mem{Base: dst}
			if i == 1 {
				at.Index, at.Scale = row, 1
			}
			move(first, at)
			at.Disp = a.bytes()
			move(second, at)
		}
		a.ADDQ(operand.U32(a.bytes()), src)
		a.ADDQ(operand.U32(2*a.bytes()), dst)
	})
}

// interleaving returns indices of elements of two vectors in turn, from the given one on.
func (a *assembler) interleaving(name string, from int) operand.Mem {
	lanes := a.bytes() / a.elementBytes()
	values := make([]uint64, 8)
	for i := range lanes {
		index := uint64(from + i/2 + i%2*lanes)
		if a.double {
			values[i] = index
		} else {
			values[i/2] |= index << (32 * (i % 2))
		}
	}
	return a.table(a.elementName()+name, values...)
}

// interleave returns the elements of x and y in turn.
func (a *assembler) interleave(x, y, low, high vector) (first, second vector) {
	if a.wide {
		first, second = a.vector(), a.vector()
		a.VMOVDQA64(x, first)
		a.of(a.VPERMT2PS, a.VPERMT2PD)(y, low, first)
		a.VMOVDQA64(x, second)
		a.of(a.VPERMT2PS, a.VPERMT2PD)(y, high, second)
		return first, second
	}
	l, h := a.vector(), a.vector()
	a.of(a.VUNPCKLPS, a.VUNPCKLPD)(y, x, l)
	a.of(a.VUNPCKHPS, a.VUNPCKHPD)(y, x, h)
	first, second = a.vector(), a.vector()
	a.VPERM2F128(operand.U8(0x20), h, l, first)
	a.VPERM2F128(operand.U8(0x31), h, l, second)
	return first, second
}
