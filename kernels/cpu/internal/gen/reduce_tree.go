package main

import (
	"fmt"
	"math/bits"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// hasTrees tells for which elements whose order does not matter there is the reduction of trees, too: for many rows it
// is faster than parts.
func (t total) hasTrees(element string) bool {
	return element == "int64" || element == "int32"
}

// writeTrees writes the reduction of leaves, the last of which may be shorter, to one element, for some trees of them.
// As many neighbouring leaves as a vector has lanes of 16 bytes make a unit, whose leaves are brought to a lane each;
// the elements in the lanes of units are brought to one each, the results of as many leaves as a vector has elements
// are those of leaves again, and so on. Missing vectors are neutral. The whole units of all trees are read in turns,
// since several stretches of memory come faster than one, and the next stretch while the results of one are joined.
func (t total) writeTrees(a *assembler, name, element string) {
	p := transposition{assembler: a, size: a.elementBytes()}
	unit, units, vectors := p.lanes(), p.block(), t.vectorsOfRow(a)
	group := unit * units
	elements, area := unit*reductionLeaf, group*units*a.bytes()
	width := unit * t.vectorsOfRow(a) * reductionLeaf / reductionLanes * a.sourceBytes() // of a unit of x in bytes
	parameters := "dst, x, scratch *" + element
	if a.source != "" {
		parameters = a.operandsOf(element) + ", scratch *" + element
	}
	a.begin(name, parameters+", stride, trees, count int",
		fmt.Sprintf("reduces trees of count elements, at least one and at most %d leaves of %d, that begin stride bytes apart, to an element each.", group*group, reductionLeaf),
		fmt.Sprintf("scratch is memory for %d bytes, and %d for each tree.", (unit+1+vectors)*a.bytes(), area))
	dst, x, scratch := a.Load(a.Param("dst"), a.GP64()), a.Load(a.Param("x"), a.GP64()), a.Load(a.Param("scratch"), a.GP64())
	stride, trees := a.Load(a.Param("stride"), a.GP64()), a.Load(a.Param("trees"), a.GP64())
	count, some := a.Load(a.Param("count"), a.GP64()), a.GP64()
	a.MOVQ(count, some)
	a.ANDQ(operand.I32(reductionLanes-1), some)

	place := func(i int) operand.Mem { return operand.Mem{Base: scratch, Disp: i * a.bytes()} } // those of the leaves of a unit, then those of units
	nothing, end := place(unit), func(j int) operand.Mem { return place(unit + 1 + j) }
	neutral := a.spread(a.bits(t.neutral(element)))
	a.of(a.VMOVUPS, a.VMOVUPD)(neutral, nothing)
	padded := t.padding(a, some, neutral, end)
	put := func(v reg.Register, at reg.Register) {
		a.of(a.VMOVUPS, a.VMOVUPD)(v, operand.Mem{Base: at})
		a.ADDQ(operand.I32(a.bytes()), at)
	}

	first, to, from, behind, left := a.GP64(), a.GP64(), a.GP64(), a.GP64(), a.GP64()
	a.LEAQ(place(unit+1+vectors), first)
	a.MOVQ(first, to)
	a.SUBQ(operand.I32(elements), count)
	a.JL(operand.LabelRef("ends"))
	if a.bytes() == 64 && t.operator == "sum" && a.source == "" { // It is long, and others are rare.
		t.writeUnitsOfFour(a, x, to, stride, trees, count, area)
	}
	a.Label("turn")
	a.MOVQ(x, from)
	a.MOVQ(to, behind)
	a.MOVQ(trees, left)
	a.Label("unit")
	leaves := make([]reg.Register, unit)
	for i := range leaves {
		leaves[reversed(i, unit)] = t.lanesOfLeaf(a, fmt.Sprint("unit", i), from)[0]
	}
	a.of(a.VMOVUPS, a.VMOVUPD)(t.joinAcross(a, leaves), operand.Mem{Base: behind})
	a.LEAQ(operand.Mem{Base: from, Index: stride, Scale: 1, Disp: -width}, from)
	a.ADDQ(operand.I32(area), behind)
	a.DECQ(left)
	a.JNZ(operand.LabelRef("unit"))
	a.ADDQ(operand.I32(width), x)
	a.ADDQ(operand.I32(a.bytes()), to)
	a.SUBQ(operand.I32(elements), count)
	a.JGE(operand.LabelRef("turn"))
	a.Label("ends")
	a.ADDQ(operand.I32(elements), count)

	a.Label("tree")
	a.MOVQ(to, behind)
	a.MOVQ(count, left)
	a.TESTQ(left, left)
	a.JZ(operand.LabelRef("within"))
	row := a.GP64()
	a.MOVQ(x, from)
	a.MOVQ(scratch, row)
	a.Label("leaf")
	a.CMPQ(left, operand.I32(reductionLeaf))
	a.JL(operand.LabelRef("shorter"))
	put(t.lanesOfLeaf(a, "leaf", from)[0], row)
	a.SUBQ(operand.I32(reductionLeaf), left)
	a.JMP(operand.LabelRef("leaf"))
	a.Label("shorter")
	a.TESTQ(left, left)
	a.JZ(operand.LabelRef("fill"))
	put(t.lanesOfShorter(a, from, left, some, nothing, end, padded)[0], row)
	a.Label("fill")
	a.LEAQ(nothing, left)
	a.Label("missing")
	a.CMPQ(row, left)
	a.JE(operand.LabelRef("last"))
	put(neutral, row)
	a.JMP(operand.LabelRef("missing"))
	a.Label("last")
	loaded := func(base reg.Register, count int) []reg.Register {
		rows := make([]reg.Register, count)
		for i := range rows {
			rows[i] = a.loadMemory(operand.Mem{Base: base, Disp: reversed(i, count) * a.bytes()})
		}
		return rows
	}
	put(t.joinAcross(a, loaded(scratch, unit)), behind)

	// each brings every count of the vectors from first on to one.
	each := func(label string, count int, join func(a *assembler, rows []reg.Register) reg.Register) {
		a.Label(label)
		a.MOVQ(behind, from)
		a.SUBQ(first, from)
		a.TESTQ(operand.I32(count*a.bytes()-1), from)
		a.JZ(operand.LabelRef(label + "Whole"))
		put(neutral, behind)
		a.JMP(operand.LabelRef(label))
		a.Label(label + "Whole")
		a.MOVQ(first, from)
		a.MOVQ(first, row)
		a.Label(label + "Next")
		put(join(a, loaded(from, count)), row)
		a.ADDQ(operand.I32(count*a.bytes()), from)
		a.CMPQ(from, behind)
		a.JNE(operand.LabelRef(label + "Next"))
		a.MOVQ(row, behind)
	}
	each("within", units, t.joinWithin)
	a.LEAQ(operand.Mem{Base: first, Disp: a.bytes()}, left)
	a.CMPQ(behind, left)
	a.JE(operand.LabelRef("lanes"))
	each("across", unit, t.joinAcross)
	a.JMP(operand.LabelRef("within"))
	a.Label("lanes")
	a.putElement(short(t.lane(a, []reg.Register{a.loadMemory(operand.Mem{Base: first})})[0]), operand.Mem{Base: dst})
	a.ADDQ(operand.I32(a.elementBytes()), dst)
	a.ADDQ(stride, x)
	a.ADDQ(operand.I32(area), first)
	a.ADDQ(operand.I32(area), to)
	a.DECQ(trees)
	a.JNZ(operand.LabelRef("tree"))
	a.VZEROUPPER()
	a.RET()
}

// writeUnitsOfFour writes the loop over whole units of four trees. It goes over all four vector by vector: each has a
// sum of its own, and the second cache, too, gives several stretches faster than one.
func (t total) writeUnitsOfFour(a *assembler, x, to, stride, trees, count reg.Register, area int) {
	const four = 4
	p := transposition{assembler: a, size: a.elementBytes()}
	unit, vectors := p.lanes(), t.vectorsOfRow(a)
	row := vectors * a.sourceBytes()
	three := a.GP64()
	a.CMPQ(trees, operand.I32(four))
	a.JNE(operand.LabelRef("turn"))
	a.LEAQ(operand.Mem{Base: stride, Index: stride, Scale: 2}, three)
	places := [four]operand.Mem{{Base: x}, {Base: x, Index: stride, Scale: 1}, {Base: x, Index: stride, Scale: 2}, {Base: x, Index: three, Scale: 1}}
	a.Label("four")
	var leaves [four][]reg.Register
	for tree := range leaves {
		leaves[tree] = make([]reg.Register, unit)
	}
	for i := range unit {
		var states [four][][]reg.Register
		for k := range reductionLeaf / reductionLanes {
			for tree, place := range places {
				for j := range vectors {
					place.Disp = (i*reductionLeaf/reductionLanes+k)*row + j*a.sourceBytes()
					if k == 0 {
						states[tree] = append(states[tree], t.begin(a, place))
					} else {
						t.step(a, states[tree][j], place)
					}
				}
			}
		}
		for tree := range leaves {
			leaves[tree][reversed(i, unit)] = t.halve(a, states[tree])[0]
		}
	}
	for tree := range leaves {
		a.of(a.VMOVUPS, a.VMOVUPD)(t.joinAcross(a, leaves[tree]), operand.Mem{Base: to, Disp: tree * area})
	}
	a.ADDQ(operand.I32(unit*reductionLeaf/reductionLanes*row), x)
	a.ADDQ(operand.I32(a.bytes()), to)
	a.SUBQ(operand.I32(unit*reductionLeaf), count)
	a.JGE(operand.LabelRef("four"))
	a.JMP(operand.LabelRef("ends"))
}

// reversed is i, below count, with its bits in reverse.
func reversed(i, count int) int {
	return int(bits.Reverse(uint(i)) >> (bits.UintSize - bits.Len(uint(count-1))))
}

// lanesOfShorter writes the reduction of a leaf of count elements at x to the lanes of a vector; some of them are no whole row.
func (t total) lanesOfShorter(a *assembler, x, count, some reg.Register, nothing operand.Mem, end func(j int) operand.Mem, padded func(at reg.Register)) []reg.Register {
	states := make([][]reg.Register, t.vectorsOfRow(a))
	source := a.source
	a.source = ""
	for j := range states {
		states[j] = t.begin(a, nothing)
	}
	a.source = source
	a.SUBQ(some, count)
	a.JZ(operand.LabelRef("some"))
	a.Label("whole")
	for j, state := range states {
		t.step(a, state, operand.Mem{Base: x, Disp: j * a.sourceBytes()})
	}
	a.ADDQ(operand.I32(len(states)*a.sourceBytes()), x)
	a.SUBQ(operand.I32(reductionLanes), count)
	a.JNZ(operand.LabelRef("whole"))
	a.Label("some")
	a.TESTQ(some, some)
	a.JZ(operand.LabelRef("halves"))
	padded(x)
	a.source = ""
	for j, state := range states {
		t.step(a, state, end(j))
	}
	a.source = source
	a.Label("halves")
	return t.halve(a, states)
}
