package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rowSteps and fewRowSteps are how many rows of B the kernel of a single row takes at a time.
const rowSteps, fewRowSteps = 8, 4

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

// The sums of a single row are dotChains chains for each element, of products that are rounded, in which a term comes into the chain of
// its number; they are joined by halves.

// ofSource is what the name of a kernel has that reads elements of B of the source.
func (a *assembler) ofSource() string {
	if a.source == "" {
		return ""
	}
	return "Of" + exported(a.source)
}

// tileRow writes the kernel of one row of A by long rows of B, all of one chain: it reads several whole rows at a time,
// in the order of memory, and the sums, which are in the first cache, once for all of them. Of the fields of the tile,
// the rows count vectors, and cRow is from how many rows of B on, at least rowSteps, they are taken rowSteps at a time,
// otherwise fewRowSteps.
func (a *assembler) tileRow() {
	a.begin(a.elementName()+"Row"+a.ofSource(), "tile *byte", "adds the products of a row of A and rows of B to the sums at c, which are whole vectors.")
	t := &tileCode{asm: a, vectors: 1}
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
				a.addTo(sum, t.memory.product(factor, lines.at(i, 0), partly))
			}
			a.store(sum, to, 0)
		}
		a.MOVQ(t.b, from)
		a.MOVQ(t.c, to)
		a.MOVQ(vectors, left)
		a.JMP(operand.LabelRef(name + "Check"))
		a.Label(name + "Vector")
		add(false)
		a.ADDQ(operand.U8(a.sourceBytes()), from)
		a.ADDQ(operand.U8(a.bytes()), to)
		a.Label(name + "Check")
		a.DECQ(left)
		a.JNZ(operand.LabelRef(name + "Vector"))
		add(true)
	}
	least := t.field(tile, tileCRow)
	a.JMP(operand.LabelRef("check"))
	several := func(name string, steps int) {
		a.Label(name)
		pass(name, steps)
		a.LEAQ(operand.Mem{Base: t.b, Index: t.bStep, Scale: uint8(steps)}, t.b)
		a.SUBQ(operand.U8(steps), t.count)
	}
	several("many", rowSteps)
	a.Label("check")
	a.CMPQ(t.count, least)
	a.JGE(operand.LabelRef("many"))
	a.CMPQ(t.count, operand.U8(fewRowSteps))
	a.JL(operand.LabelRef("rest"))
	several("few", fewRowSteps)
	a.JMP(operand.LabelRef("check"))
	a.Label("rest")
	a.TESTQ(t.count, t.count)
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

// product returns the products of a factor and a vector in memory, of which the lanes in use may be read alone.
func (m tileMemory) product(factor vector, from operand.Mem, partly bool) vector {
	product, line := m.asm.vector(), operand.Op(from)
	switch {
	case m.asm.source != "" && partly:
		line = m.asm.sourceOf(from, m.lanes)
	case m.asm.source != "":
		line = m.asm.fromSource(from)
	case partly:
		read := m.asm.vector()
		m.read(from, true, read)
		line = read
	}
	m.asm.of(m.asm.VMULPS, m.asm.VMULPD)(line, factor, product)
	return product
}

func (a *assembler) addTo(sum, x vector) { a.of(a.VADDPS, a.VADDPD)(x, sum, sum) }

// tileStrip writes the kernel of one row of A by short rows of B: it goes down strips of them, with the chains in registers. Of the fields
// of the tile, the rows count vectors.
func (a *assembler) tileStrip() {
	a.begin(a.elementName()+"Strip"+a.ofSource(), "tile *byte", "writes the products of a row of A and rows of B to c, by whole vectors.")
	t := &tileCode{asm: a}
	tile := a.Load(a.Param("tile"), a.GP64())
	t.memory = a.newMask(t.field(tile, tileMask))
	t.b, t.c = t.field(tile, tileB), t.field(tile, tileC)
	t.aStep, t.bStep, t.count = t.field(tile, tileAStep), t.field(tile, tileBStep), a.GP64()
	t.a = a.GP64()
	left, lines := t.field(tile, tileRows), a.multiplesOf(a.GP64(), t.bStep, dotChains)
	several := 1
	if a.wide {
		several = 2
	}
	chains := make([][]vector, dotChains)
	for i := range chains {
		for range several {
			chains[i] = append(chains[i], a.vector())
		}
	}
	strip := func(name string, vectors int, partly bool) {
		for i := range chains {
			for _, sum := range chains[i][:vectors] {
				a.VXORPS(sum.AsX(), sum.AsX(), sum.AsX())
			}
		}
		step := func(i int) {
			factor := a.spread(operand.Mem{Base: t.a})
			a.ADDQ(t.aStep, t.a)
			for v, sum := range chains[i][:vectors] {
				a.addTo(sum, t.memory.product(factor, lines.at(i, v*a.sourceBytes()), partly))
			}
		}
		a.MOVQ(operand.Mem{Base: tile, Disp: tileA}, t.a)
		a.MOVQ(operand.Mem{Base: tile, Disp: tileDepth}, t.count)
		a.MOVQ(t.b, lines.base)
		a.JMP(operand.LabelRef(name + "Check"))
		a.Label(name + "Steps")
		for i := range chains {
			step(i)
		}
		a.LEAQ(operand.Mem{Base: lines.base, Index: t.bStep, Scale: dotChains}, lines.base)
		a.Label(name + "Check")
		a.SUBQ(operand.U8(dotChains), t.count)
		a.JGE(operand.LabelRef(name + "Steps"))
		a.ADDQ(operand.U8(dotChains), t.count)
		for i := range chains[1:] {
			a.JZ(operand.LabelRef(name + "Join"))
			step(i)
			a.DECQ(t.count)
		}
		a.Label(name + "Join")
		for width := dotChains / 2; width > 0; width /= 2 {
			for i := range width {
				for v := range vectors {
					a.addTo(chains[i][v], chains[i+width][v])
				}
			}
		}
		for v, sum := range chains[0][:vectors] {
			a.store(sum, t.c, v*a.bytes())
		}
		a.ADDQ(operand.U8(vectors*a.sourceBytes()), t.b)
		a.ADDQ(operand.U8(vectors*a.bytes()), t.c)
		a.SUBQ(operand.U8(vectors), left)
	}
	a.Label("next")
	a.CMPQ(left, operand.U8(several))
	a.JLE(operand.LabelRef("last"))
	strip("several", several, false)
	a.JMP(operand.LabelRef("next"))
	a.Label("last")
	a.CMPQ(left, operand.U8(1))
	a.JEQ(operand.LabelRef("masked"))
	strip("one", 1, false)
	a.Label("masked")
	strip("masked", 1, true)
	a.VZEROUPPER()
	a.RET()
}

// lineBytes is the length of a cache line.
const lineBytes = 64

// tileLine writes the kernel of one row of A by columns of B, of both of which the elements are adjacent along k, as
// many columns together as fill a vector of sums. All chains of a column are in one or two vectors of 32 bytes: wider
// ones would be no quicker, for memory is slower. Of the fields of the tile, the rows count vectors of sums, bStep
// leads from column to column, and the mask is that of the terms after the last eight: bits with AVX-512, and otherwise
// how far from the middle of a table of ones and zeros it begins.
func (a *assembler) tileLine() {
	a.begin(a.elementName()+"Line"+a.ofSource(), "tile *byte", "writes the products of a row of A and columns of B to c, by whole vectors.")
	tile := a.Load(a.Param("tile"), a.GP64())
	bits := a.wide
	a = &assembler{Context: a.Context, file: a.file, double: a.double, source: a.source}
	t := &tileCode{asm: a}
	columns := a.bytes() / a.elementBytes()
	parts := dotChains / columns
	memories := a.termMasks(t.field(tile, tileMask), parts, bits)
	t.b, t.c, t.bStep = t.field(tile, tileB), t.field(tile, tileC), t.field(tile, tileBStep)
	t.a, t.count = a.GP64(), a.GP64()
	left, lines := t.field(tile, tileRows), a.multiplesOf(a.GP64(), t.bStep, columns)
	chains := make([][]vector, columns)
	for i := range chains {
		for range parts {
			chains[i] = append(chains[i], a.YMM())
		}
	}
	a.Label("columns")
	for _, sums := range chains {
		for _, sum := range sums {
			a.VXORPS(sum.AsX(), sum.AsX(), sum.AsX())
		}
	}
	a.MOVQ(operand.Mem{Base: tile, Disp: tileA}, t.a)
	a.MOVQ(operand.Mem{Base: tile, Disp: tileDepth}, t.count)
	a.MOVQ(t.b, lines.base)
	// A cache line of a column is read at once: those of columns that are a power of two apart fall on the same set of the first cache.
	terms := func(vectors int) {
		factors := make([]vector, vectors)
		for i := range factors {
			factors[i] = a.load(t.a, i*a.bytes())
		}
		for number, sums := range chains {
			for i := range factors {
				a.addTo(sums[i%parts], memories[0].product(factors[i], lines.at(number, i*a.sourceBytes()), false))
			}
		}
		a.ADDQ(operand.U32(vectors*a.bytes()), t.a)
		a.ADDQ(operand.U8(vectors*a.sourceBytes()), lines.base)
	}
	loop := func(name string, vectors int) {
		step := vectors / parts * dotChains
		a.JMP(operand.LabelRef(name + "Check"))
		a.Label(name)
		terms(vectors)
		a.Label(name + "Check")
		a.SUBQ(operand.U8(step), t.count)
		a.JGE(operand.LabelRef(name))
		a.ADDQ(operand.U8(step), t.count)
	}
	if vectors := lineBytes / a.sourceBytes(); vectors > parts {
		loop("lines", vectors)
	}
	loop("terms", parts)
	a.JZ(operand.LabelRef("join"))
	for part, memory := range memories {
		factors := a.vector()
		from := operand.Mem{Base: t.a, Disp: part * a.bytes()}
		if bits {
			a.VMOVUPS_Z(from, memory.lanes, factors)
		} else {
			memory.read(from, true, factors)
		}
		for i, sums := range chains {
			a.addTo(sums[part], memory.product(factors, lines.at(i, part*a.sourceBytes()), true))
		}
	}
	a.Label("join")
	a.store(a.joinLines(chains), t.c, 0)
	a.ADDQ(operand.U8(a.bytes()), t.c)
	a.LEAQ(operand.Mem{Base: t.b, Index: t.bStep, Scale: uint8(columns)}, t.b)
	a.DECQ(left)
	a.JNZ(operand.LabelRef("columns"))
	a.VZEROUPPER()
	a.RET()
}

// termMasks returns the memory that the vectors of the last terms are read from, by the mask of the tile.
func (a *assembler) termMasks(mask reg.GPVirtual, parts int, bits bool) []tileMemory {
	memories := make([]tileMemory, parts)
	if bits {
		lanes := a.K()
		a.KMOVW(mask.As32(), lanes)
		memories[0] = tileMemory{asm: a, lanes: lanes}
		return memories
	}
	const ones, middle = ^uint64(0), 64
	table := a.GP64()
	a.LEAQ(a.table("termMasks", ones, ones, ones, ones, ones, ones, ones, ones, 0, 0, 0, 0, 0, 0, 0, 0), table)
	for i := range memories {
		memories[i] = tileMemory{asm: a, masking: a.YMM()}
		a.VMOVDQU(operand.Mem{Base: table, Index: mask, Scale: 1, Disp: middle + i*a.bytes()}, memories[i].masking)
	}
	return memories
}

// joinLines returns the sums of the chains of as many columns as a vector has lanes.
func (a *assembler) joinLines(chains [][]vector) vector {
	joined := func(x, y vector, low, high func(x, y, z operand.Op)) vector {
		first, second := a.YMM(), a.YMM()
		low(y, x, first)
		high(y, x, second)
		return a.add(first, second)
	}
	halves := func(x, y vector) vector {
		return joined(x, y, func(x, y, z operand.Op) { a.VPERM2F128(operand.U8(0x20), x, y, z) },
			func(x, y, z operand.Op) { a.VPERM2F128(operand.U8(0x31), x, y, z) })
	}
	shuffled := func(low, high uint8) func(x, y vector) vector {
		return func(x, y vector) vector {
			return joined(x, y, func(x, y, z operand.Op) { a.VSHUFPS(operand.U8(low), x, y, z) },
				func(x, y, z operand.Op) { a.VSHUFPS(operand.U8(high), x, y, z) })
		}
	}
	pairs, singles := shuffled(0x44, 0xee), shuffled(0x88, 0xdd)
	x := make([]vector, len(chains))
	if a.double {
		for i, sums := range chains {
			x[i] = a.add(sums[0], sums[1])
		}
		return joined(halves(x[0], x[2]), halves(x[1], x[3]), ofVectors(a.VUNPCKLPD), ofVectors(a.VUNPCKHPD))
	}
	for i := range 4 {
		x[i] = halves(chains[i][0], chains[i+4][0])
	}
	return singles(pairs(x[0], x[1]), pairs(x[2], x[3]))
}
