package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rowSteps is how many rows of B the kernel of a single row takes at a time.
const rowSteps = 8

// multiples are an address and multiples of a step, of which it makes those that a processor does not add by itself.
type multiples struct{ base, step, step3, step5, step7 reg.Register }

func (a *assembler) multiplesOf(base, step reg.Register, most int) multiples {
	m := multiples{base: base, step: step}
	make := func(by operand.Op) reg.Register {
		made := a.GP64()
		a.LEAQ(by, made)
		return made
	}
	m.step3 = make(operand.Mem{Base: step, Index: step, Scale: 2})
	if most > 4 {
		m.step5 = make(operand.Mem{Base: step, Index: step, Scale: 4})
		m.step7 = make(operand.Mem{Base: m.step3, Index: step, Scale: 4})
	}
	return m
}

// at is number steps, at most seven, after the address, and so many bytes.
func (m multiples) at(number, offset int) operand.Mem {
	where := operand.Mem{Base: m.base, Disp: offset}
	switch number {
	case 1, 2, 4:
		where.Index, where.Scale = m.step, uint8(number)
	case 3, 6:
		where.Index, where.Scale = m.step3, uint8(number/3)
	case 5:
		where.Index, where.Scale = m.step5, 1
	case 7:
		where.Index, where.Scale = m.step7, 1
	}
	return where
}

// tileRow writes the kernel of one row of A by rows of B that are longer than a tile is wide: it reads several whole rows at a time, in the
// order of memory, and the sums, which are in the first cache, once for all of them. Of the fields of the tile, the rows count vectors.
func (a *assembler) tileRow() {
	a.begin(a.elementName()+"Row", "tile *byte", "adds the products of a row of A and rows of B to the sums at c, which are whole vectors.")
	t := &tileCode{assembler: a, vectors: 1}
	tile := a.Load(a.Param("tile"), a.GP64())
	t.memory = a.newMask(t.field(tile, tileMask))
	t.a, t.b, t.c = t.field(tile, tileA), t.field(tile, tileB), t.field(tile, tileC)
	t.aStep, t.bStep = t.field(tile, tileAStep), t.field(tile, tileBStep)
	t.count = t.field(tile, tileDepth)
	vectors, from, to, left := t.field(tile, tileRows), a.GP64(), a.GP64(), a.GP64()
	lines := a.multiplesOf(from, t.bStep, rowSteps)
	pass := func(name string, steps int) {
		factors := make([]vector, steps)
		for i := range factors {
			factors[i] = a.spread(operand.Mem{Base: t.a})
			a.ADDQ(t.aStep, t.a)
		}
		add := func(partly bool) {
			sum := a.load(to, 0)
			for i, factor := range factors {
				line := operand.Op(lines.at(i, 0))
				if partly {
					read := a.vector()
					t.memory.read(lines.at(i, 0), true, read)
					line = read
				}
				a.of(a.VFMADD231PS, a.VFMADD231PD)(line, factor, sum)
			}
			a.store(sum, to, 0)
		}
		a.MOVQ(t.b, from)
		a.MOVQ(t.c, to)
		a.MOVQ(vectors, left)
		a.JMP(operand.LabelRef(name + "Check"))
		a.Label(name + "Vector")
		add(false)
		a.ADDQ(operand.U8(a.bytes()), from)
		a.ADDQ(operand.U8(a.bytes()), to)
		a.Label(name + "Check")
		a.DECQ(left)
		a.JNZ(operand.LabelRef(name + "Vector"))
		add(true)
	}
	a.JMP(operand.LabelRef("check"))
	a.Label("several")
	pass("several", rowSteps)
	a.LEAQ(operand.Mem{Base: t.b, Index: t.bStep, Scale: rowSteps}, t.b)
	a.Label("check")
	a.SUBQ(operand.U8(rowSteps), t.count)
	a.JGE(operand.LabelRef("several"))
	a.ADDQ(operand.U8(rowSteps), t.count)
	a.JZ(operand.LabelRef("end"))
	a.Label("one")
	pass("one", 1)
	a.ADDQ(t.bStep, t.b)
	a.DECQ(t.count)
	a.JNZ(operand.LabelRef("one"))
	a.Label("end")
	a.VZEROUPPER()
	a.RET()
}

// lineAhead is how many bytes before its use the kernel of lines asks for memory: shuffles that wait leave no room for loads that would. It comes into
// the second cache, since 16 columns a power of two apart share a set of the first one, which has no room for what is needed later.
const lineAhead = 192

// tileLine writes the kernel of one row of A by columns of B whose elements are adjacent along k. Squares of them are transposed in
// registers, so that the sums are the chains that every tile has. There are two chains, since one waits for itself. Of the fields of the
// tile, the depth counts squares, bStep leads from column to column, and aRow, next and cRow lead to what the second chain has for a, b, c.
func (a *assembler) tileLine() {
	a.begin(a.elementName()+"Line", "tile *byte", "computes two vectors of sums of a row of A and columns of B.")
	t := &tileCode{assembler: a, vectors: 1}
	tile := a.Load(a.Param("tile"), a.GP64())
	t.count, t.aStep, t.bStep = t.field(tile, tileDepth), t.field(tile, tileAStep), t.field(tile, tileBStep)
	from, to := [2]reg.GPVirtual{t.field(tile, tileA), t.field(tile, tileARow)}, [2]reg.GPVirtual{t.field(tile, tileB), t.field(tile, tileNext)}
	a.ADDQ(from[0], from[1])
	a.ADDQ(to[0], to[1])
	factors := a.multiplesOf(nil, t.aStep, 4)
	columns := a.multiplesOf(nil, t.bStep, 8)
	var sums [2]vector
	for i := range sums {
		sums[i] = a.vector()
		a.VXORPS(sums[i].AsX(), sums[i].AsX(), sums[i].AsX())
	}
	upper := a.upperHalf()
	a.CMPQ(t.count, operand.U8(0))
	a.JEQ(operand.LabelRef("store"))
	a.Label("square")
	for chain, sum := range sums {
		factors.base, columns.base = from[chain], to[chain]
		for i, line := range a.readTurned(columns, upper) {
			if i == 8 {
				columns.base = a.GP64()
				a.LEAQ(operand.Mem{Base: to[chain], Index: t.bStep, Scale: 8}, columns.base)
			}
			a.PREFETCHT1(columns.at(i%8, lineAhead))
			factor := factors.at(i%4, 0)
			if a.wide {
				a.of(a.VFMADD231PS_BCST, a.VFMADD231PD_BCST)(factor, line, sum)
			} else {
				t.multiplyAdd(a.spread(factor), line, sum)
			}
			if i%4 == 3 {
				a.LEAQ(operand.Mem{Base: from[chain], Index: t.aStep, Scale: 4}, from[chain])
			}
		}
		a.ADDQ(operand.U8(a.bytes()), to[chain])
	}
	a.DECQ(t.count)
	a.JNZ(operand.LabelRef("square"))
	a.Label("store")
	tile = a.Load(a.Param("tile"), a.GP64()) // Again, for want of registers.
	c, cRow := t.field(tile, tileC), t.field(tile, tileCRow)
	a.store(sums[0], c, 0)
	a.ADDQ(cRow, c)
	a.store(sums[1], c, 0)
	a.VZEROUPPER()
	a.RET()
}
