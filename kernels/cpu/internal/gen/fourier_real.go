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
	mask := p.vector()
	p.VPBROADCASTQ(p.place("conjugate"), mask)
	p.realSigns, p.imaginarySigns = p.signs("realSigns", 1, 0), p.signs("imaginarySigns", 0, 1)
	return halfStep{p, unpacks, p.and(mask, p.imaginarySigns), p.reversal(), p.spread(p.number(0.5))}
}

// write makes the step of the numbers at front and of those at back.
func (s halfStep) write(toFront, toBack, front, back, roots reg.Register) {
	a, b := s.load(front, 0), s.xor(s.reversed(s.load(back, 0), s.order), s.imaginarySigns)
	if !s.unpacks {
		a, b = s.xor(a, s.flips), s.xor(b, s.flips)
	}
	even, difference := s.add(a, b), s.subtract(a, b)
	w := s.several(operand.Mem{Base: roots})
	var first, last vector
	if s.unpacks {
		even = s.multiply(even, s.half)
		odd := s.times(s.multiply(s.turned(difference), s.half), w)
		first, last = s.xor(s.add(even, odd), s.flips), s.xor(s.subtract(even, odd), s.flips)
	} else {
		odd := s.turned(s.times(difference, w))
		first, last = s.subtract(even, odd), s.add(even, odd)
	}
	s.store(first, toFront, 0)
	s.store(s.reversed(s.xor(last, s.imaginarySigns), s.order), toBack, 0)
}

// halves writes the step in place, for some numbers.
func (p *fourierPass) halves(name string, unpacks bool) string {
	name = fmt.Sprint(name, floatBits(p.double))
	p.begin(name, fmt.Sprintf("front, back, roots *float%d, count, conjugate int", floatBits(p.double)),
		fmt.Sprintf("is that of package fourier for count numbers from front on, a positive multiple of %d, and those that end with the vector at back;", p.bytes()/p.size()),
		"numbers are conjugate if conjugate is not 0, but −1.")
	front, back, roots, count := p.parameter("front"), p.parameter("back"), p.parameter("roots"), p.parameter("count")
	step := p.halfStep(unpacks)
	p.Label("numbers")
	step.write(front, back, front, back, roots)
	p.ADDQ(operand.I32(p.bytes()), front)
	p.ADDQ(operand.I32(p.bytes()), roots)
	p.SUBQ(operand.I32(p.bytes()), back)
	p.SUBQ(operand.I32(p.bytes()/p.size()), count)
	p.JNZ(operand.LabelRef("numbers"))
	p.VZEROUPPER()
	p.RET()
	return name + p.suffix()
}

// wholeLines writes the step for all numbers of lines.
func (p *fourierPass) wholeLines(name string, unpacks bool) string {
	name = fmt.Sprint(name, floatBits(p.double))
	lanes := p.bytes() / p.size()
	p.begin(name, fmt.Sprintf("y, x, roots *float%d, length, conjugate, lines, yNext, xNext int", floatBits(p.double)),
		fmt.Sprintf("is that of package fourier for lines of length complex numbers, at least %d, which are yNext and xNext bytes apart; numbers are conjugate", 2*lanes),
		"if conjugate is not 0, but −1, and roots begin with that of number 1. The last of them are written twice if they do not fill a vector.")
	length := p.parameter("length")
	end := p.GP64() // where number length is
	p.IMUL3Q(operand.I32(p.size()), length, end)
	p.SHRQ(operand.U8(1), length)
	step := p.halfStep(unpacks)

	p.Label("lines")
	toFront, front, roots, count := p.parameter("y"), p.parameter("x"), p.parameter("roots"), p.GP64()
	toBack, back := p.GP64(), p.GP64()
	p.LEAQ(operand.Mem{Base: toFront, Index: end, Scale: 1}, toBack)
	p.LEAQ(operand.Mem{Base: front, Index: end, Scale: 1}, back)
	p.ends(toFront, toBack, front, back, unpacks)
	for _, address := range []reg.Register{toFront, front} {
		p.ADDQ(operand.I32(p.size()), address)
	}
	for _, address := range []reg.Register{toBack, back} {
		p.SUBQ(operand.I32(p.bytes()), address)
	}
	p.MOVQ(length, count)
	p.Label("numbers")
	step.write(toFront, toBack, front, back, roots)
	p.SUBQ(operand.I32(lanes), count)
	p.JZ(operand.LabelRef("done"))
	by := p.GP64()
	p.MOVQ(operand.I32(lanes), by)
	p.CMPQ(count, by)
	p.CMOVQLT(count, by) // The last vector ends with the last number.
	p.IMUL3Q(operand.I32(p.size()), by, by)
	for _, address := range []reg.Register{toFront, front, roots} {
		p.ADDQ(by, address)
	}
	for _, address := range []reg.Register{toBack, back} {
		p.SUBQ(by, address)
	}
	p.CMPQ(count, operand.I32(lanes))
	p.JGE(operand.LabelRef("numbers"))
	p.MOVQ(operand.I32(lanes), count)
	p.JMP(operand.LabelRef("numbers"))
	p.Label("done")
	p.ADDQ(p.parameter("yNext"), p.place("y"))
	p.ADDQ(p.parameter("xNext"), p.place("x"))
	p.DECQ(p.place("lines"))
	p.JNZ(operand.LabelRef("lines"))
	p.VZEROUPPER()
	p.RET()
	return name + p.suffix()
}

// ends makes the step of the first number and of the one that is as far behind the others.
func (p *fourierPass) ends(toFront, toBack, front, back reg.Register, unpacks bool) {
	move, add, subtract := p.VMOVSS, p.VADDSS, p.VSUBSS
	if p.double {
		move, add, subtract = p.VMOVSD, p.VADDSD, p.VSUBSD
	}
	half := p.size() / 2
	second, imaginary := operand.Mem{Base: back}, operand.Mem{Base: toFront, Disp: half}
	if unpacks {
		second = operand.Mem{Base: front, Disp: half}
	}
	a, b, sum, difference := p.XMM(), p.XMM(), p.XMM(), p.XMM()
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
	zero := p.XMM()
	p.VPXOR(zero, zero, zero)
	move(zero, imaginary)
	move(zero, operand.Mem{Base: toBack, Disp: half})
}

// reversal is what reversed needs.
func (p *fourierPass) reversal() vector {
	if !p.wide || p.double {
		return nil
	}
	return p.loaded(p.table("backward", 7, 6, 5, 4, 3, 2, 1, 0))
}

// reversed has the numbers of x in the other order.
func (p *fourierPass) reversed(x, order vector) vector {
	switch {
	case p.wide && p.double:
		return p.apply(p.VSHUFF64X2, nil, operand.U8(0x1B), x, x)
	case p.wide:
		result := p.vector()
		p.VPERMPD(x, order, result)
		return result
	case p.double:
		return p.apply(p.VPERMPD, nil, operand.U8(0x4E), x)
	}
	return p.apply(p.VPERMPD, nil, operand.U8(0x1B), x)
}
