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
	return a.bytes() / a.elementBytes() * sizeOf[a.source]
}

// fromSource loads elements of a.source as a vector.
func (a *assembler) fromSource(memory operand.Mem) vector {
	if a.source == "float32" {
		x := a.vector()
		a.VCVTPS2PD(memory, x)
		return x
	}
	single := a.vector()
	if a.double {
		single = a.half()
	}
	if a.source == "float16" {
		a.VCVTPH2PS(memory, single)
	} else {
		a.VPMOVZXWD(memory, single)
		a.VPSLLD(operand.U8(16), single, single)
	}
	return a.fromSingle(single)
}

// fromSingle returns elements of float32 as a vector.
func (a *assembler) fromSingle(x vector) vector {
	if !a.double {
		return x
	}
	result := a.vector()
	a.VCVTPS2PD(x, result)
	return result
}

// sourceInto is fromSource for the elements that mask has, into x, which keeps the others.
func (a *assembler) sourceInto(x vector, memory operand.Mem, mask reg.Register) {
	single := x
	if a.double && a.source != "float32" {
		single = a.half()
		a.VPXOR(single.AsX(), single.AsX(), single.AsX())
	}
	switch a.source {
	case "float32":
		a.VCVTPS2PD(memory, mask, x)
	case "float16":
		a.VCVTPH2PS(memory, mask, single)
	default:
		a.VPMOVZXWD(memory, mask, single)
		a.VPSLLD(operand.U8(16), single, mask, single)
	}
	if a.double && a.source != "float32" {
		a.VCVTPS2PD(single, mask, x)
	}
}

// sourceOf is fromSource for the elements of float32 that mask has, and zeros.
func (a *assembler) sourceOf(memory operand.Mem, mask reg.Register) vector {
	x := a.vector()
	if a.source == "float16" {
		a.VCVTPH2PS_Z(memory, mask, x)
		return x
	}
	a.VPMOVZXWD_Z(memory, mask, x)
	a.VPSLLD(operand.U8(16), x, x)
	return x
}

// element is loadMemory from what elements are loaded from.
func (a *assembler) element(x operand.Mem) vector {
	if a.source == "" {
		return a.loadMemory(x)
	}
	return a.fromSource(x)
}
