package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// tilePack writes a function that copies rows of B to the same rows of several panels, or rows of A to where they have a gap. The
// rows to come are fetched, since they lie on other pages than those before.
func (a *assembler) tilePack() {
	a.begin("packRows", "dst, src *byte, rows, panels, vectors, srcRow, dstRow, panelStep int",
		"copies rows of panels times vectors vectors, srcRow bytes apart, to panels panelStep bytes apart, whose rows are dstRow bytes apart.")
	dst, src := a.Load(a.Param("dst"), a.GP64()), a.Load(a.Param("src"), a.GP64())
	rows, panels := a.Load(a.Param("rows"), a.GP64()), a.Load(a.Param("panels"), a.GP64())
	vectors, srcRow := a.Load(a.Param("vectors"), a.GP64()), a.Load(a.Param("srcRow"), a.GP64())
	dstRow, step := a.Load(a.Param("dstRow"), a.GP64()), a.Load(a.Param("panelStep"), a.GP64())
	from, first, to, count, number, ahead := a.GP64(), a.GP64(), a.GP64(), a.GP64(), a.GP64(), a.GP64()
	a.MOVQ(srcRow, ahead)
	a.SHLQ(operand.U8(3), ahead)
	a.Label("row")
	a.MOVQ(src, from)
	a.MOVQ(dst, first)
	a.MOVQ(panels, number)
	a.Label("panel")
	a.MOVQ(vectors, count)
	a.MOVQ(first, to)
	a.Label("vector")
	a.PREFETCHT0(operand.Mem{Base: from, Index: ahead, Scale: 1})
	a.store(a.load(from, 0), to, 0)
	a.ADDQ(operand.U32(a.bytes()), from)
	a.ADDQ(operand.U32(a.bytes()), to)
	a.DECQ(count)
	a.JNZ(operand.LabelRef("vector"))
	a.ADDQ(step, first)
	a.DECQ(number)
	a.JNZ(operand.LabelRef("panel"))
	a.ADDQ(srcRow, src)
	a.ADDQ(dstRow, dst)
	a.DECQ(rows)
	a.JNZ(operand.LabelRef("row"))
	a.VZEROUPPER()
	a.RET()
}

// tilePackSource writes a function that casts elements of the source, by rows of B, to the same rows of several panels. It fetches the rows
// to come as tilePack does.
func (a *assembler) tilePackSource() {
	a.begin("packRows"+a.ofSource(), "dst, src *byte, rows, panels, vectors, srcRow, dstRow, panelStep int, mask uint64",
		"casts rows of panels times vectors vectors, srcRow bytes apart, to panels panelStep bytes apart, whose rows are dstRow bytes apart. Of the last vector of a panel it reads the lanes of the mask.")
	dst, src := a.Load(a.Param("dst"), a.GP64()), a.Load(a.Param("src"), a.GP64())
	rows, panels := a.Load(a.Param("rows"), a.GP64()), a.Load(a.Param("panels"), a.GP64())
	vectors, srcRow := a.Load(a.Param("vectors"), a.GP64()), a.Load(a.Param("srcRow"), a.GP64())
	dstRow, step := a.Load(a.Param("dstRow"), a.GP64()), a.Load(a.Param("panelStep"), a.GP64())
	lanes := a.newMask(a.Load(a.Param("mask"), a.GP64())).lanes
	from, first, to, count, number, ahead := a.GP64(), a.GP64(), a.GP64(), a.GP64(), a.GP64(), a.GP64()
	a.MOVQ(srcRow, ahead)
	a.SHLQ(operand.U8(3), ahead)
	pack := func(read func(from operand.Mem) vector) {
		a.PREFETCHT0(operand.Mem{Base: from, Index: ahead, Scale: 1})
		a.store(read(operand.Mem{Base: from}), to, 0)
		a.ADDQ(operand.U8(a.sourceBytes()), from)
	}
	a.Label("row")
	a.MOVQ(src, from)
	a.MOVQ(dst, first)
	a.MOVQ(panels, number)
	a.Label("panel")
	a.MOVQ(vectors, count)
	a.MOVQ(first, to)
	a.JMP(operand.LabelRef("check"))
	a.Label("vector")
	pack(a.fromSource)
	a.ADDQ(operand.U8(a.bytes()), to)
	a.Label("check")
	a.DECQ(count)
	a.JNZ(operand.LabelRef("vector"))
	pack(func(from operand.Mem) vector { return a.sourceOf(from, lanes) })
	a.ADDQ(step, first)
	a.DECQ(number)
	a.JNZ(operand.LabelRef("panel"))
	a.ADDQ(srcRow, src)
	a.ADDQ(dstRow, dst)
	a.DECQ(rows)
	a.JNZ(operand.LabelRef("row"))
	a.VZEROUPPER()
	a.RET()
}

// tileTurn writes a function that transposes square blocks as wide as a vector.
func (a *assembler) tileTurn() { a.turnSquares(false) }

// tileTurnBelow writes one that fetches what lies as far below each, where that is transposed next: its rows lie on other pages.
func (a *assembler) tileTurnBelow() { a.turnSquares(true) }

func (a *assembler) turnSquares(fetchesBelow bool) {
	a.begin(a.elementName()+"Turn", "dst, src *byte, dstStep, srcStep, count int",
		"transposes count square blocks, which follow each other along the rows of src and down the rows of dst.")
	dst, src := a.Load(a.Param("dst"), a.GP64()), a.Load(a.Param("src"), a.GP64())
	dstStep, srcStep := a.Load(a.Param("dstStep"), a.GP64()), a.Load(a.Param("srcStep"), a.GP64())
	count, rows := a.Load(a.Param("count"), a.GP64()), a.multiplesOf(src, srcStep, 8)
	upper := a.upperHalf()
	a.Label("block")
	if fetchesBelow {
		a.fetchBelow(rows)
	}
	for _, line := range a.readTurned(rows, upper) {
		a.of(a.VMOVUPS, a.VMOVUPD)(line, operand.Mem{Base: dst})
		a.ADDQ(dstStep, dst)
	}
	a.ADDQ(operand.U32(a.bytes()), src)
	a.DECQ(count)
	a.JNZ(operand.LabelRef("block"))
	a.VZEROUPPER()
	a.RET()
}

// fetchBelow fetches the square below that of so many rows.
func (a *assembler) fetchBelow(rows multiples) {
	lanes, below := a.bytes()/a.elementBytes(), rows
	below.base = a.GP64()
	a.LEAQ(operand.Mem{Base: rows.base, Index: rows.step, Scale: uint8(min(lanes, 8))}, below.base)
	if lanes > 8 {
		a.LEAQ(operand.Mem{Base: below.base, Index: rows.step, Scale: 8}, below.base)
	}
	for row := range lanes {
		if row == 8 {
			a.LEAQ(operand.Mem{Base: below.base, Index: rows.step, Scale: 8}, below.base)
		}
		a.PREFETCHT0(below.at(row%8, 0))
	}
}

// upperHalf is the mask of the upper half of a wide vector.
func (a *assembler) upperHalf() (upper reg.OpmaskVirtual) {
	if a.wide {
		bits := a.GP32()
		upper = a.K()
		a.MOVL(operand.U32(0xf0), bits)
		a.KMOVW(bits, upper)
	}
	return upper
}

// readTurned reads a square of rows, and returns its columns. Shuffles are what takes the time, so the two halves of a vector are read from
// different rows: with g elements in 16 bytes, line g*m+i is a half of row 2*g*m+i and the same one of row 2*g*m+g+i.
func (a *assembler) readTurned(rows multiples, upper reg.OpmaskVirtual) []vector {
	g, n := 16/a.elementBytes(), a.bytes()/a.elementBytes()
	high := rows
	if n > 8 {
		high.base = a.GP64()
		a.LEAQ(operand.Mem{Base: rows.base, Index: rows.step, Scale: 8}, high.base)
	}
	lines := make([]vector, n)
	for number := range n / 2 {
		row := number/g*2*g + number%g
		for part := range 2 {
			line, offset := a.vector(), part*a.bytes()/2
			first, second := rows.at(row%8, offset), rows.at(row%8+g, offset)
			if row >= 8 {
				first, second = high.at(row-8, offset), high.at(row-8+g, offset)
			}
			if a.wide {
				a.VBROADCASTF64X4(first, line)
				a.VBROADCASTF64X4(second, upper, line) // an insertion takes the port of the shuffles
			} else {
				a.VBROADCASTF128(first, line)
				a.VINSERTF128(operand.U8(1), second, line, line)
			}
			lines[part*n/2+number] = line
		}
	}
	a.turnLines(lines)
	return lines
}

// turnLines transposes the squares within the parts of 16 bytes of g lines each, and then gathers the parts of each column.
func (a *assembler) turnLines(lines []vector) {
	exchange := func(i, j int, first, second func(x, y, z operand.Op)) {
		x, y := a.vector(), a.vector()
		first(lines[j], lines[i], x)
		second(lines[j], lines[i], y)
		lines[i], lines[j] = x, y
	}
	lowPairs, highPairs := ofVectors(a.VUNPCKLPD), ofVectors(a.VUNPCKHPD)
	g := 16 / a.elementBytes()
	for i := 0; i < len(lines); i += g {
		if a.double {
			exchange(i, i+1, lowPairs, highPairs)
			continue
		}
		exchange(i, i+1, ofVectors(a.VUNPCKLPS), ofVectors(a.VUNPCKHPS))
		exchange(i+2, i+3, ofVectors(a.VUNPCKLPS), ofVectors(a.VUNPCKHPS))
		exchange(i, i+2, lowPairs, highPairs)
		exchange(i+1, i+3, lowPairs, highPairs)
		lines[i+1], lines[i+2] = lines[i+2], lines[i+1]
	}
	if !a.wide {
		return
	}
	even := func(x, y, z operand.Op) { a.VSHUFF32X4(operand.U8(0x88), x, y, z) }
	odd := func(x, y, z operand.Op) { a.VSHUFF32X4(operand.U8(0xdd), x, y, z) }
	for j := range len(lines) / 2 {
		exchange(j/g*2*g+j%g, j/g*2*g+j%g+g, even, odd)
	}
}

func ofVectors(plain func(...operand.Op)) func(x, y, z operand.Op) {
	return func(x, y, z operand.Op) { plain(x, y, z) }
}

// tileLimit writes a function of nothing but multiply-adds, 12 of them independent of each other.
func (a *assembler) tileLimit() {
	a.begin(a.elementName()+"Limit", "rounds int", "makes 12 multiply-adds of vectors in every round.")
	rounds := a.Load(a.Param("rounds"), a.GP64())
	sums, factor := make([]vector, 12), a.vector()
	for i := range sums {
		sums[i] = a.vector()
		a.VXORPS(sums[i].AsX(), sums[i].AsX(), sums[i].AsX())
	}
	a.VXORPS(factor.AsX(), factor.AsX(), factor.AsX())
	a.Label("round")
	for _, sum := range sums {
		a.of(a.VFMADD231PS, a.VFMADD231PD)(factor, factor, sum)
	}
	a.DECQ(rounds)
	a.JNZ(operand.LabelRef("round"))
	a.VZEROUPPER()
	a.RET()
}
