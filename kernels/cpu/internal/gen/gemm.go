package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The offsets of the fields of the tile of package gemm, in bytes.
const (
	tileDepth      = 0
	tileRows       = 8
	tileA          = 16
	tileB          = 24
	tileC          = 32
	tileARow       = 40
	tileAStep      = 48
	tileBStep      = 56
	tileCRow       = 64
	tileMask       = 72
	tileNext       = 80
	tileStep       = 88
	tileRowsAtOnce = 96
	tileFactors    = 104
)

// tileVectors are the widths of tiles.
var tileVectors = []int{1, 2, 4, 8}

// writeGemm writes the kernels of package gemm.
func writeGemm(f *file) {
	for _, double := range []bool{false, true} {
		for _, wide := range []bool{false, true} {
			for _, vectors := range tileVectors {
				a := &assembler{Context: f.context, file: f, wide: wide, double: double}
				a.tileKernel(a.elementName(), vectors, a.tileHeight(vectors), wholeWords)
			}
		}
	}
	(&assembler{Context: f.context, file: f, wide: true}).tileFours()
	f.each(false, (*assembler).tileTurned)
	f.each(true, (*assembler).tileTurned)
	f.each(false, (*assembler).tilePack)
	f.each(false, (*assembler).tileTurn)
	f.each(true, (*assembler).tileTurn)
	f.each(false, (*assembler).tileLimit)
	f.each(true, (*assembler).tileLimit)
}

// tileHeight is how many rows a tile of so many vectors has at most: their sums stay in registers, beside two vectors of B, or
// one and the elements of A, and a mask.
func (a *assembler) tileHeight(vectors int) int {
	heights := map[int]int{1: 12, 2: 6, 4: 2, 8: 1}
	if a.wide {
		heights = map[int]int{1: 8, 2: 14, 4: 6, 8: 1}
	}
	return heights[vectors]
}

func (a *assembler) elementName() string {
	if a.double {
		return "float64"
	}
	return "float32"
}

func (a *assembler) elementBytes() int {
	switch {
	case a.narrow > 0:
		return a.narrow
	case a.double:
		return 8
	}
	return 4
}

// tileMemory moves vectors between registers and memory, of the last ones in a row only the lanes in use.
type tileMemory struct {
	asm     *assembler
	lanes   reg.OpmaskVirtual // AVX-512
	masking vector            // AVX2
}

// newMask makes the mask of family.mask known.
func (a *assembler) newMask(mask reg.Register) tileMemory {
	m := tileMemory{asm: a}
	if a.wide {
		m.lanes = a.K()
		a.KMOVW(mask.(reg.GP).As32(), m.lanes)
		return m
	}
	const ones = ^uint64(0)
	table := a.GP64()
	a.LEAQ(a.table("laneMasks", ones, ones, ones, ones, 0, 0, 0, 0), table)
	m.masking = a.YMM()
	a.VMOVDQU(operand.Mem{Base: table, Index: mask, Scale: 1}, m.masking)
	return m
}

func (m tileMemory) read(from operand.Mem, partly bool, into vector) {
	switch {
	case partly && m.asm.wide:
		m.asm.of(ofThree(m.asm.VMOVUPS_Z), ofThree(m.asm.VMOVUPD_Z))(from, m.lanes, into)
	case partly:
		m.asm.of(ofThree(m.asm.VMASKMOVPS), ofThree(m.asm.VMASKMOVPD))(from, m.masking, into)
	default:
		m.asm.of(m.asm.VMOVUPS, m.asm.VMOVUPD)(from, into)
	}
}

func (m tileMemory) write(from vector, partly bool, to operand.Mem) {
	switch {
	case partly && m.asm.wide:
		m.asm.of(m.asm.VMOVUPS, m.asm.VMOVUPD)(from, m.lanes, to)
	case partly:
		m.asm.of(ofThree(m.asm.VMASKMOVPS), ofThree(m.asm.VMASKMOVPD))(from, m.masking, to)
	default:
		m.asm.of(m.asm.VMOVUPS, m.asm.VMOVUPD)(from, to)
	}
}

// words are what elements of A and B are that are as large as those of C.
type words int

const (
	wholeWords    words = iota // one number
	integers                   // one integer; C is of integers as well
	int16Pairs                 // two int16; C is of int32
	int8Quads                  // four uint8 in A, and four int8 in B; C is of int32
	bfloat16Pairs              // two bfloat16; C is of float32
)

func (w words) areIntegers() bool { return w == integers || w == int16Pairs || w == int8Quads }

// areWhole tells whether elements are as large as words: they need not be packed, and the last of a row must be masked.
func (w words) areWhole() bool { return w == wholeWords || w == integers }

// tileCode writes a kernel. Its registers are the same for tiles of all heights.
type tileCode struct {
	asm                        *assembler
	memory                     tileMemory
	vectors                    int
	words                      words
	sums                       [][]vector
	a, aFrom7, b, c            reg.GPVirtual // addresses
	aRow, aRow3, aRow5, aStep  reg.GPVirtual
	bStep, cRow                reg.GPVirtual
	next, fetched, fetchedLast reg.GPVirtual
	count, round               reg.GPVirtual
}

// tileKernel writes the kernel of tiles of so many vectors: loops along k for every height, quick ones for whole vectors and short ones
// that mask the last vector, and the end for all heights. Of AVX2 there are two ends as well: some processors take tens of cycles
// for a masked write. Panels of words are packed, whose rows can be read whole.
func (a *assembler) tileKernel(element string, vectors, height int, kind words) {
	a.begin(fmt.Sprintf("%sTile%d", element, vectors), "tile *byte",
		fmt.Sprintf("computes a tile of at most %d rows by %d vectors.", height, vectors))
	t := &tileCode{asm: a, vectors: vectors, words: kind}
	tile := a.Load(a.Param("tile"), a.GP64())
	get := func(offset int) reg.GPVirtual { return t.field(tile, offset) }
	mask := get(tileMask)
	t.memory = a.newMask(mask)
	if kind.areWhole() {
		a.compareWhole(mask)
	}
	t.a, t.b, t.c = get(tileA), get(tileB), get(tileC)
	t.aRow, t.aStep, t.bStep, t.cRow = get(tileARow), get(tileAStep), get(tileBStep), get(tileCRow)
	t.next, t.count = get(tileNext), get(tileDepth)
	rows := get(tileRows)
	t.aRow3, t.aRow5, t.aFrom7 = a.GP64(), a.GP64(), a.GP64()
	if height > 3 {
		a.LEAQ(operand.Mem{Base: t.aRow, Index: t.aRow, Scale: 2}, t.aRow3)
	}
	if height > 5 {
		a.LEAQ(operand.Mem{Base: t.aRow, Index: t.aRow, Scale: 4}, t.aRow5)
	}
	if height > 7 {
		a.LEAQ(operand.Mem{Base: t.a, Index: t.aRow3, Scale: 2}, t.aFrom7)
		a.LEAQ(operand.Mem{Base: t.aFrom7, Index: t.aRow, Scale: 1}, t.aFrom7)
	}
	t.sums = make([][]vector, height)
	for i := range t.sums {
		for range vectors {
			t.sums[i] = append(t.sums[i], a.vector())
		}
	}
	if kind.areWhole() {
		a.JNE(operand.LabelRef("masked"))
	}
	t.clearSums()
	t.fetched, t.fetchedLast, t.round = a.GP64(), a.GP64(), a.GP64()
	a.MOVQ(t.c, t.fetched)
	a.MOVQ(rows, t.fetchedLast)
	a.IMULQ(t.cRow, t.fetchedLast)
	a.ADDQ(t.c, t.fetchedLast)
	t.choose("whole", rows, 1, height, t.loop)
	if kind.areWhole() {
		a.Label("masked")
		t.clearSums()
		t.choose("masked", rows, 1, height, t.maskedLoop)
	}
	t.result()
	a.Label("end")
	a.VZEROUPPER()
	a.RET()
}

// compareWhole compares family.mask with that of a whole vector.
func (a *assembler) compareWhole(mask operand.Op) {
	whole := 0
	if a.wide {
		whole = 1<<(a.bytes()/a.elementBytes()) - 1
	}
	a.CMPQ(mask, operand.U32(whole))
}

func (t *tileCode) clearSums() {
	for _, row := range t.sums {
		for _, sum := range row {
			if t.asm.wide {
				t.asm.VPXORD(sum, sum, sum)
			} else {
				t.asm.VXORPS(sum, sum, sum)
			}
		}
	}
}

// field returns a field of the tile.
func (t *tileCode) field(tile reg.Register, offset int) reg.GPVirtual {
	register := t.asm.GP64()
	t.asm.MOVQ(operand.Mem{Base: tile, Disp: offset}, register)
	return register
}

// choose writes the loops for the heights from low to high, and jumps to the one for rows.
func (t *tileCode) choose(kind string, rows reg.GPVirtual, low, high int, loop func(kind string, rows int)) {
	if low == high {
		loop(kind, low)
		return
	}
	middle := (low + high) / 2
	above := fmt.Sprintf("%sAbove%d", kind, middle)
	t.asm.CMPQ(rows, operand.U8(middle))
	t.asm.JGT(operand.LabelRef(above))
	t.choose(kind, rows, low, middle, loop)
	t.asm.Label(above)
	t.choose(kind, rows, middle+1, high, loop)
}

// row returns where the element of A in a row is.
func (t *tileCode) row(row int) operand.Mem {
	m := operand.Mem{Base: t.a}
	if row >= 7 {
		m.Base, row = t.aFrom7, row-7
	}
	switch row {
	case 1, 2, 4:
		m.Index, m.Scale = t.aRow, uint8(row)
	case 3, 6:
		m.Index, m.Scale = t.aRow3, uint8(row/3)
	case 5:
		m.Index, m.Scale = t.aRow5, 1
	}
	return m
}

// fetchRounds is how many rounds of a loop there are from fetch to fetch.
const fetchRounds = 4

// fetchedSteps is how many steps these are.
const fetchedSteps = 2 * fetchRounds

// fetchedColumns is the constant of package gemm.
const fetchedColumns = 8

// fewRows is the constant of package gemm.
const fewRows = 4

// loop writes the loop for tiles of so many rows: several steps a round, the first of which begins where the rest of the
// division leaves whole rounds.
func (t *tileCode) loop(kind string, rows int) {
	label := func(name string, number int) operand.LabelRef {
		return operand.LabelRef(fmt.Sprintf("%s%s%dof%d", kind, name, number, rows))
	}
	if rows*t.vectors <= 4 {
		t.shortLoop(rows, label)
		return
	}
	t.asm.DECQ(t.count)
	t.asm.MOVQ(t.count, t.round)
	t.asm.SHRQ(operand.U8(3), t.count)
	t.asm.ANDQ(operand.U8(fetchedSteps-1), t.round)
	t.asm.SHRQ(operand.U8(1), t.round)
	t.asm.LEAQ(operand.Mem{Base: t.round, Disp: 1}, t.round)
	t.asm.JCC(label("Step", 1))
	t.asm.Label(string(label("Step", 0)))
	t.step(rows, false)
	t.asm.Label(string(label("Step", 1)))
	t.step(rows, false)
	t.asm.DECQ(t.round)
	t.asm.JNZ(label("Step", 0))
	t.asm.DECQ(t.count)
	t.asm.JLT(operand.LabelRef("result"))
	t.fetch(label)
	t.asm.MOVQ(operand.U32(fetchRounds), t.round)
	t.asm.JMP(label("Step", 0))
}

// fetch fetches a row of C, lest the misses come all at once at the end, and, if next is something, a part of what is needed later, of
// columns or rows of B that are packed or read next, or of adjacent memory.
func (t *tileCode) fetch(label func(name string, number int) operand.LabelRef) {
	t.asm.TESTQ(t.next, t.next)
	t.asm.JZ(label("Nothing", 0))
	if t.words.areWhole() {
		step := t.round // It is set after this.
		t.asm.Load(t.asm.Param("tile"), step)
		t.asm.CMPQ(operand.Mem{Base: step, Disp: tileRowsAtOnce}, operand.U8(fewRows))
		t.asm.MOVQ(operand.Mem{Base: step, Disp: tileStep}, step)
		t.fetchRows(step, label)
		t.asm.Label(string(label("Columns", 0)))
		t.fetchColumns(step, label)
		t.asm.Label(string(label("Adjacent", 0)))
	}
	for line := range fetchRounds {
		t.asm.PREFETCHT1(operand.Mem{Base: t.next, Disp: line * 64})
	}
	t.asm.ADDQ(operand.U32(fetchRounds*64), t.next)
	t.asm.Label(string(label("Nothing", 0)))
	for offset := 0; offset < t.vectors*t.asm.bytes(); offset += 64 {
		t.asm.PREFETCHT0(operand.Mem{Base: t.fetched, Disp: offset})
	}
	t.asm.PREFETCHT0(operand.Mem{Base: t.fetched, Disp: t.vectors*t.asm.bytes() - 1})
	t.asm.ADDQ(t.cRow, t.fetched)
	t.asm.CMPQ(t.fetched, t.fetchedLast)
	t.asm.CMOVQEQ(t.c, t.fetched)
}

// fetchRows fetches fewRows rows of B, or twice as many, if the comparison with fewRows before tells that there are any.
func (t *tileCode) fetchRows(step reg.GPVirtual, label func(name string, number int) operand.LabelRef) {
	t.asm.JLT(label("Columns", 0))
	t.asm.JEQ(label("Few", 0))
	for row := range 2 * fewRows {
		if row == fewRows {
			t.asm.Label(string(label("Few", 0)))
		}
		for offset := 0; offset < t.vectors*t.asm.bytes(); offset += 64 {
			t.asm.PREFETCHT1(operand.Mem{Base: t.next, Disp: offset})
		}
		t.asm.PREFETCHT1(operand.Mem{Base: t.next, Disp: t.vectors*t.asm.bytes() - 1})
		t.asm.ADDQ(step, t.next)
	}
	t.asm.JMP(label("Nothing", 0))
}

// fetchColumns fetches of fetchedColumns columns of B as many elements as there are steps until the next fetch, if step is something.
func (t *tileCode) fetchColumns(step reg.GPVirtual, label func(name string, number int) operand.LabelRef) {
	t.asm.TESTQ(step, step)
	t.asm.JZ(label("Adjacent", 0))
	t.asm.PREFETCHT1(operand.Mem{Base: t.next})
	for range fetchedColumns/2 - 1 {
		t.asm.PREFETCHT1(operand.Mem{Base: t.next, Index: step, Scale: 1})
		t.asm.PREFETCHT1(operand.Mem{Base: t.next, Index: step, Scale: 2})
		t.asm.LEAQ(operand.Mem{Base: t.next, Index: step, Scale: 2}, t.next)
	}
	t.asm.PREFETCHT1(operand.Mem{Base: t.next, Index: step, Scale: 1})
	t.asm.IMUL3Q(operand.I8(fetchedColumns-2), step, step)
	t.asm.SUBQ(step, t.next)
	t.asm.ADDQ(operand.I8(fetchedSteps*t.asm.elementBytes()), t.next)
	t.asm.JMP(label("Nothing", 0))
}

// shortLoop writes a loop of four steps a round, for tiles of few sums.
func (t *tileCode) shortLoop(rows int, label func(name string, number int) operand.LabelRef) {
	const steps = 4
	t.asm.ADDQ(operand.U8(steps-1), t.count)
	t.asm.MOVQ(t.count, t.round)
	t.asm.SHRQ(operand.U8(2), t.count)
	t.asm.ANDQ(operand.U8(steps-1), t.round)
	t.asm.JZ(label("Step", 3))
	for step := 2; step > 0; step-- {
		t.asm.DECQ(t.round)
		t.asm.JZ(label("Step", step))
	}
	for step := range steps {
		t.asm.Label(string(label("Step", step)))
		t.step(rows, false)
	}
	t.asm.DECQ(t.count)
	t.asm.JNZ(label("Step", 0))
	t.asm.JMP(operand.LabelRef("result"))
}

// maskedLoop writes a loop that reads of the last vector of B the lanes in use.
func (t *tileCode) maskedLoop(kind string, rows int) {
	label := fmt.Sprintf("%s%d", kind, rows)
	t.asm.Label(label)
	t.step(rows, true)
	t.asm.DECQ(t.count)
	t.asm.JNZ(operand.LabelRef(label))
	if rows < len(t.sums) {
		t.asm.JMP(operand.LabelRef("result"))
	}
}

// step adds the products of one k. Of the factors from A and B, the fewer ones stay in registers.
func (t *tileCode) step(rows int, masked bool) {
	read := func(j int) vector {
		into := t.asm.vector()
		t.memory.read(operand.Mem{Base: t.b, Disp: j * t.asm.bytes()}, masked && j == t.vectors-1, into)
		return into
	}
	switch {
	case rows < t.vectors:
		factors := make([]vector, rows)
		for i := range factors {
			factors[i] = t.asm.spread(t.row(i))
		}
		for j := range t.vectors {
			other := read(j)
			for i, factor := range factors {
				t.multiplyAdd(factor, other, t.sums[i][j])
			}
		}
	case t.vectors == 1 && t.asm.wide && t.words == wholeWords:
		other := read(0)
		for i := range rows {
			t.asm.of(t.asm.VFMADD231PS_BCST, t.asm.VFMADD231PD_BCST)(t.row(i), other, t.sums[i][0])
		}
	default:
		others := make([]vector, t.vectors)
		for j := range others {
			others[j] = read(j)
		}
		for i := range rows {
			factor := t.asm.spread(t.row(i))
			for j, other := range others {
				t.multiplyAdd(factor, other, t.sums[i][j])
			}
		}
	}
	t.asm.ADDQ(t.bStep, t.b)
	t.asm.ADDQ(t.aStep, t.a)
	if rows > 7 {
		t.asm.ADDQ(t.aStep, t.aFrom7)
	}
}

// multiplyAdd adds the products of a, of A, and b, of B, to sum.
func (t *tileCode) multiplyAdd(a, b, sum vector) {
	switch t.words {
	case wholeWords:
		t.asm.of(t.asm.VFMADD231PS, t.asm.VFMADD231PD)(a, b, sum)
	case integers:
		t.multiplyAddIntegers(a, b, sum)
	case int16Pairs:
		products := t.asm.vector()
		t.asm.VPMADDWD(a, b, products)
		t.asm.VPADDD(products, sum, sum)
	case int8Quads:
		t.asm.unknown("VPDPBUSD", "AVX512_VNNI", b, a, sum)
	case bfloat16Pairs:
		t.asm.unknown("VDPBF16PS", "AVX512_BF16", b, a, sum)
	}
}

// result writes C = alpha*sums + beta*C; C is not read where beta is zero. For integers alpha is one, and so is beta if it is not
// zero; from the sums of quads that is subtracted which follows the panel.
func (t *tileCode) result() {
	t.asm.Label("result")
	tile := t.asm.Load(t.asm.Param("tile"), t.asm.GP64()) // Again, for want of registers.
	factor := func(number int) operand.Mem {
		return operand.Mem{Base: tile, Disp: tileFactors + number*t.asm.elementBytes()}
	}
	rows, bits := t.asm.GP64(), t.asm.GP64()
	t.asm.MOVQ(operand.Mem{Base: tile, Disp: tileRows}, rows)
	switch {
	case t.words == int8Quads:
		t.subtractTotals()
	case !t.words.areIntegers():
		t.multiplyByAlpha(factor(0), bits)
	}
	if t.asm.double {
		t.asm.MOVQ(factor(1), bits)
	} else {
		t.asm.MOVL(factor(1), bits.As32())
		t.asm.SHLQ(operand.U8(32), bits)
	}
	if !t.asm.wide {
		t.asm.compareWhole(operand.Mem{Base: tile, Disp: tileMask})
		t.asm.JNE(operand.LabelRef("resultMasked"))
		t.writeSums("Whole", false, factor(1), rows, bits)
		t.asm.Label("resultMasked")
	}
	t.writeSums("", true, factor(1), rows, bits)
}

// writeSums writes what result does after the multiplication by alpha, given where beta is, and its bits.
func (t *tileCode) writeSums(kind string, masked bool, factor operand.Mem, rows, bits reg.GPVirtual) {
	at := func(j int) operand.Mem { return operand.Mem{Base: t.c, Disp: j * t.asm.bytes()} }
	partly := func(j int) bool { return masked && j == t.vectors-1 }
	t.asm.ADDQ(bits, bits) // Drops the sign, for -0.
	t.asm.JZ(operand.LabelRef("store" + kind))
	var beta vector
	if !t.words.areIntegers() {
		beta = t.asm.spread(factor)
	}
	t.eachRow(rows, func(row []vector) {
		for j, sum := range row {
			old := t.asm.vector()
			t.memory.read(at(j), partly(j), old)
			if t.words.areIntegers() {
				t.addIntegers(old, sum)
			} else {
				t.asm.of(t.asm.VFMADD231PS, t.asm.VFMADD231PD)(old, beta, sum)
			}
			t.memory.write(sum, partly(j), at(j))
		}
	})
	t.asm.Label("store" + kind)
	t.eachRow(rows, func(row []vector) {
		for j, sum := range row {
			t.memory.write(sum, partly(j), at(j))
		}
	})
}

// subtractTotals subtracts from the sums of every row what lies where the rows of the panel end.
func (t *tileCode) subtractTotals() {
	for j := range t.vectors {
		totals := t.asm.vector()
		t.memory.read(operand.Mem{Base: t.b, Disp: j * t.asm.bytes()}, j == t.vectors-1, totals)
		for _, row := range t.sums {
			t.asm.VPSUBD(totals, row[j], row[j])
		}
	}
}

// multiplyByAlpha multiplies the sums, unless alpha is one.
func (t *tileCode) multiplyByAlpha(from operand.Mem, bits reg.GPVirtual) {
	if t.asm.double {
		one := t.asm.GP64()
		t.asm.MOVQ(operand.U64(math.Float64bits(1)), one)
		t.asm.MOVQ(from, bits)
		t.asm.CMPQ(bits, one)
	} else {
		t.asm.MOVL(from, bits.As32())
		t.asm.CMPL(bits.As32(), operand.U32(math.Float32bits(1)))
	}
	t.asm.JEQ(operand.LabelRef("multiplied"))
	alpha := t.asm.spread(from)
	for _, row := range t.sums {
		for _, sum := range row {
			t.asm.of(t.asm.VMULPS, t.asm.VMULPD)(alpha, sum, sum)
		}
	}
	t.asm.Label("multiplied")
}

// eachRow writes body for the rows that there are, and the end.
func (t *tileCode) eachRow(rows reg.GPVirtual, body func(row []vector)) {
	for i, row := range t.sums {
		body(row)
		if i == len(t.sums)-1 {
			break
		}
		t.asm.ADDQ(t.cRow, t.c)
		t.asm.DECQ(rows)
		t.asm.JZ(operand.LabelRef("end"))
	}
	t.asm.JMP(operand.LabelRef("end"))
}
