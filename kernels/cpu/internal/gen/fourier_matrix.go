package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
)

// turnedRows writes the products of rows of numbers and roots.
func (p *fourierPass) turnedRows(name string) string {
	name = fmt.Sprint(name, floatBits(p.double))
	lanes := p.bytes() / p.size()
	p.begin(name, fmt.Sprintf("dst, src *float%d, coarse, fine *float64, rows, width, dstStep, srcStep, fineStep int", floatBits(p.double)),
		fmt.Sprintf("multiplies rows of width numbers, a positive multiple of %d, by coarse, which has a root for each number of a row, and by fine,", lanes),
		"which has a row of roots for each; steps are the bytes from one row to the next.")
	src, fine := p.Load(p.Param("src"), p.GP64()), p.Load(p.Param("fine"), p.GP64())
	coarse, dst := p.Load(p.Param("coarse"), p.GP64()), p.Load(p.Param("dst"), p.GP64())
	step, row, rootRow, left := p.parameter("dstStep"), p.parameter("srcStep"), p.parameter("fineStep"), p.parameter("width")
	p.realSigns = p.signs("realSigns", 1, 0)
	// Roots are multiplied in float64, in as many vectors as they take.
	roots := fourierPass{assembler: &assembler{Context: p.Context, file: p.file, wide: p.wide, double: true}, realSigns: p.realSigns}
	if !p.double {
		roots.realSigns = roots.signs("realSigns", 1, 0)
	}
	parts := 16 / p.size()

	p.Label("strips")
	at, fineAt, to := p.GP64(), p.GP64(), p.GP64()
	p.MOVQ(src, at)
	p.MOVQ(fine, fineAt)
	p.MOVQ(dst, to)
	rows := p.Load(p.Param("rows"), p.GP64())
	factors := make([]unitRoot, parts)
	for part := range factors {
		factors[part] = roots.several(operand.Mem{Base: coarse, Disp: part * p.bytes()})
	}
	p.Label("rows")
	products := make([]vector, parts)
	for part := range products {
		products[part] = roots.times(p.load(fineAt, part*p.bytes()), factors[part])
	}
	p.store(p.times(p.load(at, 0), p.parted(p.rounded(products))), to, 0)
	p.ADDQ(row, at)
	p.ADDQ(rootRow, fineAt)
	p.ADDQ(step, to)
	p.DECQ(rows)
	p.JNZ(operand.LabelRef("rows"))

	p.ADDQ(operand.I32(p.bytes()), src)
	p.ADDQ(operand.I32(p.bytes()), dst)
	p.ADDQ(operand.I32(parts*p.bytes()), fine)
	p.ADDQ(operand.I32(parts*p.bytes()), coarse)
	p.SUBQ(operand.I32(lanes), left)
	p.JNZ(operand.LabelRef("strips"))
	p.VZEROUPPER()
	p.RET()
	return name + p.suffix()
}

// rounded is vectors of float64 in the precision of the pass.
func (p *fourierPass) rounded(x []vector) vector {
	if p.double {
		return x[0]
	}
	if !p.wide {
		front, back := p.half(), p.half()
		p.VCVTPD2PSY(x[0], front)
		p.VCVTPD2PSY(x[1], back)
		result := p.vector()
		p.VINSERTF128(operand.U8(1), back, front.AsY(), result)
		return result
	}
	front, back := p.half(), p.half()
	p.VCVTPD2PS(x[0], front)
	p.VCVTPD2PS(x[1], back)
	result := p.vector()
	p.VINSERTF64X4(operand.U8(1), back, front.AsZ(), result)
	return result
}

// acrossRows writes rows of numbers as columns.
func (p *fourierPass) acrossRows(name string) string {
	t := transposition{assembler: p.assembler, size: p.size()}
	name = fmt.Sprint(name, floatBits(p.double))
	t.write(name)
	return name + p.suffix()
}
