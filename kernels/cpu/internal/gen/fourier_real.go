package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// halfStep is the step between the transform of complex numbers and that of twice as many real ones, or the one back.
type halfStep struct {
	*fourierPass
	unpacks            bool
	flips, order, half vector
}

// halfStep loads what all steps need.
func (p *fourierPass) halfStep(unpacks bool) halfStep {
	mask := p.asm.vector()
	p.asm.VPBROADCASTQ(p.place("conjugate"), mask)
	p.realSigns, p.imaginarySigns = p.signs("realSigns", 1, 0), p.signs("imaginarySigns", 0, 1)
	return halfStep{p, unpacks, p.asm.and(mask, p.imaginarySigns), p.reversal(), p.asm.spread(p.asm.number(0.5))}
}

// write makes the step of the numbers at front and of those at back.
func (s halfStep) write(toFront, toBack, front, back, roots reg.Register) {
	a, b := s.asm.load(front, 0), s.asm.xor(s.reversed(s.asm.load(back, 0), s.order), s.imaginarySigns)
	if !s.unpacks {
		a, b = s.asm.xor(a, s.flips), s.asm.xor(b, s.flips)
	}
	even, difference := s.asm.add(a, b), s.asm.subtract(a, b)
	w := s.several(operand.Mem{Base: roots})
	var first, last vector
	if s.unpacks {
		even = s.asm.multiply(even, s.half)
		odd := s.times(s.asm.multiply(s.turned(difference), s.half), w)
		first, last = s.asm.xor(s.asm.add(even, odd), s.flips), s.asm.xor(s.asm.subtract(even, odd), s.flips)
	} else {
		odd := s.turned(s.times(difference, w))
		first, last = s.asm.subtract(even, odd), s.asm.add(even, odd)
	}
	s.asm.store(first, toFront, 0)
	s.asm.store(s.reversed(s.asm.xor(last, s.imaginarySigns), s.order), toBack, 0)
}

// halves writes the step in place, for some numbers.
func (p *fourierPass) halves(name string, unpacks bool) string {
	name = fmt.Sprint(name, floatBits(p.asm.double))
	p.asm.begin(name, fmt.Sprintf("front, back, roots *float%d, count, conjugate int", floatBits(p.asm.double)),
		fmt.Sprintf("is that of package fourier for count numbers from front on, a positive multiple of %d, and those that end with the vector at back;", p.asm.bytes()/p.size()),
		"numbers are conjugate if conjugate is not 0, but −1.")
	front, back, roots, count := p.parameter("front"), p.parameter("back"), p.parameter("roots"), p.parameter("count")
	step := p.halfStep(unpacks)
	p.asm.Label("numbers")
	step.write(front, back, front, back, roots)
	p.asm.ADDQ(operand.I32(p.asm.bytes()), front)
	p.asm.ADDQ(operand.I32(p.asm.bytes()), roots)
	p.asm.SUBQ(operand.I32(p.asm.bytes()), back)
	p.asm.SUBQ(operand.I32(p.asm.bytes()/p.size()), count)
	p.asm.JNZ(operand.LabelRef("numbers"))
	p.asm.VZEROUPPER()
	p.asm.RET()
	return name + p.asm.suffix()
}

// wholeLines writes the step for all numbers of lines.
func (p *fourierPass) wholeLines(name string, unpacks bool) string {
	name = fmt.Sprint(name, floatBits(p.asm.double))
	lanes := p.asm.bytes() / p.size()
	p.asm.begin(name, fmt.Sprintf("y, x, roots *float%d, length, conjugate, lines, yNext, xNext int", floatBits(p.asm.double)),
		fmt.Sprintf("is that of package fourier for lines of length complex numbers, at least %d, which are yNext and xNext bytes apart; numbers are conjugate", 2*lanes),
		"if conjugate is not 0, but −1, and roots begin with that of number 1. The last of them are written twice if they do not fill a vector.")
	length := p.parameter("length")
	end := p.asm.GP64() // where number length is
	p.asm.IMUL3Q(operand.I32(p.size()), length, end)
	p.asm.SHRQ(operand.U8(1), length)
	step := p.halfStep(unpacks)

	p.asm.Label("lines")
	toFront, front, roots, count := p.parameter("y"), p.parameter("x"), p.parameter("roots"), p.asm.GP64()
	toBack, back := p.asm.GP64(), p.asm.GP64()
	p.asm.LEAQ(operand.Mem{Base: toFront, Index: end, Scale: 1}, toBack)
	p.asm.LEAQ(operand.Mem{Base: front, Index: end, Scale: 1}, back)
	p.ends(toFront, toBack, front, back, unpacks)
	for _, address := range []reg.Register{toFront, front} {
		p.asm.ADDQ(operand.I32(p.size()), address)
	}
	for _, address := range []reg.Register{toBack, back} {
		p.asm.SUBQ(operand.I32(p.asm.bytes()), address)
	}
	p.asm.MOVQ(length, count)
	p.asm.Label("numbers")
	step.write(toFront, toBack, front, back, roots)
	p.asm.SUBQ(operand.I32(lanes), count)
	p.asm.JZ(operand.LabelRef("done"))
	by := p.asm.GP64()
	p.asm.MOVQ(operand.I32(lanes), by)
	p.asm.CMPQ(count, by)
	p.asm.CMOVQLT(count, by) // The last vector ends with the last number.
	p.asm.IMUL3Q(operand.I32(p.size()), by, by)
	for _, address := range []reg.Register{toFront, front, roots} {
		p.asm.ADDQ(by, address)
	}
	for _, address := range []reg.Register{toBack, back} {
		p.asm.SUBQ(by, address)
	}
	p.asm.CMPQ(count, operand.I32(lanes))
	p.asm.JGE(operand.LabelRef("numbers"))
	p.asm.MOVQ(operand.I32(lanes), count)
	p.asm.JMP(operand.LabelRef("numbers"))
	p.asm.Label("done")
	p.asm.ADDQ(p.parameter("yNext"), p.place("y"))
	p.asm.ADDQ(p.parameter("xNext"), p.place("x"))
	p.asm.DECQ(p.place("lines"))
	p.asm.JNZ(operand.LabelRef("lines"))
	p.asm.VZEROUPPER()
	p.asm.RET()
	return name + p.asm.suffix()
}

// ends makes the step of the first number and of the one that is as far behind the others.
func (p *fourierPass) ends(toFront, toBack, front, back reg.Register, unpacks bool) {
	move, add, subtract := p.asm.VMOVSS, p.asm.VADDSS, p.asm.VSUBSS
	if p.asm.double {
		move, add, subtract = p.asm.VMOVSD, p.asm.VADDSD, p.asm.VSUBSD
	}
	half := p.size() / 2
	second, imaginary := operand.Mem{Base: back}, operand.Mem{Base: toFront, Disp: half}
	if unpacks {
		second = operand.Mem{Base: front, Disp: half}
	}
	a, b, sum, difference := p.asm.XMM(), p.asm.XMM(), p.asm.XMM(), p.asm.XMM()
	move(operand.Mem{Base: front}, a)
	move(second, b)
	add(b, a, sum)
	subtract(b, a, difference)
	move(sum, operand.Mem{Base: toFront})
	if !unpacks {
		move(difference, imaginary)
		return
	}
	move(difference, operand.Mem{Base: toBack})
	zero := p.asm.XMM()
	p.asm.VPXOR(zero, zero, zero)
	move(zero, imaginary)
	move(zero, operand.Mem{Base: toBack, Disp: half})
}

// reversal is what reversed needs.
func (p *fourierPass) reversal() vector {
	if !p.asm.wide || p.asm.double {
		return nil
	}
	return p.asm.loaded(p.asm.table("backward", 7, 6, 5, 4, 3, 2, 1, 0))
}

// reversed has the numbers of x in the other order.
func (p *fourierPass) reversed(x, order vector) vector {
	switch {
	case p.asm.wide && p.asm.double:
		return p.asm.apply(p.asm.VSHUFF64X2, nil, operand.U8(0x1B), x, x)
	case p.asm.wide:
		result := p.asm.vector()
		p.asm.VPERMPD(x, order, result)
		return result
	case p.asm.double:
		return p.asm.apply(p.asm.VPERMPD, nil, operand.U8(0x4E), x)
	}
	return p.asm.apply(p.asm.VPERMPD, nil, operand.U8(0x1B), x)
}
