package main

import "github.com/mmcloughlin/avo/operand"

// writeShuffle writes loops that put the elements of vectors in another order.
func writeShuffle(f *file) {
	f.each(false, func(a *assembler) { a.shuffle(4) })
	f.each(false, func(a *assembler) { a.shuffle(1) })
	(&assembler{Context: f.context, file: f, wide: true}).shuffle(2)
}

// shuffle writes a loop over vectors of elements of the given size: those of one byte have half the length. By AVX2 two
// bytes are shuffled as bytes.
func (a *assembler) shuffle(size int) {
	doc := []string{
		"writes count vectors to dst, step bytes apart. Vector i takes its elements from the vector at offsets[i%period], and stride",
		"bytes for each period before, of src: those that the elements of vector i%period of orders say",
	}
	orderBytes := a.bytes()
	switch {
	case size == 1 && a.wide:
		doc[1] += ", which have 16 bits for bytes."
	case size == 1:
		doc[1] += ". Vectors have 16 bytes."
		orderBytes = 16
	default:
		doc[1] += "."
	}
	a.begin(map[int]string{1: "shuffleBytes", 2: "shuffleWords", 4: "shuffleDoublewords"}[size],
		"dst, src *byte, orders *byte, offsets *int, period, stride, step, count int", doc...)
	dst, src := a.Load(a.Param("dst"), a.GP64()), a.Load(a.Param("src"), a.GP64())
	count, step := a.Load(a.Param("count"), a.GP64()), a.Load(a.Param("step"), a.GP64())
	stride, period := a.Load(a.Param("stride"), a.GP64()), a.Load(a.Param("period"), a.GP64())
	orders, offsets, left, offset := a.GP64(), a.GP64(), a.GP64(), a.GP64()
	a.Label("period")
	a.Load(a.Param("orders"), orders)
	a.Load(a.Param("offsets"), offsets)
	a.MOVQ(period, left)
	a.Label("vector")
	a.MOVQ(operand.Mem{Base: offsets}, offset)
	from, to := operand.Mem{Base: src, Index: offset, Scale: 1}, operand.Mem{Base: dst}
	order, result := a.vector(), a.vector()
	switch {
	case a.wide:
		a.VMOVDQU32(operand.Mem{Base: orders}, order)
	case size > 1:
		a.VMOVDQU(operand.Mem{Base: orders}, order)
	}
	switch {
	case size == 1 && !a.wide:
		bytes := a.XMM()
		a.VMOVDQU(from, bytes)
		a.VPSHUFB(operand.Mem{Base: orders}, bytes, bytes)
		a.VMOVDQU(bytes, to)
	case size == 1:
		a.VPMOVZXBW(from, result)
		a.VPERMW(result, order, result)
		a.VPMOVWB(result, to)
	case size == 2:
		a.VPERMW(from, order, result)
		a.VMOVDQU32(result, to)
	case a.wide:
		a.VPERMD(from, order, result)
		a.VMOVDQU32(result, to)
	default:
		a.VPERMD(from, order, result)
		a.VMOVDQU(result, to)
	}
	a.ADDQ(step, dst)
	a.DECQ(count)
	a.JZ(operand.LabelRef("done"))
	a.ADDQ(operand.I32(orderBytes), orders)
	a.ADDQ(operand.I32(8), offsets)
	a.DECQ(left)
	a.JNZ(operand.LabelRef("vector"))
	a.ADDQ(stride, src)
	a.JMP(operand.LabelRef("period"))
	a.Label("done")
	a.VZEROUPPER()
	a.RET()
}
