package main

import "github.com/mmcloughlin/avo/operand"

// writeFinish writes what package gemm has beside the kernels of tiles: those of a single row, that of a single element, and what it does
// to tiles of C that are complete.
func writeFinish(f *file) {
	for _, source := range []string{"float16", "bfloat16"} {
		for _, write := range []func(*assembler){(*assembler).tileRow, (*assembler).tileStrip, (*assembler).tileLine, (*assembler).tilePackSource} {
			write(&assembler{Context: f.context, file: f, wide: true, source: source})
		}
	}
	for _, double := range []bool{false, true} {
		f.each(double, (*assembler).tileRow)
		f.each(double, (*assembler).tileStrip)
		(&assembler{Context: f.context, file: f, double: double}).tileLine()
		(&assembler{Context: f.context, file: f, double: double}).dot()
		f.each(double, (*assembler).finishAdd)
		f.each(double, (*assembler).finishSpread)
		f.each(double, (*assembler).finishRectify)
	}
}

func (a *assembler) finishAdd() {
	a.begin(a.elementName()+"Add", "c, x *byte, rows, vectors, cRow, xRow int, mask uint64", "adds x to c.")
	x, xRow := a.Load(a.Param("x"), a.GP64()), a.Load(a.Param("xRow"), a.GP64())
	from := a.GP64()
	a.eachVector(func() { a.MOVQ(x, from) }, func(m tileMemory, partly bool, c vector) vector {
		other := a.vector()
		m.read(operand.Mem{Base: from}, partly, other)
		a.ADDQ(operand.U8(a.bytes()), from)
		return a.add(c, other)
	}, func() { a.ADDQ(xRow, x) })
}

func (a *assembler) finishSpread() {
	a.begin(a.elementName()+"Spread", "c, x *byte, rows, vectors, cRow, xRow int, mask uint64", "adds an element of x to each row of c.")
	x, xRow := a.Load(a.Param("x"), a.GP64()), a.Load(a.Param("xRow"), a.GP64())
	other := a.vector()
	a.eachVector(func() { a.of(a.VBROADCASTSS, a.VBROADCASTSD)(operand.Mem{Base: x}, other) },
		func(_ tileMemory, _ bool, c vector) vector { return a.add(c, other) },
		func() { a.ADDQ(xRow, x) })
}

// The greater of -0 and 0 is -0 here, which adding 0 mends.
func (a *assembler) finishRectify() {
	a.begin(a.elementName()+"Rectify", "c *byte, rows, vectors, cRow int, mask uint64", "makes the negative elements of c zero.")
	zero := a.vector()
	a.VXORPS(zero.AsX(), zero.AsX(), zero.AsX())
	a.eachVector(func() {}, func(_ tileMemory, _ bool, c vector) vector {
		return a.add(a.apply(a.of(a.VMAXPS, a.VMAXPD), nil, c, zero), zero)
	}, func() {})
}

// eachVector writes a loop over the rows of the parameter c and over the vectors of a row, of the last of which the lanes of
// the parameter mask are in use.
func (a *assembler) eachVector(startRow func(), compute func(m tileMemory, partly bool, c vector) vector, endRow func()) {
	row, rows := a.Load(a.Param("c"), a.GP64()), a.Load(a.Param("rows"), a.GP64())
	vectors, cRow := a.Load(a.Param("vectors"), a.GP64()), a.Load(a.Param("cRow"), a.GP64())
	m := a.newMask(a.Load(a.Param("mask"), a.GP64()))
	count, at := a.GP64(), a.GP64()
	a.Label("row")
	startRow()
	a.MOVQ(vectors, count)
	a.MOVQ(row, at)
	a.JMP(operand.LabelRef("check"))
	a.Label("vector")
	a.store(compute(m, false, a.load(at, 0)), at, 0)
	a.ADDQ(operand.U8(a.bytes()), at)
	a.Label("check")
	a.DECQ(count)
	a.JNZ(operand.LabelRef("vector"))
	last := a.vector()
	m.read(operand.Mem{Base: at}, true, last)
	m.write(compute(m, true, last), true, operand.Mem{Base: at})
	endRow()
	a.ADDQ(cRow, row)
	a.DECQ(rows)
	a.JNZ(operand.LabelRef("row"))
	a.VZEROUPPER()
	a.RET()
}
