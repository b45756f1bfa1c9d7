package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// writeAMX writes the kernels of package gemm for the matrix unit of AMX.
func writeAMX(f *file) {
	a := &assembler{Context: f.context, file: f, wide: true}
	a.amxMultiply("bfloat16", (*assembler).TDPBF16PS)
	a.amxMultiply("int8", (*assembler).TDPBSSD)
}

func (a *assembler) beginAMX(name, parameters, doc string) {
	a.Function(name + "AMX")
	a.Attributes(attr.NOSPLIT)
	a.SignatureExpr("func(" + parameters + ")")
	a.Doc(name + "AMX " + doc)
	a.Pragma("noescape")
}

const amxTile = 1024 // bytes

// amxMultiply writes the kernel of an element type. Four tiles of sums and two each of A and B are all that there are.
func (a *assembler) amxMultiply(element string, multiply func(a *assembler, x, y, sums matrix)) {
	a.beginAMX(element+"Multiply", "c, a, b *byte, cRow, panels, steps, aRow, aStep, aPanel, adds int",
		"multiplies panels of 32 rows of A, one after the other, by a panel of 32 columns of B, each steps pairs of tiles, and adds the products to C if adds is not 0. Rows of C are cRow bytes apart, and rows, steps and panels of A so many.")
	config := a.StaticGlobal(element + "Config") // palette 1: 64 bytes in each of 16 rows of each of 8 tiles
	a.DataAttributes(attr.RODATA | attr.NOPTR)
	for i, value := range []uint64{1, 0, 0x0040_0040_0040_0040, 0x0040_0040_0040_0040, 0, 0, 0x1010_1010_1010_1010, 0} {
		a.AddDatum(8*i, operand.U64(value))
	}
	x, y, c := reg.RAX, reg.RBX, reg.RDX
	tileRow, cRow, aRow := reg.RDI, reg.RSI, reg.RCX // What instructions of tiles have are some of the first eight.
	panel, panels, steps, half := reg.R8, reg.R9, reg.R10, reg.R11
	count, aPanel, aHalf, aRest := reg.R12, reg.R13, reg.R15, reg.R14
	a.LEAQ(config, x)
	a.LDTILECFG(x)
	a.Load(a.Param("c"), c)
	a.Load(a.Param("a"), x)
	a.Load(a.Param("b"), panel)
	a.Load(a.Param("panels"), panels)
	a.Load(a.Param("steps"), steps)
	a.MOVQ(operand.U32(64), tileRow)
	a.Load(a.Param("cRow"), cRow)
	a.MOVQ(cRow, half)
	a.SHLQ(operand.U8(4), half)
	a.Load(a.Param("aRow"), aRow)
	a.MOVQ(aRow, aHalf)
	a.SHLQ(operand.U8(4), aHalf)
	a.Load(a.Param("aStep"), aRest)
	a.SUBQ(aHalf, aRest)
	a.Label("panel")
	a.MOVQ(x, aPanel)
	a.MOVQ(panel, y)
	a.Load(a.Param("adds"), count)
	a.TESTQ(count, count)
	a.JNZ(operand.LabelRef("sums"))
	for sums := range matrix(4) {
		a.TILEZERO(sums)
	}
	a.JMP(operand.LabelRef("zeros"))
	a.Label("sums")
	for sums := matrix(0); sums < 4; sums += 2 {
		a.TILELOADD(c, 0, cRow, sums)
		a.TILELOADD(c, 64, cRow, sums+1)
		a.ADDQ(half, c)
	}
	a.SUBQ(half, c)
	a.SUBQ(half, c)
	a.Label("zeros")
	a.MOVQ(steps, count)
	a.Label("step")
	a.TILELOADDT1(x, 0, aRow, 4)
	a.ADDQ(aHalf, x)
	a.TILELOADD(y, 0, tileRow, 6)
	a.TILELOADD(y, amxTile, tileRow, 7)
	multiply(a, 4, 6, 0)
	a.TILELOADDT1(x, 0, aRow, 5)
	multiply(a, 4, 7, 1)
	multiply(a, 5, 6, 2)
	multiply(a, 5, 7, 3)
	a.ADDQ(aRest, x)
	a.ADDQ(operand.U32(2*amxTile), y)
	a.DECQ(count)
	a.JNZ(operand.LabelRef("step"))
	for sums := matrix(0); sums < 4; sums += 2 {
		a.TILESTORED(sums, c, 0, cRow)
		a.TILESTORED(sums+1, c, 64, cRow)
		a.ADDQ(half, c)
	}
	a.MOVQ(aPanel, x)
	a.Load(a.Param("aPanel"), aPanel)
	a.ADDQ(aPanel, x)
	a.DECQ(panels)
	a.JNZ(operand.LabelRef("panel"))
	a.TILERELEASE()
	a.RET()
}
