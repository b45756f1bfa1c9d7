package main

import (
	"fmt"
	"math/bits"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// writeTree writes the reduction of leaves, the last of which may be shorter, to one element. As many as a vector has elements are brought to
// one vector each, and all of these to one, as short rows are, but with the leaves that are neighbours in its two halves: so the same
// steps join as many such vectors, and the lanes of the last one. Missing leaves are neutral.
func (t total) writeTree(a *assembler, name, element string) {
	group := a.bytes() / a.elementBytes()
	vectors := t.vectorsOfRow(a)
	a.begin(name, "dst, x, scratch *"+element+", count int",
		fmt.Sprintf("reduces count elements, at least one and at most %d leaves of %d, to one.", group*group, reductionLeaf),
		fmt.Sprintf("scratch is memory for %d bytes.", (2*group+1+vectors)*a.bytes()))
	dst, x, scratch := a.Load(a.Param("dst"), a.GP64()), a.Load(a.Param("x"), a.GP64()), a.Load(a.Param("scratch"), a.GP64())
	count, some := a.Load(a.Param("count"), a.GP64()), a.GP64()
	a.MOVQ(count, some)
	a.ANDQ(operand.I32(reductionLanes-1), some)

	place := func(i int) operand.Mem { return operand.Mem{Base: scratch, Disp: i * a.bytes()} } // those of leaves, then those of groups of them
	nothing, end := place(2*group), func(j int) operand.Mem { return place(2*group + 1 + j) }
	neutral := a.spread(a.bits(t.neutral(element)))
	a.of(a.VMOVUPS, a.VMOVUPD)(neutral, nothing)
	padded := t.padding(a, some, neutral, end)

	from, to, first, behind := a.GP64(), a.GP64(), a.GP64(), a.GP64()
	row, left := a.GP64(), a.GP64()
	a.LEAQ(place(group), first)
	a.LEAQ(place(2*group), behind)
	a.MOVQ(first, to)
	a.MOVQ(scratch, from)
	put := func(v reg.Register, at reg.Register) {
		a.of(a.VMOVUPS, a.VMOVUPD)(v, operand.Mem{Base: at})
		a.ADDQ(operand.I32(a.bytes()), at)
	}
	a.Label("group")
	a.MOVQ(scratch, row)
	a.MOVQ(operand.I32(group), left)
	a.Label("leaf")
	a.CMPQ(count, operand.I32(reductionLeaf))
	a.JL(operand.LabelRef("shorter"))
	put(t.lanesOfLeaf(a, "leaf", x)[0], row)
	a.SUBQ(operand.I32(reductionLeaf), count)
	a.DECQ(left)
	a.JNZ(operand.LabelRef("leaf"))
	a.JMP(operand.LabelRef("join"))
	a.Label("shorter")
	a.TESTQ(count, count)
	a.JZ(operand.LabelRef("missing"))
	put(t.lanesOfShorter(a, x, count, some, nothing, end, padded)[0], row)
	a.XORQ(count, count)
	a.DECQ(left)
	a.JZ(operand.LabelRef("join"))
	a.Label("missing")
	put(neutral, row)
	a.DECQ(left)
	a.JNZ(operand.LabelRef("missing"))

	a.Label("join")
	joined := a.vector()
	a.of(a.VMOVAPS, a.VMOVAPD)(t.joinRows(a, func(i int) operand.Mem {
		neighbours := bits.Reverse(uint(i)) >> (bits.UintSize - bits.Len(uint(group-1)))
		return operand.Mem{Base: from, Disp: int(neighbours) * a.bytes()}
	}), joined)
	a.CMPQ(from, first)
	a.JE(operand.LabelRef("lanes"))
	put(joined, to)
	a.TESTQ(count, count)
	a.JNZ(operand.LabelRef("group"))
	a.MOVQ(first, from)
	a.LEAQ(operand.Mem{Base: first, Disp: a.bytes()}, row)
	a.CMPQ(to, row)
	a.JE(operand.LabelRef("lanes"))
	a.Label("fill")
	a.CMPQ(to, behind)
	a.JE(operand.LabelRef("join"))
	put(neutral, to)
	a.JMP(operand.LabelRef("fill"))
	a.Label("lanes")
	a.putElement(short(t.lane(a, []reg.Register{joined})[0]), operand.Mem{Base: dst})
	a.VZEROUPPER()
	a.RET()
}

// lanesOfShorter writes the reduction of a leaf of count elements at x to the lanes of a vector; some of them are no whole row.
func (t total) lanesOfShorter(a *assembler, x, count, some reg.Register, nothing operand.Mem, end func(j int) operand.Mem, padded func(at reg.Register)) []reg.Register {
	states := make([][]reg.Register, t.vectorsOfRow(a))
	for j := range states {
		states[j] = t.begin(a, nothing)
	}
	a.SUBQ(some, count)
	a.JZ(operand.LabelRef("some"))
	a.Label("whole")
	for j, state := range states {
		t.step(a, state, operand.Mem{Base: x, Disp: j * a.bytes()})
	}
	a.ADDQ(operand.I32(reductionLanes*a.elementBytes()), x)
	a.SUBQ(operand.I32(reductionLanes), count)
	a.JNZ(operand.LabelRef("whole"))
	a.Label("some")
	a.TESTQ(some, some)
	a.JZ(operand.LabelRef("halves"))
	padded(x)
	for j, state := range states {
		t.step(a, state, end(j))
	}
	a.Label("halves")
	return t.halve(a, states)
}
