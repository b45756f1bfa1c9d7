package gemm

import "unsafe"

// Elements of A and B that have one or two bytes, int8 or bfloat16, are multiplied as words of 32 bits: those of a word
// follow each other along k. A word is moved about like a float32, and the sum of the products of two words is added to
// an element of C, an int32 or a float32. All of A and B is packed, since words of B must lie beside each other that
// are of adjacent columns.

// elements tells which elements A and B have.
type elements int

const (
	floats    elements = iota // those of C
	integers                  // those of C, which are integers as large as T
	int8s                     // C is of int32
	bfloat16s                 // C is of float32
)

// words are how a family packs narrow elements.
type words struct {
	packer
	totals func(panel *byte, depth int) // writes behind a panel what is too much in C if A is of uint8; nil if it is not
	round  func(dst, src *byte, rows, dstRow int, mask uint64)
}

// panelRows is how many rows a panel has beside those for k.
func (w *words) panelRows() int {
	if w.totals != nil {
		return 1
	}
	return 0
}

// elementBytes is the size of an element of A and B.
func (p *Product[T]) elementBytes() int {
	switch p.elements {
	case int8s:
		return 1
	case bfloat16s:
		return 2
	}
	return int(unsafe.Sizeof(p.Alpha))
}

// resultBytes is the size of an element of C.
func (p *Product[T]) resultBytes() int {
	if p.rounds {
		return 2
	}
	return int(unsafe.Sizeof(p.Alpha))
}

// newWords returns a product of narrow elements, of which K are a sum.
func newWords(kind elements, m, n, k int, a, b, c Matrix, count int, offsets func(product int) (a, b, c int)) Product[float32] {
	p := Product[float32]{M: m, N: n, Alpha: 1, A: a, B: b, C: c, Count: count, Offsets: offsets, elements: kind, terms: k}
	each := p.family().words.perWord
	p.K = (k + each - 1) / each
	return p
}

// operandA and operandB are the matrices of a product of words.
func (j *job[T]) operandA() operand {
	a, size := &j.product.A, j.product.elementBytes()
	return operand{packer: &j.family.words.packer, lineStep: a.RowStride * size, kStep: a.ColumnStride * size}
}

func (j *job[T]) operandB() operand {
	b, size := &j.product.B, j.product.elementBytes()
	return operand{packer: &j.family.words.packer, lineStep: b.ColumnStride * size, kStep: b.RowStride * size, byWords: true}
}

// packWordRows packs so many rows of A, from first on, for a block of k.
func (j *job[T]) packWordRows(dst unsafe.Pointer, product, first, rows, block, dstRow int) {
	w, o := j.family.words, j.operandA()
	from, last := j.block(block)*w.perWord, min(j.product.terms, j.block(block+1)*w.perWord)
	start, _, _ := j.product.offsets(j.part.firstProduct + product)
	o.packLines(unsafe.Add(j.product.A.Start, start+first*o.lineStep+from*o.kStep), rows, last-from, dstRow, func(line, word int) unsafe.Pointer {
		return unsafe.Add(dst, line*dstRow+word*wordBytes)
	})
}

// packWordPanels packs that many panels, or those that there are, for a block of k.
func (j *job[T]) packWordPanels(dst unsafe.Pointer, product, panel, count, block int) {
	w, o, p := j.family.words, j.operandB(), &j.part
	from, last := j.block(block)*w.perWord, min(j.product.terms, j.block(block+1)*w.perWord)
	column := p.firstColumn + panel*j.width
	columns, row, depth := min(count*j.width, p.lastColumn-column), j.width*wordBytes, j.block(block+1)-j.block(block)
	each := (depth + j.extraRows) * row
	_, start, _ := j.product.offsets(p.firstProduct + product)
	o.packLines(unsafe.Add(j.product.B.Start, start+column*o.lineStep+from*o.kStep), columns, last-from, row, func(line, word int) unsafe.Pointer {
		return unsafe.Add(dst, line/j.width*each+line%j.width*wordBytes+word*row)
	})
	if w.totals != nil {
		for number := range pieces(columns, j.width) {
			start := unsafe.Add(dst, number*each)
			clear(unsafe.Slice((*byte)(unsafe.Add(start, depth*row)), row))
			w.totals((*byte)(start), depth)
		}
	}
}

// roundedRows is how many rows of sums a thread has.
const roundedRows = 2 * rowColumns / 32

// sums returns where the sums of roundedRows rows of a panel lie: in memory of the thread if there is one block of k.
func (j *job[T]) sums(padded *paddedTile[T], product, row, column int) unsafe.Pointer {
	if j.blocks == 1 {
		return unsafe.Pointer(&padded.sumsOfRow().sums[0])
	}
	return unsafe.Add(j.packed, j.products*(j.aBytes+j.bBytes)+product*j.sumBytes+(column*j.m+row*j.width)*j.size)
}

// multiplyRounded is multiplyPanel for elements of C that are rounded to bfloat16 when their sums are complete.
func (j *job[T]) multiplyRounded(padded *paddedTile[T], a, c unsafe.Pointer, u unit, column, columns int, complete bool) {
	t, cRow, sumRow := &padded.tile, padded.cRow, j.width*j.size
	t.cRow = sumRow
	for row := u.firstRow; row < u.lastRow; row += roundedRows {
		rows, sums, done := min(roundedRows, u.lastRow-row), j.sums(padded, u.product, row, column), row-u.firstRow
		j.multiplyPanel(t, unsafe.Add(a, done*t.aRow), sums, rows, columns)
		if complete {
			j.family.words.round((*byte)(unsafe.Add(c, done*cRow)), (*byte)(sums), rows, cRow, 1<<columns-1)
		}
	}
	t.cRow = cRow
}

// quad is four int8 that follow each other along k.
type quad [4]int8

// multiplyQuadsPortable is multiplyPanel with what the kernels in assembly do.
func multiplyQuadsPortable(t *tile[float32], firstA, firstC unsafe.Pointer, rows, columns int) {
	for i := range rows {
		a, c := unsafe.Add(firstA, i*t.aRow), unsafe.Slice((*int32)(unsafe.Add(firstC, i*t.cRow)), columns)
		if t.beta == 0 {
			clear(c)
		}
		for k := range t.depth {
			x := *(*quad)(unsafe.Add(a, k*t.aStep))
			x0, x1, x2, x3 := int32(x[0]), int32(x[1]), int32(x[2]), int32(x[3])
			for j, y := range unsafe.Slice((*quad)(unsafe.Add(t.b, k*t.bStep)), columns) {
				c[j] += x0*int32(y[0]) + x1*int32(y[1]) + x2*int32(y[2]) + x3*int32(y[3])
			}
		}
	}
}
