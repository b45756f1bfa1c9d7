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

// trees is the reduction of some trees of leaves.
type trees struct {
	total
	a           *assembler
	unit, units int // how many vectors are brought to one: leaves, across their lanes, and units, within lanes
	area        int // bytes of scratch for the units of a tree

	// Registers.
	neutral       vector       // what missing vectors are
	x, stride     reg.Register // the leaves that are not reduced yet of the first tree that is left, and how far the next tree is
	count, some   reg.Register // elements that are left of each tree, and those of them that are no whole row
	left          reg.Register // trees
	scratch       reg.Register // leaves of the last unit of a tree, a vector that is neutral, and others for padding; then the units
	first, to     reg.Register // in scratch: the units of a tree, and behind those that are there
	from, behind  reg.Register
	rest, written reg.Register
}

// place returns the vector of scratch with the given number.
func (w *trees) place(i int) operand.Mem { return operand.Mem{Base: w.scratch, Disp: i * w.a.bytes()} }

// put writes a vector, and moves at behind it.
func (w *trees) put(v, at reg.Register) {
	w.a.of(w.a.VMOVUPS, w.a.VMOVUPD)(v, operand.Mem{Base: at})
	w.a.ADDQ(operand.I32(w.a.bytes()), at)
}

// rows loads count vectors in the order that joinAcross and joinWithin want.
func (w *trees) rows(base reg.Register, count int) []reg.Register {
	rows := make([]reg.Register, count)
	for i := range rows {
		rows[i] = w.a.loadMemory(operand.Mem{Base: base, Disp: reversed(i, count) * w.a.bytes()})
	}
	return rows
}

// writeTrees writes the reduction of leaves, the last of which may be shorter, to one element, for some trees of them.
// As many neighbouring leaves as a vector has lanes of 16 bytes make a unit, whose leaves are brought to a lane each;
// the elements in the lanes of units are brought to one each, the results of as many leaves as a vector has elements
// are those of leaves again, and so on. Missing vectors are neutral. The whole units of all trees are read in turns,
// since several stretches of memory come faster than one, and the next stretch while the results of one are joined.
func (t total) writeTrees(a *assembler, name, element string) {
	p := transposition{asm: a, size: a.elementBytes()}
	w := &trees{total: t, a: a, unit: p.lanes(), units: p.block()}
	vectors, group := t.vectorsOfRow(a), w.unit*w.units
	w.area = group * w.units * a.bytes()
	parameters := "dst, x, scratch *" + element
	if a.source != "" {
		parameters = a.operandsOf(element) + ", scratch *" + element
	}
	a.begin(name, parameters+", stride, trees, count int",
		fmt.Sprintf("reduces trees of count elements, at least one and at most %d leaves of %d, that begin stride bytes apart, to an element each.", group*group, reductionLeaf),
		fmt.Sprintf("scratch is memory for %d bytes, and %d for each tree.", (w.unit+1+vectors)*a.bytes(), w.area))
	dst := a.Load(a.Param("dst"), a.GP64())
	w.x, w.scratch = a.Load(a.Param("x"), a.GP64()), a.Load(a.Param("scratch"), a.GP64())
	w.stride, w.left = a.Load(a.Param("stride"), a.GP64()), a.Load(a.Param("trees"), a.GP64())
	w.count, w.some = a.Load(a.Param("count"), a.GP64()), a.GP64()
	a.MOVQ(w.count, w.some)
	a.ANDQ(operand.I32(reductionLanes-1), w.some)
	end := func(j int) operand.Mem { return w.place(w.unit + 1 + j) }
	w.neutral = a.spread(a.bits(t.neutral(element)))
	a.of(a.VMOVUPS, a.VMOVUPD)(w.neutral, w.place(w.unit))
	padded := t.padding(a, w.some, w.neutral, end)

	w.first, w.to, w.from, w.behind, w.rest = a.GP64(), a.GP64(), a.GP64(), a.GP64(), a.GP64()
	a.LEAQ(w.place(w.unit+1+vectors), w.first)
	a.MOVQ(w.first, w.to)
	w.writeWholeUnits()

	a.Label("tree")
	w.writeLastUnit(end, padded)
	w.writeJoins()
	a.putElement(short(t.lane(a, []reg.Register{a.loadMemory(operand.Mem{Base: w.first})})[0]), operand.Mem{Base: dst})
	a.ADDQ(operand.I32(a.elementBytes()), dst)
	a.ADDQ(w.stride, w.x)
	a.ADDQ(operand.I32(w.area), w.first)
	a.ADDQ(operand.I32(w.area), w.to)
	a.DECQ(w.left)
	a.JNZ(operand.LabelRef("tree"))
	a.VZEROUPPER()
	a.RET()
}

// writeWholeUnits reduces the whole units of all trees to a vector each.
func (w *trees) writeWholeUnits() {
	a, elements := w.a, w.unit*reductionLeaf
	width := w.unit * w.vectorsOfRow(a) * reductionLeaf / reductionLanes * a.sourceBytes() // of a unit of x in bytes
	a.SUBQ(operand.I32(elements), w.count)
	a.JL(operand.LabelRef("ends"))
	if a.bytes() == 64 && w.operator == "sum" && a.source == "" { // It is long, and others are rare.
		w.writeUnitsOfFour(a, w.x, w.to, w.stride, w.left, w.count, w.area)
	}
	a.Label("turn")
	a.MOVQ(w.x, w.from)
	a.MOVQ(w.to, w.behind)
	a.MOVQ(w.left, w.rest)
	a.Label("unit")
	leaves := make([]reg.Register, w.unit)
	for i := range leaves {
		leaves[reversed(i, w.unit)] = w.lanesOfLeaf(a, fmt.Sprint("unit", i), w.from)[0]
	}
	a.of(a.VMOVUPS, a.VMOVUPD)(w.joinAcross(a, leaves), operand.Mem{Base: w.behind})
	a.LEAQ(operand.Mem{Base: w.from, Index: w.stride, Scale: 1, Disp: -width}, w.from)
	a.ADDQ(operand.I32(w.area), w.behind)
	a.DECQ(w.rest)
	a.JNZ(operand.LabelRef("unit"))
	a.ADDQ(operand.I32(width), w.x)
	a.ADDQ(operand.I32(a.bytes()), w.to)
	a.SUBQ(operand.I32(elements), w.count)
	a.JGE(operand.LabelRef("turn"))
	a.Label("ends")
	a.ADDQ(operand.I32(elements), w.count)
}

// writeLastUnit reduces the elements of a tree that are no whole unit, if there are any, to one vector more. It goes on at the label within.
func (w *trees) writeLastUnit(end func(j int) operand.Mem, padded func(at reg.Register)) {
	a := w.a
	a.MOVQ(w.to, w.behind)
	a.MOVQ(w.count, w.rest)
	a.TESTQ(w.rest, w.rest)
	a.JZ(operand.LabelRef("within"))
	w.written = a.GP64()
	a.MOVQ(w.x, w.from)
	a.MOVQ(w.scratch, w.written)
	a.Label("leaf")
	a.CMPQ(w.rest, operand.I32(reductionLeaf))
	a.JL(operand.LabelRef("shorter"))
	w.put(w.lanesOfLeaf(a, "leaf", w.from)[0], w.written)
	a.SUBQ(operand.I32(reductionLeaf), w.rest)
	a.JMP(operand.LabelRef("leaf"))
	a.Label("shorter")
	a.TESTQ(w.rest, w.rest)
	a.JZ(operand.LabelRef("fill"))
	w.put(w.lanesOfShorter(a, w.from, w.rest, w.some, w.place(w.unit), end, padded)[0], w.written)
	a.Label("fill")
	a.LEAQ(w.place(w.unit), w.rest)
	a.Label("missing")
	a.CMPQ(w.written, w.rest)
	a.JE(operand.LabelRef("last"))
	w.put(w.neutral, w.written)
	a.JMP(operand.LabelRef("missing"))
	a.Label("last")
	w.put(w.joinAcross(a, w.rows(w.scratch, w.unit)), w.behind)
}

// writeJoins brings the vectors of a tree to one.
func (w *trees) writeJoins() {
	a := w.a
	w.joinEach("within", w.units, w.joinWithin)
	a.LEAQ(operand.Mem{Base: w.first, Disp: a.bytes()}, w.rest)
	a.CMPQ(w.behind, w.rest)
	a.JE(operand.LabelRef("lanes"))
	w.joinEach("across", w.unit, w.joinAcross)
	a.JMP(operand.LabelRef("within"))
	a.Label("lanes")
}

// joinEach brings every count of the vectors from first on to one.
func (w *trees) joinEach(label string, count int, join func(a *assembler, rows []reg.Register) reg.Register) {
	a := w.a
	a.Label(label)
	a.MOVQ(w.behind, w.from)
	a.SUBQ(w.first, w.from)
	a.TESTQ(operand.I32(count*a.bytes()-1), w.from)
	a.JZ(operand.LabelRef(label + "Whole"))
	w.put(w.neutral, w.behind)
	a.JMP(operand.LabelRef(label))
	a.Label(label + "Whole")
	a.MOVQ(w.first, w.from)
	a.MOVQ(w.first, w.written)
	a.Label(label + "Next")
	w.put(join(a, w.rows(w.from, count)), w.written)
	a.ADDQ(operand.I32(count*a.bytes()), w.from)
	a.CMPQ(w.from, w.behind)
	a.JNE(operand.LabelRef(label + "Next"))
	a.MOVQ(w.written, w.behind)
}

// writeUnitsOfFour writes the loop over whole units of four trees. It goes over all four vector by vector: each has a
// sum of its own, and the second cache, too, gives several stretches faster than one.
func (t total) writeUnitsOfFour(a *assembler, x, to, stride, trees, count reg.Register, area int) {
	const four = 4
	p := transposition{asm: a, size: a.elementBytes()}
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
