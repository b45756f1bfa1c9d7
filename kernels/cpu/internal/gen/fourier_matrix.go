package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
)

// turnedRows writes the products of rows of numbers and roots.
func (p *fourierPass) turnedRows(name string) string {
	name = fmt.Sprint(name, floatBits(p.asm.double))
	lanes := p.asm.bytes() / p.size()
	p.asm.begin(name, fmt.Sprintf("dst, src *float%d, coarse, fine *float64, rows, width, dstStep, srcStep, fineStep int", floatBits(p.asm.double)),
		fmt.Sprintf("multiplies rows of width numbers, a positive multiple of %d, by coarse, which has a root for each number of a row, and by fine,", lanes),
		"which has a row of roots for each; steps are the bytes from one row to the next.")
	src, fine := p.asm.Load(p.asm.Param("src"), p.asm.GP64()), p.asm.Load(p.asm.Param("fine"), p.asm.GP64())
	coarse, dst := p.asm.Load(p.asm.Param("coarse"), p.asm.GP64()), p.asm.Load(p.asm.Param("dst"), p.asm.GP64())
	step, row, rootRow, left := p.parameter("dstStep"), p.parameter("srcStep"), p.parameter("fineStep"), p.parameter("width")
	p.realSigns = p.signs("realSigns", 1, 0)
	// Roots are multiplied in float64, in as many vectors as they take.
	roots := fourierPass{asm: &assembler{Context: p.asm.Context, file: p.asm.file, wide: p.asm.wide, double: true}, realSigns: p.realSigns}
	if !p.asm.double {
		roots.realSigns = roots.signs("realSigns", 1, 0)
	}
	parts := 16 / p.size()

	p.asm.Label("strips")
	at, fineAt, to := p.asm.GP64(), p.asm.GP64(), p.asm.GP64()
	p.asm.MOVQ(src, at)
	p.asm.MOVQ(fine, fineAt)
	p.asm.MOVQ(dst, to)
	rows := p.asm.Load(p.asm.Param("rows"), p.asm.GP64())
	factors := make([]unitRoot, parts)
	for part := range factors {
		factors[part] = roots.several(operand.Mem{Base: coarse, Disp: part * p.asm.bytes()})
	}
	p.asm.Label("rows")
	products := make([]vector, parts)
	for part := range products {
		products[part] = roots.times(p.asm.load(fineAt, part*p.asm.bytes()), factors[part])
	}
	p.asm.store(p.times(p.asm.load(at, 0), p.parted(p.rounded(products))), to, 0)
	p.asm.ADDQ(row, at)
	p.asm.ADDQ(rootRow, fineAt)
	p.asm.ADDQ(step, to)
	p.asm.DECQ(rows)
	p.asm.JNZ(operand.LabelRef("rows"))

	p.asm.ADDQ(operand.I32(p.asm.bytes()), src)
	p.asm.ADDQ(operand.I32(p.asm.bytes()), dst)
	p.asm.ADDQ(operand.I32(parts*p.asm.bytes()), fine)
	p.asm.ADDQ(operand.I32(parts*p.asm.bytes()), coarse)
	p.asm.SUBQ(operand.I32(lanes), left)
	p.asm.JNZ(operand.LabelRef("strips"))
	p.asm.VZEROUPPER()
	p.asm.RET()
	return name + p.asm.suffix()
}

// rounded is vectors of float64 in the precision of the pass.
func (p *fourierPass) rounded(x []vector) vector {
	if p.asm.double {
		return x[0]
	}
	if !p.asm.wide {
		front, back := p.asm.half(), p.asm.half()
		p.asm.VCVTPD2PSY(x[0], front)
		p.asm.VCVTPD2PSY(x[1], back)
		result := p.asm.vector()
		p.asm.VINSERTF128(operand.U8(1), back, front.AsY(), result)
		return result
	}
	front, back := p.asm.half(), p.asm.half()
	p.asm.VCVTPD2PS(x[0], front)
	p.asm.VCVTPD2PS(x[1], back)
	result := p.asm.vector()
	p.asm.VINSERTF64X4(operand.U8(1), back, front.AsZ(), result)
	return result
}

// acrossRows writes rows of numbers as columns.
func (p *fourierPass) acrossRows(name string) string {
	t := transposition{asm: p.asm, size: p.size()}
	name = fmt.Sprint(name, floatBits(p.asm.double))
	t.write(name)
	return name + p.asm.suffix()
}
