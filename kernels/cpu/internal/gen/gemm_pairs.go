package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// writePairs writes the kernels of package gemm for pairs of int16, which are summed in int32, and what makes pairs of int8. The
// wide ones take instructions of AVX-512 VNNI.
func writePairs(f *file) {
	f.each(false, func(a *assembler) {
		height := 5
		if a.wide {
			height = 14
		}
		a.tileKernel("pairs", 1, min(height, 8), true)
		a.tileKernel("pairs", 2, height, true)
	})
	f.each(false, (*assembler).pairsWiden)
	f.each(false, (*assembler).pairsInterleave)
}

// pairsWiden writes a function that makes int16 of int8.
func (a *assembler) pairsWiden() {
	a.begin("pairsWiden", "dst, src *byte, count int", "makes count pairs of int16, a multiple of a vector, of twice as many int8.")
	src := a.Load(a.Param("src"), a.GP64())
	half := a.bytes() / 2
	a.loop(4, a.bytes(), func(dst reg.Register) {
		words := a.vector()
		a.VPMOVSXBW(operand.Mem{Base: src}, words)
		a.store(words, dst, 0)
		a.ADDQ(operand.U8(half), src)
	})
}

// pairsInterleave writes a function that makes pairs of the int8 of two lines.
func (a *assembler) pairsInterleave() {
	a.begin("pairsInterleave", "dst, low, high *byte, count int", "makes count pairs of int16, a multiple of a vector, of one int8 of low and one of high each.")
	low, high := a.Load(a.Param("low"), a.GP64()), a.Load(a.Param("high"), a.GP64())
	quarter := a.bytes() / 4
	a.loop(4, a.bytes(), func(dst reg.Register) {
		first, second := a.vector(), a.vector()
		a.VPMOVSXBD(operand.Mem{Base: low}, first)
		a.VPMOVSXBD(operand.Mem{Base: high}, second)
		first = a.shiftRight(a.shiftLeft(first, 16), 16) // Without the copies of its sign.
		a.store(a.or(first, a.shiftLeft(second, 16)), dst, 0)
		a.ADDQ(operand.U8(quarter), low)
		a.ADDQ(operand.U8(quarter), high)
	})
}
