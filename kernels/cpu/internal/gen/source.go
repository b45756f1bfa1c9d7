package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sourceBytes is the length in memory of what fromSource makes a vector of.
func (a *assembler) sourceBytes() int {
	if a.source == "" {
		return a.bytes()
	}
	return a.bytes() / 2
}

// fromSource loads half a vector of a.source as a vector.
func (a *assembler) fromSource(memory operand.Mem) vector {
	x := a.vector()
	switch a.source {
	case "float16":
		a.VCVTPH2PS(memory, x)
	case "bfloat16":
		a.VPMOVZXWD(memory, x)
		return a.shiftLeft(x, 16)
	default:
		a.VCVTPS2PD(memory, x)
	}
	return x
}

// widenInto is fromSource for the elements that mask has, into x, which keeps the others.
func (a *assembler) widenInto(x vector, memory operand.Mem, mask reg.Register) {
	switch a.source {
	case "float16":
		a.VCVTPH2PS(memory, mask, x)
	case "bfloat16":
		a.VPMOVZXWD(memory, mask, x)
		a.VPSLLD(operand.U8(16), x, mask, x)
	default:
		a.VCVTPS2PD(memory, mask, x)
	}
}

// element is loadMemory from what elements are loaded from.
func (a *assembler) element(x operand.Mem) vector {
	if a.source == "" {
		return a.loadMemory(x)
	}
	return a.fromSource(x)
}
