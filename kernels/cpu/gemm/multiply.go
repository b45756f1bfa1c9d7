package gemm

import (
	"unsafe"

	"github.com/weft-nd/weft/parallel"
)

// unit is a piece of work: some rows of a chunk by some panels of columns of one product of the part.
type unit struct {
	product               int // from the first of the part
	slot                  int // where its own rows are packed
	chunkFirst, chunkLast int // rows
	firstRow, lastRow     int
	firstPanel, lastPanel int
}

// chunk returns the rows of a chunk of the part.
func (j *job[T]) chunk(number int) (first, last int) {
	p := &j.part
	rows := p.lastRow - p.firstRow
	return p.firstRow + rows*number/p.chunks, p.firstRow + rows*(number+1)/p.chunks
}

// multiplyUnits computes the units from lo to before hi of the part.
func (j *job[T]) multiplyUnits(t *parallel.Thread, lo, hi int) {
	p := &j.part
	if j.isTiles() {
		j.multiplyTiles(&j.tiles[t.ID()].tile, lo, hi)
		j.tiles[t.ID()].forget()
		return
	}
	panels := pieces(p.lastColumn-p.firstColumn, j.width)
	for number := lo; number < hi; number++ {
		piece, strip, chunk, product := p.unit(number)
		u := unit{product: product, slot: t.ID()}
		u.chunkFirst, u.chunkLast = j.chunk(chunk)
		rows := u.chunkLast - u.chunkFirst
		u.firstRow, u.lastRow = u.chunkFirst+rows*strip/p.strips, u.chunkFirst+rows*(strip+1)/p.strips
		u.firstPanel, u.lastPanel = panels*piece/p.across, panels*(piece+1)/p.across
		if u.firstRow < u.lastRow {
			j.multiply(&j.tiles[t.ID()], u)
		}
	}
	j.tiles[t.ID()].forget()
}

// unit returns which piece of the columns, strip of a chunk of the rows, chunk, and product a unit is.
func (p *part) unit(number int) (piece, strip, chunk, product int) {
	if p.byPanels {
		strip, number = number%p.strips, number/p.strips
		chunk, number = number%p.chunks, number/p.chunks
		return number % p.across, strip, chunk, number / p.across
	}
	piece, number = number%p.across, number/p.across
	strip, number = number%p.strips, number/p.strips
	return piece, strip, number % p.chunks, number / p.chunks
}

// isTiles tells whether every product of a batch is one column of tiles, whose matrices are used where they lie.
func (j *job[T]) isTiles() bool {
	f := j.family
	if j.n > j.width || j.part.strips*j.part.across*j.part.chunks > 1 || j.packA || j.packB || j.isRow || j.turnsB || j.blocks > 1 || f.kernels == nil {
		return false
	}
	vectors := pieces(j.n, f.lanes)
	width, height := f.widest(vectors)
	return vectors == 1<<width && height > 0
}

// multiplyTiles computes the products from lo to before hi of the part, of one column of tiles each.
func (j *job[T]) multiplyTiles(t *tile[T], lo, hi int) {
	p, x, size := &j.part, &j.product, j.size
	width, height := j.family.widest(pieces(j.n, j.family.lanes))
	compute := j.family.kernels[width]
	finishes := !x.Finish.isNothing()
	t.depth, t.mask, t.alpha, t.beta = j.k, j.family.mask(j.n), x.Alpha, x.Beta
	t.aRow, t.aStep, t.bStep, t.cRow = x.A.RowStride*size, x.A.ColumnStride*size, x.B.RowStride*size, x.C.RowStride*size
	for number := lo; number < hi; number++ {
		aOffset, bOffset, cOffset := x.offsets(p.firstProduct + number)
		c := unsafe.Add(x.C.Start, cOffset)
		t.a, t.b, t.c = unsafe.Add(x.A.Start, aOffset), unsafe.Add(x.B.Start, bOffset), c
		j.family.multiplyColumns(t, compute, j.m, height)
		if finishes {
			j.finish(c, 0, 0, j.m, j.n)
		}
	}
}

// multiply adds the blocks of k of the part, in order, to the rows and columns of a unit.
func (j *job[T]) multiply(padded *paddedTile[T], u unit) {
	t := &padded.tile
	p, x, size := &j.part, &j.product, j.size
	aOffset, bOffset, cOffset := x.offsets(p.firstProduct + u.product)
	if j.isRow {
		j.multiplyRow(padded, unsafe.Add(x.A.Start, aOffset), unsafe.Add(x.B.Start, bOffset), unsafe.Add(x.C.Start, cOffset),
			u.firstPanel*j.width, min(j.n, u.lastPanel*j.width))
		return
	}
	if j.turnsB {
		j.multiplyTurned(padded, u, unsafe.Add(x.A.Start, aOffset), unsafe.Add(x.B.Start, bOffset), unsafe.Add(x.C.Start, cOffset))
		return
	}
	t.alpha, t.cRow = x.Alpha, x.C.RowStride*x.resultBytes()
	padded.own = j.aheadOf(u)
	for number := p.firstBlock; number < p.lastBlock; number++ {
		from := j.block(number)
		t.depth, t.beta = j.block(number+1)-from, x.Beta
		if number > 0 {
			t.beta = 1
		}
		var a unsafe.Pointer
		switch {
		case !j.packA:
			t.aRow, t.aStep = x.A.RowStride*size, x.A.ColumnStride*size
			a = unsafe.Add(x.A.Start, aOffset+u.firstRow*t.aRow+from*t.aStep)
		case p.packsStrips:
			a = j.packOwn(t, u, number)
		default:
			a = j.packedA(t, u, number)
		}
		for panel := u.firstPanel; panel < u.lastPanel; panel++ {
			column := p.firstColumn + panel*j.width
			t.panel, t.columns = addresses{}, columns{}
			if j.fetchesRows {
				t.soon, t.later = j.rowsToCome(u, panel, number, uintptr(x.B.Start)+uintptr(bOffset))
			}
			if j.packB {
				t.bStep = j.width * size
				if p.packsPanels {
					t.b = j.ownPanel(u, panel, number)
					t.columns = j.columnsToCome(u, panel, number, uintptr(x.B.Start)+uintptr(bOffset))
				} else {
					t.b = j.packedB(u.product, panel, number)
					next := uintptr(t.b) + uintptr(t.depth*t.bStep)
					t.panel = addresses{next, next + uintptr(t.depth*t.bStep)} // What is behind that would push out A.
				}
			} else {
				t.bStep = x.B.RowStride * size
				t.b = unsafe.Add(x.B.Start, bOffset+column*size+from*t.bStep)
			}
			if t.ahead = &padded.own; t.ahead.count == 0 {
				t.ahead = x.Ahead
			}
			t.fetchNext()
			c := unsafe.Add(x.C.Start, cOffset+u.firstRow*t.cRow+column*x.resultBytes())
			rows, columns := u.lastRow-u.firstRow, min(j.width, j.n-column)
			if x.rounds {
				j.multiplyRounded(padded, a, c, u, column, columns, number == j.blocks-1)
			} else {
				j.multiplyPanel(t, a, c, rows, columns)
			}
			if number == j.blocks-1 {
				j.finish(c, u.firstRow, column, rows, columns)
			}
		}
	}
}

// multiplyPanel multiplies rows of A by a panel of B, in tiles as wide as there are and of nearly equal height. It must not be
// inlined: its prologue is the only place in these loops where the scheduler can stop the goroutine, since a signal nearly
// always finds a kernel.
//
//go:noinline
func (j *job[T]) multiplyPanel(t *tile[T], a, c unsafe.Pointer, rows, columns int) {
	f := j.family
	if f.portable != nil {
		f.portable(t, a, c, rows, columns)
		return
	}
	if last := columns % f.lanes; f.takesFours(t, rows, last) {
		columns -= last
		b, bytes := t.b, columns*int(unsafe.Sizeof(t.alpha))
		t.b = unsafe.Add(b, bytes)
		f.multiplyFours(t, a, unsafe.Add(c, bytes), rows, last)
		if columns == 0 {
			return
		}
		t.b = b
	}
	t.a, t.c = a, c
	for vectors := pieces(columns, f.lanes); ; {
		width, height := f.widest(vectors)
		height = min(height, j.tileRows)
		if vectors -= 1 << width; vectors == 0 {
			t.mask = f.mask(columns)
			f.multiplyColumns(t, f.kernels[width], rows, height)
			return
		}
		t.mask = f.mask(f.lanes)
		f.multiplyColumns(t, f.kernels[width], rows, height)
		wide := f.lanes << width
		bytes := wide * int(unsafe.Sizeof(t.alpha))
		columns -= wide
		t.a, t.b, t.c = a, unsafe.Add(t.b, bytes), unsafe.Add(t.c, bytes-(rows-t.rows)*t.cRow)
	}
}

// multiplyColumns computes columns of C of the width of a kernel, and leaves the last tile in t.
func (f *family[T]) multiplyColumns(t *tile[T], compute kernel, rows, most int) {
	for count := pieces(rows, most); ; count-- {
		t.rows = rows / count
		compute((*byte)(unsafe.Pointer(t)))
		if t.next != 0 {
			t.hasFetched()
		}
		if rows -= t.rows; rows == 0 {
			return
		}
		t.a, t.c = unsafe.Add(t.a, t.rows*t.aRow), unsafe.Add(t.c, t.rows*t.cRow)
	}
}
