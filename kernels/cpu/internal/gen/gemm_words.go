package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const signBits = 0x80808080 // of four int8

// writeNarrow writes the kernels of package gemm for words of several narrow numbers, and what makes and rounds them.
func writeNarrow(f *file) {
	narrow, wide := &assembler{Context: f.context, file: f}, &assembler{Context: f.context, file: f, wide: true}
	for _, vectors := range []int{1, 2} {
		narrow.tileKernel("pairs", vectors, 5, int16Pairs)
		wide.tileKernel("quads", vectors, wide.tileHeight(vectors), int8Quads)
		wide.tileKernel("halves", vectors, wide.tileHeight(vectors), bfloat16Pairs)
	}
	narrow.widen()
	narrow.interleaveWords(2)
	wide.interleaveWords(2)
	wide.interleaveWords(4)
	wide.copyWords("wordsCopy", "copies", 0)
	wide.copyWords("quadsFlip", "adds 128 to each byte of", signBits)
	wide.quadsTotals()
	wide.halvesRound()
}

// widen writes a function that makes int16 of int8.
func (a *assembler) widen() {
	a.begin("wordsWiden", "dst, src *byte, count int", "makes count int16, a multiple of 16, of int8.")
	src := a.Load(a.Param("src"), a.GP64())
	a.loop(2, a.bytes(), func(dst reg.Register) {
		words := a.vector()
		a.VPMOVSXBW(operand.Mem{Base: src}, words)
		a.store(words, dst, 0)
		a.ADDQ(operand.U8(a.bytes()/2), src)
	})
}

// interleaveWords writes a function that makes rows of 16 words, each of count rows of 16 numbers of 4/count bytes.
func (a *assembler) interleaveWords(count int) {
	name, size := map[int]string{2: "Pairs", 4: "Fours"}[count], 4/count
	a.begin("interleave"+name, "dst, src *byte, rows, dstStep, srcStep int, mask uint64",
		"makes rows of 16 words, the numbers of each of which lie below each other; wide vectors read those in mask alone.")
	dst, src, rows := a.Load(a.Param("dst"), a.GP64()), a.Load(a.Param("src"), a.GP64()), a.Load(a.Param("rows"), a.GP64())
	dstStep, srcStep := a.Load(a.Param("dstStep"), a.GP64()), a.Load(a.Param("srcStep"), a.GP64())
	vectors := 64 / a.bytes()
	var lanes reg.OpmaskVirtual
	if a.wide {
		lanes = a.K()
		a.KMOVW(a.Load(a.Param("mask"), a.GP64()).(reg.GP).As32(), lanes)
	}
	a.Label("row")
	words := make([]vector, vectors)
	for i := range count {
		for part := range vectors {
			x, from := a.vector(), operand.Mem{Base: src, Disp: part * a.bytes() / count}
			switch {
			case size == 1:
				a.VPMOVZXBD_Z(from, lanes, x)
			case a.wide:
				a.VPMOVZXWD_Z(from, lanes, x)
			default:
				a.VPMOVZXWD(from, x)
			}
			if i > 0 {
				x = a.or(words[part], a.shiftLeft(x, uint8(8*size*i)))
			}
			words[part] = x
		}
		a.ADDQ(srcStep, src)
	}
	for part, x := range words {
		a.store(x, dst, part*a.bytes())
	}
	a.ADDQ(dstStep, dst)
	a.DECQ(rows)
	a.JNZ(operand.LabelRef("row"))
	a.VZEROUPPER()
	a.RET()
}

// copyWords writes a function that copies rows of any length, and flips bits of every word.
func (a *assembler) copyWords(name, verb string, flipped uint64) {
	a.begin(name, "dst, src *byte, rows, vectors, dstStep, srcStep int, mask uint64",
		verb+" rows of vectors, of the last of which those bytes are read that are in mask, and the others are zeros.")
	dst, src := a.Load(a.Param("dst"), a.GP64()), a.Load(a.Param("src"), a.GP64())
	rows, vectors := a.Load(a.Param("rows"), a.GP64()), a.Load(a.Param("vectors"), a.GP64())
	dstStep, srcStep := a.Load(a.Param("dstStep"), a.GP64()), a.Load(a.Param("srcStep"), a.GP64())
	mask, last := a.Load(a.Param("mask"), a.GP64()), a.K()
	a.KMOVQ(mask, last)
	flip := func(x vector) vector { return x }
	if flipped != 0 {
		bits := a.spread(a.bits(flipped))
		flip = func(x vector) vector { return a.xor(x, bits) }
	}
	from, to, count, x := a.GP64(), a.GP64(), a.GP64(), a.vector()
	a.Label("row")
	a.MOVQ(src, from)
	a.MOVQ(dst, to)
	a.MOVQ(vectors, count)
	a.JMP(operand.LabelRef("next"))
	a.Label("vector")
	a.store(flip(a.load(from, 0)), to, 0)
	a.ADDQ(operand.U32(a.bytes()), from)
	a.ADDQ(operand.U32(a.bytes()), to)
	a.Label("next")
	a.DECQ(count)
	a.JNZ(operand.LabelRef("vector"))
	a.VMOVDQU8_Z(operand.Mem{Base: from}, last, x)
	a.store(flip(x), to, 0)
	a.ADDQ(srcStep, src)
	a.ADDQ(dstStep, dst)
	a.DECQ(rows)
	a.JNZ(operand.LabelRef("row"))
	a.VZEROUPPER()
	a.RET()
}

// quadsTotals writes a function that sums the columns of a panel, two rows at a time.
func (a *assembler) quadsTotals() {
	a.begin("quadsTotals", "panel *byte, depth int",
		"writes 128 times the sums of the columns of a panel of 32 quads of int8 behind its rows, where zeros are.")
	panel, depth := a.Load(a.Param("panel"), a.GP64()), a.Load(a.Param("depth"), a.GP64())
	totals, factor := a.GP64(), a.spread(a.bits(signBits))
	a.MOVQ(depth, totals)
	a.SHLQ(operand.U8(7), totals)
	a.ADDQ(panel, totals)
	sums := make([]vector, 4)
	for i := range sums {
		sums[i] = a.vector()
		a.VPXORD(sums[i], sums[i], sums[i])
	}
	a.INCQ(depth)
	a.SHRQ(operand.U8(1), depth)
	a.Label("rows")
	for i, sum := range sums {
		a.unknown("VPDPBUSD", "AVX512_VNNI", operand.Mem{Base: panel, Disp: i * a.bytes()}, factor, sum)
	}
	a.ADDQ(operand.U32(4*a.bytes()), panel)
	a.DECQ(depth)
	a.JNZ(operand.LabelRef("rows"))
	for i := range 2 {
		a.store(a.addIntegers(sums[i], sums[i+2]), totals, i*a.bytes())
	}
	a.VZEROUPPER()
	a.RET()
}

// halvesRound writes a function that rounds sums to bfloat16; those that are subnormal become zero.
func (a *assembler) halvesRound() {
	a.begin("halvesRound", "dst, src *byte, rows, dstRow int, mask uint64",
		"rounds rows of 32 float32 to bfloat16, and stores those of the columns in mask.")
	dst, src := a.Load(a.Param("dst"), a.GP64()), a.Load(a.Param("src"), a.GP64())
	rows, step := a.Load(a.Param("rows"), a.GP64()), a.Load(a.Param("dstRow"), a.GP64())
	mask, lanes := a.Load(a.Param("mask"), a.GP64()), a.K()
	a.KMOVQ(mask, lanes)
	a.Label("row")
	low, high := a.load(src, 0), a.load(src, a.bytes())
	a.unknown("VCVTNE2PS2BF16", "AVX512_BF16", low, high, high)
	a.VMOVDQU16(high, lanes, operand.Mem{Base: dst})
	a.ADDQ(operand.U32(2*a.bytes()), src)
	a.ADDQ(step, dst)
	a.DECQ(rows)
	a.JNZ(operand.LabelRef("row"))
	a.VZEROUPPER()
	a.RET()
}
