package main

import "github.com/mmcloughlin/avo/operand"

// dotChains is the number of sums of an element of a single row or column of package gemm.
const dotChains = 8

// dot writes the loop of dot products. Their sums are few vectors, and memory is slower than the additions: wider ones are no quicker.
func (a *assembler) dot() {
	a.begin(a.elementName()+"Dot", "sums, x, y *byte, count int", "adds products of count elements, a positive multiple of eight, to eight sums, each of every eighth.")
	address := a.Load(a.Param("sums"), a.GP64())
	x, y, count := a.Load(a.Param("x"), a.GP64()), a.Load(a.Param("y"), a.GP64()), a.Load(a.Param("count"), a.GP64())
	bytes := dotChains * a.elementBytes()
	sums := []vector{}
	for at := 0; at < bytes; at += a.bytes() {
		sums = append(sums, a.load(address, at))
	}
	a.Label("loop")
	for i, sum := range sums {
		product := a.multiply(a.load(x, i*a.bytes()), operand.Mem{Base: y, Disp: i * a.bytes()})
		a.of(a.VADDPS, a.VADDPD)(product, sum, sum)
	}
	a.ADDQ(operand.U8(bytes), x)
	a.ADDQ(operand.U8(bytes), y)
	a.SUBQ(operand.U8(dotChains), count)
	a.JNZ(operand.LabelRef("loop"))
	for i, sum := range sums {
		a.store(sum, address, i*a.bytes())
	}
	a.VZEROUPPER()
	a.RET()
}
