package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rowsTogether is how many rows of integers are added at a time; package gemm has the same number.
const rowsTogether = 8

// integerRows writes the sum of the products of rows of integers of one or two bytes and an integer each.
func (a *assembler) integerRows(size int) {
	const columnsTogether = 16 // in package gemm, too
	a.begin(fmt.Sprintf("int%dRows", 8*size), "sums *int32, rows *byte, step int, factors *int16, columns int",
		fmt.Sprintf("adds the products of %d rows, step bytes apart, and a factor each, for a positive multiple of %d columns; see integerRows.", rowsTogether, columnsTogether))
	sums, rows, step := a.Load(a.Param("sums"), a.GP64()), a.Load(a.Param("rows"), a.GP64()), a.Load(a.Param("step"), a.GP64())
	factors, columns := a.Load(a.Param("factors"), a.GP64()), a.Load(a.Param("columns"), a.GP64())
	var pairs [rowsTogether / 2]vector
	for i := range pairs {
		pairs[i] = a.vector()
		a.VPBROADCASTD(operand.Mem{Base: factors, Disp: 4 * i}, pairs[i])
	}
	lower := a.GP64() // the fifth row
	a.LEAQ(operand.Mem{Base: rows, Index: step, Scale: 4}, lower)
	third := a.GP64() // three steps
	a.LEAQ(operand.Mem{Base: step, Index: step, Scale: 2}, third)
	row := func(i int) operand.Mem {
		base := []reg.Register{rows, lower}[i/4]
		return []operand.Mem{{Base: base}, {Base: base, Index: step, Scale: 1}, {Base: base, Index: step, Scale: 2}, {Base: base, Index: third, Scale: 1}}[i%4]
	}
	a.Label("loop")
	low, high := a.zeroed(), a.zeroed()
	for i, factor := range pairs {
		first, second, both := a.asShorts(size, row(2*i)), a.asShorts(size, row(2*i+1)), a.vector()
		a.VPUNPCKLWD(second, first, both)
		a.VPMADDWD(factor, both, both)
		a.VPADDD(both, low, low)
		a.VPUNPCKHWD(second, first, both)
		a.VPMADDWD(factor, both, both)
		a.VPADDD(both, high, high)
	}
	for i, halves := range []operand.U8{0x20, 0x31} { // low has the first four columns of each eight, high the others
		ordered, to := a.vector(), operand.Mem{Base: sums, Disp: i * a.bytes()}
		a.VPERM2I128(halves, high, low, ordered)
		a.VPADDD(to, ordered, ordered)
		a.VMOVDQU(ordered, to)
	}
	a.ADDQ(operand.U8(2*a.bytes()), sums)
	a.ADDQ(operand.U8(columnsTogether*size), rows)
	a.ADDQ(operand.U8(columnsTogether*size), lower)
	a.SUBQ(operand.U8(columnsTogether), columns)
	a.JNZ(operand.LabelRef("loop"))
	a.VZEROUPPER()
	a.RET()
}

// asShorts loads 16 integers of one or two bytes as int16.
func (a *assembler) asShorts(size int, from operand.Mem) vector {
	v := a.vector()
	if size == 1 {
		a.VPMOVSXBW(from, v)
	} else {
		a.VMOVDQU(from, v)
	}
	return v
}
