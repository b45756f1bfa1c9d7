package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
)

// writeMap writes a function that maps elements to keys or back.
func (a *assembler) writeMap(stem string, inner func(x, mask, shift, flip vector) vector) {
	doc := fmt.Sprintf("writes what order.%s gives for count elements of src to dst, which may be the same", stem)
	if a.wide {
		doc += "."
	} else {
		doc += ". Count is that of whole vectors."
	}
	a.begin(a.name(stem), fmt.Sprintf("dst, src *%s, count int, mask, shift, flip %s", a.key(), a.key()), doc)
	lanes := 1 << a.laneBits()
	dst, src := a.integer("dst"), a.integer("src")
	count := a.integer("count")
	mask, shift, flip := a.everywhere("mask"), a.everywhere("shift"), a.everywhere("flip")
	a.Label("vectors")
	a.CMPQ(count, operand.I32(lanes))
	a.JLT(operand.LabelRef("last"))
	a.store(inner(a.load(src, 0), mask, shift, flip), dst, 0)
	a.ADDQ(operand.I32(a.bytes()), src)
	a.ADDQ(operand.I32(a.bytes()), dst)
	a.SUBQ(operand.I32(lanes), count)
	a.JMP(operand.LabelRef("vectors"))
	a.Label("last")
	if a.wide {
		here, y := a.remaining(count, 0), a.ZMM()
		a.VPXORD(y, y, y)
		a.maskedLoad(operand.Mem{Base: src}, here, y)
		a.maskedStore(inner(y, mask, shift, flip), here, operand.Mem{Base: dst})
	}
	a.VZEROUPPER()
	a.RET()
}

func (a *assembler) encode(x, mask, shift, flip vector) vector {
	return a.xor(a.subtractIntegers(a.turned(x, mask), shift), flip)
}

func (a *assembler) decode(x, mask, shift, flip vector) vector {
	return a.turned(a.addIntegers(a.xor(x, flip), shift), mask)
}

// turned returns x with the bits of mask changed where x is negative.
func (a *assembler) turned(x, mask vector) vector {
	sign := a.vector()
	if a.double && !a.wide {
		a.VPXOR(sign, sign, sign)
		a.VPCMPGTQ(x, sign, sign)
	} else {
		a.of(a.VPSRAD, a.VPSRAQ)(operand.U8(a.keyBits()-1), x, sign)
	}
	return a.xor(x, a.and(sign, mask))
}

func (a *assembler) keyBits() int {
	if a.double {
		return 64
	}
	return 32
}
