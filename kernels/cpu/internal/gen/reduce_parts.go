package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// vectorsOfPart is how many vectors of a part are reduced together.
const vectorsOfPart = 4

// longPart is from how many bytes on those vectors are from as many stretches of the part, since some processors do not fetch one of them
// ahead as fast as memory is to be had. Otherwise they are neighbours: shorter stretches would end too soon.
func (a *assembler) longPart() uint32 {
	if a.wide {
		return 128 << 10
	}
	return 32 << 10
}

// writeParts writes the reduction of parts whose elements may be joined in any order.
func (t total) writeParts(a *assembler, name, element string) {
	a.begin(name, "dst, x *"+element+", parts, leaves, ahead int",
		fmt.Sprintf("reduces parts of so many leaves of %d elements, at least one each, to an element each. What lies so many bytes ahead is fetched.", reductionLeaf))
	dst, x, parts, bytes := a.Load(a.Param("dst"), a.GP64()), a.Load(a.Param("x"), a.GP64()), a.Load(a.Param("parts"), a.GP64()), a.Load(a.Param("leaves"), a.GP64())
	ahead, rows := a.Load(a.Param("ahead"), a.GP64()), a.GP64()
	row := vectorsOfPart * a.bytes()
	a.IMUL3Q(operand.I32(reductionLeaf*a.elementBytes()/row), bytes, rows)
	a.IMUL3Q(operand.I32(reductionLeaf*a.elementBytes()), bytes, bytes)
	stretch, three, step := a.GP64(), a.GP64(), a.GP64()
	a.MOVQ(operand.I32(a.bytes()), stretch)
	a.MOVQ(operand.I32(row), step)
	a.CMPQ(bytes, operand.I32(a.longPart()))
	a.JL(operand.LabelRef("known"))
	a.MOVQ(stretch, step)
	a.MOVQ(bytes, stretch)
	a.SHRQ(operand.U8(2), stretch)
	a.Label("known")
	a.LEAQ(operand.Mem{Base: stretch, Index: stretch, Scale: 2}, three)
	places := [vectorsOfPart]operand.Mem{
		{Base: x}, {Base: x, Index: stretch, Scale: 1}, {Base: x, Index: stretch, Scale: 2}, {Base: x, Index: three, Scale: 1},
	}
	rest, next := a.GP64(), a.GP64()
	eachRow := func(t total, label string) []reg.Register {
		states := make([][]reg.Register, vectorsOfPart)
		for j, place := range places {
			states[j] = t.begin(a, place)
		}
		a.MOVQ(rows, rest)
		a.JMP(operand.LabelRef(label + "Next"))
		a.Label(label + "Row")
		for j, state := range states {
			t.step(a, state, places[j])
			if j*a.bytes()%64 == 0 {
				a.PREFETCHT0(operand.Mem{Base: x, Index: ahead, Scale: 1, Disp: j * a.bytes()})
			}
		}
		a.Label(label + "Next")
		a.ADDQ(step, x)
		a.DECQ(rest)
		a.JNZ(operand.LabelRef(label + "Row"))
		return t.halve(a, states)
	}
	a.Label("part")
	a.LEAQ(operand.Mem{Base: x, Index: bytes, Scale: 1}, next)
	if a.wide && t.quick != nil {
		state := eachRow(t.quick.total, "quick")
		t.quick.jumpIfDoubtful(a, state, "exact")
		a.putElement(short(t.quick.lane(a, state[:1])[0]), operand.Mem{Base: dst})
		a.JMP(operand.LabelRef("done"))
		a.Label("exact")
		a.MOVQ(next, x)
		a.SUBQ(bytes, x)
	}
	a.putElement(short(t.result(a, t.lane(a, eachRow(t, "exact")), false)), operand.Mem{Base: dst})
	a.Label("done")
	a.MOVQ(next, x)
	a.ADDQ(operand.I32(a.elementBytes()), dst)
	a.DECQ(parts)
	a.JNZ(operand.LabelRef("part"))
	a.VZEROUPPER()
	a.RET()
}
