package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// compressed is how many elements are looked at together.
const compressed = 16

// writeCompress writes loops that close the gaps between chosen elements. AVX2 has no instruction for it.
func writeCompress(f *file) {
	for _, size := range []int{1, 2, 4, 8} {
		compress{&assembler{Context: f.context, file: f, wide: true}}.elements(size)
	}
	compress{&assembler{Context: f.context, file: f, wide: true}}.numbers()
}

type compress struct{ *assembler }

// elements writes the loop for elements of so many bytes.
func (a compress) elements(size int) {
	a.begin(map[int]string{1: "compressBytes", 2: "compressWords", 4: "compressDoublewords", 8: "compressQuadwords"}[size],
		"dst, x, mask *byte, count, room int) (read, written int",
		"writes those of count elements of x whose byte of mask is not zero to dst, one after the other. It stops where fewer",
		"than 16 elements are left, or there is no room for as many, and returns how many it has read and written.")
	dst, x := a.Load(a.Param("dst"), a.GP64()), a.Load(a.Param("x"), a.GP64())
	a.loop(func(read, written, ones reg.GPVirtual, chosen reg.OpmaskVirtual) {
		from, to := operand.Mem{Base: x, Index: read, Scale: uint8(size)}, operand.Mem{Base: dst, Index: written, Scale: uint8(size)}
		value := a.ZMM()
		switch size {
		case 1:
			a.VPMOVZXBD(from, value)
			a.VPCOMPRESSD_Z(value, chosen, value)
			a.VPMOVDB(value, to)
		case 2:
			a.VPMOVZXWD(from, value)
			a.VPCOMPRESSD_Z(value, chosen, value)
			a.VPMOVDW(value, to)
		case 4:
			a.VMOVDQU32(from, value)
			a.VPCOMPRESSD_Z(value, chosen, value)
			a.VMOVDQU32(value, to)
		case 8:
			behind := a.ZMM()
			a.VMOVDQU64(from, value)
			a.VMOVDQU64(from.Offset(64), behind)
			a.twoParts(value, behind, to, written, ones, chosen)
			return
		}
		a.ADDQ(ones, written)
	})
}

// numbers writes the loop that finds where a mask is true.
func (a compress) numbers() {
	a.begin("findTrue", "dst *int64, mask *byte, count, room, first int) (read, written int",
		"writes the numbers of those of count bytes of mask that are not zero to dst, of which that of the first byte is first.",
		"It stops as compressBytes does, and returns the same.")
	dst := a.Load(a.Param("dst"), a.GP64())
	number, behind, step := a.ZMM(), a.ZMM(), a.ZMM()
	a.VPBROADCASTQ(a.Load(a.Param("first"), a.GP64()), number)
	a.VPADDQ(a.table("compressNumbers", 0, 1, 2, 3, 4, 5, 6, 7), number, number)
	eight := a.GP64()
	a.MOVQ(operand.U32(8), eight)
	a.VPBROADCASTQ(eight, step)
	a.VPADDQ(step, number, behind)
	a.VPADDQ(step, step, step)
	a.loop(func(_, written, ones reg.GPVirtual, chosen reg.OpmaskVirtual) {
		a.twoParts(number, behind, operand.Mem{Base: dst, Index: written, Scale: 8}, written, ones, chosen)
		a.VPADDQ(step, number, number)
		a.VPADDQ(step, behind, behind)
	})
}

// twoParts writes the chosen ones of two vectors of eight elements, and counts them.
func (a compress) twoParts(first, second vector, to operand.Mem, written, ones reg.GPVirtual, chosen reg.OpmaskVirtual) {
	later, low, packed := a.K(), a.GP32(), a.ZMM()
	a.VPCOMPRESSQ_Z(first, chosen, packed)
	a.VMOVDQU64(packed, to)
	a.KMOVB(chosen, low)
	a.POPCNTL(low, low)
	a.KSHIFTRW(operand.U8(8), chosen, later)
	a.VPCOMPRESSQ_Z(second, later, packed)
	end := a.GP64()
	a.LEAQ(operand.Mem{Base: written, Index: low.As64(), Scale: 1}, end)
	to.Index = end
	a.VMOVDQU64(packed, to)
	a.ADDQ(ones, written)
}

// loop calls body with how many elements were read and written before, and with which of the next ones are chosen, and how many.
func (a compress) loop(body func(read, written, ones reg.GPVirtual, chosen reg.OpmaskVirtual)) {
	mask, count, room := a.Load(a.Param("mask"), a.GP64()), a.Load(a.Param("count"), a.GP64()), a.Load(a.Param("room"), a.GP64())
	read, written, ones := a.GP64(), a.GP64(), a.GP64()
	a.XORQ(read, read)
	a.XORQ(written, written)
	a.SUBQ(operand.U8(compressed), count)
	a.SUBQ(operand.U8(compressed), room)
	a.Label("next")
	a.CMPQ(read, count)
	a.JGT(operand.LabelRef("done"))
	a.CMPQ(written, room)
	a.JGT(operand.LabelRef("done"))
	bytes, chosen := a.XMM(), a.K()
	a.VMOVDQU(operand.Mem{Base: mask, Index: read, Scale: 1}, bytes)
	a.VPTESTMB(bytes, bytes, chosen)
	a.KMOVW(chosen, ones.As32())
	a.POPCNTL(ones.As32(), ones.As32())
	body(read, written, ones, chosen)
	a.ADDQ(operand.U8(compressed), read)
	a.JMP(operand.LabelRef("next"))
	a.Label("done")
	a.VZEROUPPER()
	a.Store(read, a.ReturnIndex(0))
	a.Store(written, a.ReturnIndex(1))
	a.RET()
}
