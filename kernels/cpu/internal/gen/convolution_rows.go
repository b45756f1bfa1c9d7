package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// copyPlaneRows writes a function that copies rows of words of 4 bytes.
func (a *assembler) copyPlaneRows() {
	a.begin("copyRows", "dst, src *byte, dstStep, srcStep, words, rows int", "copies rows of words of 4 bytes, which lie so many bytes apart.")
	a.eachVectorOfRows("words", 4, func(vector, operand.Mem, func(operand.Mem, vector)) {})
}

// streamRows writes a function that copies rows of lines, past the caches.
func (a *assembler) streamRows() {
	a.begin("streamRows", "dst, src *byte, dstStep, srcStep, lines, rows int", "copies rows of lines of 64 bytes, at least one, which lie so many bytes apart,",
		"past the caches: dst and dstStep are multiples of 64. A fence must follow.")
	dst, src := a.Load(a.Param("dst"), a.GP64()), a.Load(a.Param("src"), a.GP64())
	dstStep, srcStep := a.Load(a.Param("dstStep"), a.GP64()), a.Load(a.Param("srcStep"), a.GP64())
	lines, rows := a.Load(a.Param("lines"), a.GP64()), a.Load(a.Param("rows"), a.GP64())
	from, to, count := a.GP64(), a.GP64(), a.GP64()
	a.Label("row")
	a.MOVQ(src, from)
	a.MOVQ(dst, to)
	a.MOVQ(lines, count)
	a.Label("line")
	for offset := 0; offset < 64; offset += a.bytes() {
		a.VMOVNTDQ(a.load(from, offset), operand.Mem{Base: to, Disp: offset})
	}
	a.ADDQ(operand.U32(64), from)
	a.ADDQ(operand.U32(64), to)
	a.DECQ(count)
	a.JNZ(operand.LabelRef("line"))
	a.ADDQ(srcStep, src)
	a.ADDQ(dstStep, dst)
	a.DECQ(rows)
	a.JNZ(operand.LabelRef("row"))
	a.VZEROUPPER()
	a.RET()
}

// fetchRows writes a function that has lines of rows brought into the first cache.
func (f *file) fetchRows() {
	c := f.context
	c.Function("fetchRows")
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(src *byte, step, lines, rows int)")
	c.Doc("fetchRows has rows of lines of 64 bytes, at least one, which lie so many bytes apart, brought into the first cache.")
	c.Pragma("noescape")
	src, step := c.Load(c.Param("src"), c.GP64()), c.Load(c.Param("step"), c.GP64())
	lines, rows := c.Load(c.Param("lines"), c.GP64()), c.Load(c.Param("rows"), c.GP64())
	from, count := c.GP64(), c.GP64()
	c.Label("row")
	c.MOVQ(src, from)
	c.MOVQ(lines, count)
	c.Label("line")
	c.PREFETCHT0(operand.Mem{Base: from})
	c.ADDQ(operand.U32(64), from)
	c.DECQ(count)
	c.JNZ(operand.LabelRef("line"))
	c.ADDQ(step, src)
	c.DECQ(rows)
	c.JNZ(operand.LabelRef("row"))
	c.RET()
}

// addRows writes a function that copies rows of elements and adds a number to them.
func (a *assembler) addRows() {
	a.begin(a.elementName()+"AddRows", "dst, src *byte, dstStep, srcStep, count, rows int, number *byte",
		"copies rows of elements, which lie so many bytes apart, with a number added.")
	number := a.spread(operand.Mem{Base: a.Load(a.Param("number"), a.GP64())})
	a.eachVectorOfRows("count", a.elementBytes(), func(v vector, _ operand.Mem, _ func(operand.Mem, vector)) { a.of(a.VADDPS, a.VADDPD)(number, v, v) })
}

// eachVectorOfRows writes the loops over rows and vectors of a function that changes vectors on their way from src to dst. Change is
// given where a vector goes to, and what reads memory like that.
func (a *assembler) eachVectorOfRows(length string, size int, change func(v vector, to operand.Mem, read func(from operand.Mem, into vector))) {
	dst, src := a.Load(a.Param("dst"), a.GP64()), a.Load(a.Param("src"), a.GP64())
	dstStep, srcStep := a.Load(a.Param("dstStep"), a.GP64()), a.Load(a.Param("srcStep"), a.GP64())
	words, rows := a.Load(a.Param(length), a.GP64()), a.Load(a.Param("rows"), a.GP64())
	if size == 8 {
		a.ADDQ(words, words)
	}
	lanes := a.bytes() / 4
	rest := a.GP64()
	a.MOVQ(words, rest)
	a.ANDQ(operand.U32(lanes-1), rest)
	memory := tileMemory{asm: &assembler{Context: a.Context, file: a.file, wide: a.wide}}
	if a.wide {
		bits := a.GP64()
		a.MOVQ(operand.I32(1), bits)
		shift := reg.CL
		a.MOVB(rest.As8(), shift)
		a.SHLQ(shift, bits)
		a.DECQ(bits)
		memory.lanes = a.K()
		a.KMOVW(bits.As32(), memory.lanes)
	}
	a.SHRQ(operand.U8(map[int]uint8{8: 3, 16: 4}[lanes]), words)
	a.Label("row")
	from, to, count := a.GP64(), a.GP64(), a.GP64()
	a.MOVQ(src, from)
	a.MOVQ(dst, to)
	a.MOVQ(words, count)
	a.TESTQ(count, count)
	a.JZ(operand.LabelRef("rest"))
	v := a.vector()
	a.Label("vector")
	memory.read(operand.Mem{Base: from}, false, v)
	change(v, operand.Mem{Base: to}, func(from operand.Mem, into vector) { memory.read(from, false, into) })
	memory.write(v, false, operand.Mem{Base: to})
	a.ADDQ(operand.U32(a.bytes()), from)
	a.ADDQ(operand.U32(a.bytes()), to)
	a.DECQ(count)
	a.JNZ(operand.LabelRef("vector"))
	a.Label("rest")
	a.TESTQ(rest, rest)
	a.JZ(operand.LabelRef("next"))
	if a.wide {
		w := a.vector()
		memory.read(operand.Mem{Base: from}, true, w)
		change(w, operand.Mem{Base: to}, func(from operand.Mem, into vector) { memory.read(from, true, into) })
		memory.write(w, true, operand.Mem{Base: to})
	} else {
		a.eachPieceOfRest(rest, from, to, change)
	}
	a.Label("next")
	a.ADDQ(srcStep, src)
	a.ADDQ(dstStep, dst)
	a.DECQ(rows)
	a.JNZ(operand.LabelRef("row"))
	a.VZEROUPPER()
	a.RET()
}

// eachPieceOfRest writes what eachVectorOfRows does with the words that are left, fewer than a vector has, by AVX2:
// four, two and one at a time, since a masked write takes some processors tens of cycles.
func (a *assembler) eachPieceOfRest(rest, from, to reg.GPVirtual, change func(v vector, to operand.Mem, read func(from operand.Mem, into vector))) {
	for _, words := range []int{4, 2, 1} {
		move := map[int]func(from, to operand.Op){4: func(from, to operand.Op) { a.VMOVDQU(from, to) }, 2: a.VMOVQ, 1: a.VMOVD}[words]
		behind := fmt.Sprintf("behind%d", words)
		a.TESTQ(operand.U32(words), rest)
		a.JZ(operand.LabelRef(behind))
		read := func(from operand.Mem, into vector) { move(from, into.AsX()) }
		v := a.vector()
		read(operand.Mem{Base: from}, v)
		change(v, operand.Mem{Base: to}, read)
		move(v.AsX(), operand.Mem{Base: to})
		a.ADDQ(operand.U32(4*words), from)
		a.ADDQ(operand.U32(4*words), to)
		a.Label(behind)
	}
}

// evenRows writes a function that copies every other element of rows.
func (a *assembler) evenRows() {
	a.begin(a.elementName()+"EvenRows", "dst, src *byte, dstStep, srcStep, count, rows int",
		"copies every other element of rows, which lie so many bytes apart, to count adjacent ones each.")
	dst, src := a.Load(a.Param("dst"), a.GP64()), a.Load(a.Param("src"), a.GP64())
	dstStep, srcStep := a.Load(a.Param("dstStep"), a.GP64()), a.Load(a.Param("srcStep"), a.GP64())
	count, rows := a.Load(a.Param("count"), a.GP64()), a.Load(a.Param("rows"), a.GP64())
	if !a.wide {
		a.evenRowsByPairs(dst, src, dstStep, srcStep, count, rows)
		return
	}
	lanes := a.bytes() / a.elementBytes()
	move := a.of(a.VMOVUPS, a.VMOVUPD)
	even := a.vector()
	move(a.alternating("Even", 0), even)
	// What is read last is the even element of the last pair: the masks of the last two vectors leave what is behind.
	whole, rest := a.GP64(), a.GP64()
	a.LEAQ(operand.Mem{Base: count, Disp: -1}, whole)
	a.MOVQ(whole, rest)
	a.ANDQ(operand.U32(lanes-1), rest)
	a.SHRQ(operand.U8(map[int]uint8{8: 3, 16: 4}[lanes]), whole)
	bits, ones := a.GP64(), a.GP64()
	shift := reg.CL
	a.MOVB(rest.As8(), shift)
	a.MOVQ(operand.I32(2), ones)
	a.SHLQ(shift, ones)
	a.DECQ(ones)
	written := a.K()
	a.KMOVW(ones.As32(), written)
	a.MOVQ(operand.I32(1), bits)
	a.SHLQ(shift, bits)
	a.SHLQ(shift, bits)
	a.ADDQ(bits, bits)
	a.DECQ(bits)
	lower, upper := a.K(), a.K()
	a.KMOVW(bits.As32(), lower)
	a.SHRQ(operand.U8(lanes), bits)
	a.KMOVW(bits.As32(), upper)
	from, to, left := a.GP64(), a.GP64(), a.GP64()
	first, second := a.vector(), a.vector()
	a.Label("row")
	a.MOVQ(src, from)
	a.MOVQ(dst, to)
	a.MOVQ(whole, left)
	a.TESTQ(left, left)
	a.JZ(operand.LabelRef("rest"))
	a.Label("vector")
	move(operand.Mem{Base: from}, first)
	move(operand.Mem{Base: from, Disp: 64}, second)
	a.of(a.VPERMT2PS, a.VPERMT2PD)(second, even, first)
	move(first, operand.Mem{Base: to})
	a.ADDQ(operand.U32(128), from)
	a.ADDQ(operand.U32(64), to)
	a.DECQ(left)
	a.JNZ(operand.LabelRef("vector"))
	a.Label("rest")
	a.of(ofThree(a.VMOVUPS_Z), ofThree(a.VMOVUPD_Z))(operand.Mem{Base: from}, lower, first)
	a.of(ofThree(a.VMOVUPS_Z), ofThree(a.VMOVUPD_Z))(operand.Mem{Base: from, Disp: 64}, upper, second)
	a.of(a.VPERMT2PS, a.VPERMT2PD)(second, even, first)
	move(first, written, operand.Mem{Base: to})
	a.ADDQ(srcStep, src)
	a.ADDQ(dstStep, dst)
	a.DECQ(rows)
	a.JNZ(operand.LabelRef("row"))
	a.VZEROUPPER()
	a.RET()
}

// evenRowsByPairs is evenRows by AVX2. The second of each two vectors begins one element early, so that the last
// element that is read is one that is written. The last vectors of a row may have some elements for the second time.
func (a *assembler) evenRowsByPairs(dst, src, dstStep, srcStep, count, rows reg.Register) {
	size := a.elementBytes()
	lanes := a.bytes() / size
	from, to, left := a.GP64(), a.GP64(), a.GP64()
	a.Label("row")
	a.MOVQ(src, from)
	a.MOVQ(dst, to)
	a.MOVQ(count, left)
	a.CMPQ(left, operand.U32(lanes))
	a.JLT(operand.LabelRef("single"))
	a.Label("vector")
	v, w := a.load(from, 0), a.load(from, a.bytes()-size)
	if a.double {
		a.VSHUFPD(operand.U8(0b1010), w, v, v)
	} else {
		a.VSHUFPS(operand.U8(0b11_01_10_00), w, v, v)
	}
	a.VPERMPD(operand.U8(0b11_01_10_00), v, v)
	a.store(v, to, 0)
	a.ADDQ(operand.U32(2*a.bytes()), from)
	a.ADDQ(operand.U32(a.bytes()), to)
	a.SUBQ(operand.U32(lanes), left)
	a.JZ(operand.LabelRef("next"))
	a.CMPQ(left, operand.U32(lanes))
	a.JGE(operand.LabelRef("vector"))
	a.LEAQ(operand.Mem{Base: to, Index: left, Scale: uint8(size), Disp: -a.bytes()}, to)
	a.ADDQ(left, left)
	a.LEAQ(operand.Mem{Base: from, Index: left, Scale: uint8(size), Disp: -2 * a.bytes()}, from)
	a.MOVQ(operand.U32(lanes), left)
	a.JMP(operand.LabelRef("vector"))
	a.Label("single")
	number := a.GP64()
	a.Label("element")
	if a.double {
		a.MOVQ(operand.Mem{Base: from}, number)
		a.MOVQ(number, operand.Mem{Base: to})
	} else {
		a.MOVL(operand.Mem{Base: from}, number.As32())
		a.MOVL(number.As32(), operand.Mem{Base: to})
	}
	a.ADDQ(operand.U32(2*size), from)
	a.ADDQ(operand.U32(size), to)
	a.DECQ(left)
	a.JNZ(operand.LabelRef("element"))
	a.Label("next")
	a.ADDQ(srcStep, src)
	a.ADDQ(dstStep, dst)
	a.DECQ(rows)
	a.JNZ(operand.LabelRef("row"))
	a.VZEROUPPER()
	a.RET()
}
