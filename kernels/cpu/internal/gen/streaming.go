package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// writeStreaming writes moves of rows: sums, and stores that go past the caches.
func writeStreaming(f *file) {
	f.each(false, func(a *assembler) { a.addRow("addRowFloat32", "float32", a.VADDSS, a.VMOVSS) })
	f.each(true, func(a *assembler) { a.addRow("addRowFloat64", "float64", a.VADDSD, a.VMOVSD) })
	f.each(false, func(a *assembler) {
		a.begin("streamRow", "dst, src *byte, count int",
			"copies count bytes, a positive multiple of 64, to dst, which is one too. A fence must follow.")
		from := a.Load(a.Param("src"), a.GP64())
		a.streamLoop(func(offset int) vector { return a.load(from, offset) }, from)
	})
	f.each(false, func(a *assembler) {
		a.begin("streamZeros", "dst *byte, count int", "is streamRow of zeros.")
		zero := a.vector()
		if a.wide {
			a.VPXORD(zero, zero, zero)
		} else {
			a.VPXOR(zero, zero, zero)
		}
		a.streamLoop(func(int) vector { return zero })
	})
	f.each(false, func(a *assembler) { a.copyRows() })
	f.storeFence()
}

// storeFence writes what follows stores that go past the caches.
func (f *file) storeFence() {
	f.context.Function("storeFence")
	f.context.Attributes(attr.NOSPLIT)
	f.context.SignatureExpr("func()")
	f.context.Doc("storeFence makes stores that went past the caches visible before those that follow.")
	f.context.SFENCE()
	f.context.RET()
}

// copyRows writes a loop over rows at offsets. While it copies one it asks for that which comes some rows later.
func (a *assembler) copyRows() {
	const ahead = 4
	a.begin("copyRows", "dst, src *byte, offsets *int, count, stride, bytes int",
		"copies rows of at least a vector: the one at src+offsets[i] to dst+i*stride.",
		"Behind the offsets of the count rows are four more, of rows that may be copied next.")
	dst, src := a.Load(a.Param("dst"), a.GP64()), a.Load(a.Param("src"), a.GP64())
	offsets, count := a.Load(a.Param("offsets"), a.GP64()), a.Load(a.Param("count"), a.GP64())
	bytes := a.Load(a.Param("bytes"), a.GP64())
	from, later, at, end := a.GP64(), a.GP64(), a.GP64(), a.GP64()
	a.MOVQ(bytes, end)
	a.SUBQ(operand.I32(a.bytes()), end) // where the last vector begins
	moved := func(at reg.Register) {
		x := a.vector()
		from, to := operand.Mem{Base: from, Index: at, Scale: 1}, operand.Mem{Base: dst, Index: at, Scale: 1}
		if a.wide {
			a.VMOVDQU32(from, x)
			a.VMOVDQU32(x, to)
		} else {
			a.VMOVDQU(from, x)
			a.VMOVDQU(x, to)
		}
	}
	a.Label("row")
	a.MOVQ(operand.Mem{Base: offsets}, from)
	a.MOVQ(operand.Mem{Base: offsets, Disp: 8 * ahead}, later)
	a.ADDQ(src, from)
	a.ADDQ(src, later)
	a.XORQ(at, at)
	a.Label("vector")
	a.CMPQ(at, end)
	a.JGE(operand.LabelRef("last"))
	a.PREFETCHT0(operand.Mem{Base: later, Index: at, Scale: 1})
	moved(at)
	a.ADDQ(operand.I32(a.bytes()), at)
	a.JMP(operand.LabelRef("vector"))
	a.Label("last")
	moved(end)
	a.ADDQ(operand.I32(8), offsets)
	stride := a.Load(a.Param("stride"), a.GP64())
	a.ADDQ(stride, dst)
	a.DECQ(count)
	a.JNZ(operand.LabelRef("row"))
	a.VZEROUPPER()
	a.RET()
}

// streamLoop writes a loop that stores what value gives for each offset; moving are the other addresses that move on.
func (a *assembler) streamLoop(value func(offset int) vector, moving ...reg.Register) {
	address := a.Load(a.Param("dst"), a.GP64())
	count := a.Load(a.Param("count"), a.GP64())
	a.Label("loop")
	for offset := 0; offset < 64; offset += a.bytes() {
		a.VMOVNTDQ(value(offset), operand.Mem{Base: address, Disp: offset})
	}
	for _, other := range append(moving, address) {
		a.ADDQ(operand.I32(64), other)
	}
	a.SUBQ(operand.I32(64), count)
	a.JNZ(operand.LabelRef("loop"))
	a.VZEROUPPER()
	a.RET()
}

// addRow writes dst += x.
func (a *assembler) addRow(name, element string, add func(...operand.Op), move func(...operand.Op)) {
	a.begin(name, "dst, x *"+element+", count int", "adds count elements of x to those of dst.")
	dst, x := a.Load(a.Param("dst"), a.GP64()), a.Load(a.Param("x"), a.GP64())
	count := a.Load(a.Param("count"), a.GP64())
	size := 4
	if a.double {
		size = 8
	}
	lanes := a.bytes() / size
	for _, unrolled := range []int{4, 1} {
		label := map[int]string{4: "four", 1: "one"}[unrolled]
		a.Label(label)
		a.CMPQ(count, operand.I32(unrolled*lanes))
		a.JLT(operand.LabelRef("behind" + label))
		for i := range unrolled {
			a.store(a.add(a.load(dst, i*a.bytes()), a.load(x, i*a.bytes())), dst, i*a.bytes())
		}
		a.ADDQ(operand.I32(unrolled*a.bytes()), dst)
		a.ADDQ(operand.I32(unrolled*a.bytes()), x)
		a.SUBQ(operand.I32(unrolled*lanes), count)
		a.JMP(operand.LabelRef(label))
		a.Label("behind" + label)
	}
	a.TESTQ(count, count)
	a.JZ(operand.LabelRef("done"))
	a.Label("single")
	sum := a.XMM()
	move(operand.Mem{Base: dst}, sum)
	add(operand.Mem{Base: x}, sum, sum)
	move(sum, operand.Mem{Base: dst})
	a.ADDQ(operand.I32(size), dst)
	a.ADDQ(operand.I32(size), x)
	a.DECQ(count)
	a.JNZ(operand.LabelRef("single"))
	a.Label("done")
	a.VZEROUPPER()
	a.RET()
}
