package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	// vectorsOfPart is how many vectors of a part are reduced together.
	vectorsOfPart = 4
	// longPart is from how many bytes on memory is fetched ahead: in shorter parts, and between them, most of that would not be read.
	longPart = 32 << 10
)

// writeParts writes the reduction of parts whose elements may be joined in any order.
func (t total) writeParts(a *assembler, name, element string) {
	a.begin(name, "dst, x *"+element+", parts, leaves int",
		fmt.Sprintf("reduces parts of so many leaves of %d elements, at least one each, to an element each.", reductionLeaf))
	dst, x, parts, leaves := a.Load(a.Param("dst"), a.GP64()), a.Load(a.Param("x"), a.GP64()), a.Load(a.Param("parts"), a.GP64()), a.Load(a.Param("leaves"), a.GP64())
	row := vectorsOfPart * a.bytes()
	a.IMUL3Q(operand.I32(reductionLeaf*a.elementBytes()/row), leaves, leaves)
	at := func(j int) operand.Mem { return operand.Mem{Base: x, Disp: j * a.bytes()} }
	fetch := func(j int) {}
	if t.fetches > 0 {
		ahead := a.ahead(t.fetches, leaves, row)
		fetch = func(j int) {
			if j*a.bytes()%64 == 0 {
				a.PREFETCHT0(operand.Mem{Base: x, Index: ahead, Scale: 1, Disp: j * a.bytes()})
			}
		}
	}
	rest := a.GP64()
	a.Label("part")
	states := make([][]reg.Register, vectorsOfPart)
	for j := range states {
		states[j] = t.begin(a, at(j))
	}
	a.MOVQ(leaves, rest)
	a.JMP(operand.LabelRef("next"))
	a.Label("row")
	for j, state := range states {
		t.step(a, state, at(j))
		fetch(j)
	}
	a.Label("next")
	a.ADDQ(operand.I32(row), x)
	a.DECQ(rest)
	a.JNZ(operand.LabelRef("row"))
	a.putElement(short(t.result(a, t.lane(a, t.halve(a, states)), false)), operand.Mem{Base: dst})
	a.ADDQ(operand.I32(a.elementBytes()), dst)
	a.DECQ(parts)
	a.JNZ(operand.LabelRef("part"))
	a.VZEROUPPER()
	a.RET()
}

// ahead returns fetches, by how many bytes memory is fetched before its use, or 0 where so many rows of bytes are less than a long part.
func (a *assembler) ahead(fetches int, rows reg.Register, bytes int) reg.Register {
	ahead, far := a.GP64(), a.GP64()
	a.XORQ(ahead, ahead)
	a.MOVQ(operand.I32(fetches), far)
	a.CMPQ(rows, operand.I32(longPart/bytes))
	a.CMOVQGE(far, ahead)
	return ahead
}
