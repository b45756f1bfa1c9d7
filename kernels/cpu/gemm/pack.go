package gemm

import (
	"unsafe"

	"github.com/weft-nd/weft/parallel"
)

// A chunk of A is packed block of k by block of k. A block has its rows one after the other, with a gap, or, where the
// columns of A are adjacent in memory and not turned to rows, its columns. B is packed block of k by block of k, panel
// by panel: rows as wide as a panel, in the last panel with space at their ends that nobody reads.

// packUnits copies the units from lo to before hi of the part: those of A, then those of B, for each product.
func (j *job[T]) packUnits(t *parallel.Thread, lo, hi int) {
	p := &j.part
	blocks := p.lastBlock - p.firstBlock
	for number := lo; number < hi; number++ {
		product, unit := number/(p.unitsA+p.unitsB), number%(p.unitsA+p.unitsB)
		if unit < p.unitsA {
			j.packChunk(&j.tiles[t.ID()].tile, product, unit/blocks, p.firstBlock+unit%blocks)
		} else {
			unit -= p.unitsA
			block, first := p.firstBlock+unit%blocks, unit/blocks*p.panelsToPack
			last := min(first+p.panelsToPack, pieces(p.lastColumn-p.firstColumn, j.width))
			j.packPanels(j.packedB(product, first, block), product, first, last, block)
		}
	}
}

// packedA returns where the first row of a unit is packed for a block of k, and sets the steps of the tile.
func (j *job[T]) packedA(t *tile[T], u unit, block int) unsafe.Pointer {
	p, size := &j.part, j.size
	origin, from := j.block(p.firstBlock), j.block(block)
	rows, depth := u.chunkLast-u.chunkFirst, j.block(block+1)-from
	whole := (j.block(p.lastBlock)-origin)*size + (p.lastBlock-p.firstBlock)*gapBytes
	at := u.product*j.aBytes + (u.chunkFirst-p.firstRow)*whole + rows*((from-origin)*size+(block-p.firstBlock)*gapBytes)
	t.aRow, t.aStep = depth*size+gapBytes, size
	if j.byColumns() {
		t.aRow, t.aStep = size, rows*size
	}
	return unsafe.Add(j.packed, at+(u.firstRow-u.chunkFirst)*t.aRow)
}

func (j *job[T]) byColumns() bool {
	return j.product.A.RowStride == 1 && j.product.A.ColumnStride != 1 && !j.turnA
}

// packedB returns where a panel is packed for a block of k.
func (j *job[T]) packedB(product, panel, block int) unsafe.Pointer {
	p := &j.part
	columns := roundUp(p.lastColumn-p.firstColumn, j.width)
	from, extra := j.block(block), j.extraRows
	steps, depth := from-j.block(p.firstBlock)+(block-p.firstBlock)*extra, j.block(block+1)-from+extra
	at := j.products*j.aBytes + product*j.bBytes + (columns*steps+panel*j.width*depth)*j.size
	return unsafe.Add(j.packed, at)
}

func (j *job[T]) packChunk(t *tile[T], product, chunk, block int) {
	u := unit{product: product}
	u.chunkFirst, u.chunkLast = j.chunk(chunk)
	u.firstRow = u.chunkFirst
	j.packRows(t, u, j.packedA(t, u, block), u.chunkFirst, block)
}

// packOwn packs the rows of a unit for a block of k, for this unit alone, where its thread has packed others before.
func (j *job[T]) packOwn(t *tile[T], u unit, block int) unsafe.Pointer {
	own := unit{product: u.product, chunkFirst: j.part.firstRow + u.slot*j.part.longestStrip}
	own.chunkLast, own.firstRow = own.chunkFirst+u.lastRow-u.firstRow, own.chunkFirst
	dst := j.packedA(t, own, block)
	j.packRows(t, own, dst, u.firstRow, block)
	return dst
}

// packRows packs as many rows of A as the chunk of u has, from the first on, for a block of k.
func (j *job[T]) packRows(t *tile[T], u unit, dst unsafe.Pointer, first, block int) {
	x, size, product := &j.product, j.size, u.product
	rows, from := u.chunkLast-u.chunkFirst, j.block(block)
	depth := j.block(block+1) - from
	if j.family.words != nil {
		j.packWordRows(dst, product, first, rows, block, t.aRow)
		return
	}
	aOffset, _, _ := x.offsets(j.part.firstProduct + product)
	row, step := x.A.RowStride*size, x.A.ColumnStride*size
	src := unsafe.Add(x.A.Start, aOffset+first*row+from*step)
	if j.turnA {
		j.family.turnMatrix(dst, src, rows, depth, t.aRow, step)
		return
	}
	lines, length, lineStep, dstStep, srcStep := rows, depth, row, t.aRow, step
	if j.byColumns() {
		lines, length, lineStep, dstStep, srcStep = depth, rows, step, t.aStep, row
	}
	done := 0 // The elements of each line that are copied.
	if vectors := length / j.family.lanes; srcStep == size && j.family.pack != nil && vectors > 0 {
		j.family.pack((*byte)(dst), (*byte)(src), lines, 1, vectors, lineStep, dstStep, 0)
		done = vectors * j.family.lanes
	}
	for i := range lines {
		to := unsafe.Slice((*T)(unsafe.Add(dst, i*dstStep+done*size)), length-done)
		line := unsafe.Add(src, i*lineStep+done*srcStep)
		if srcStep == size {
			copy(to, unsafe.Slice((*T)(line), length-done))
			continue
		}
		for i := range to {
			to[i] = *(*T)(unsafe.Add(line, i*srcStep))
		}
	}
}

// turnMatrix writes so many columns of memory as rows, which are so many bytes apart. It reads the memory in order, by squares that are as
// wide as a vector.
func (f *family[T]) turnMatrix(dst, src unsafe.Pointer, rows, depth, dstRow, srcStep int) {
	var zero T
	size, lanes := int(unsafe.Sizeof(zero)), f.lanes
	if f.turn == nil || min(rows, depth) < lanes {
		if f.narrower != nil {
			f.narrower.turnMatrix(dst, src, rows, depth, dstRow, srcStep)
			return
		}
		for row := range rows {
			for k := range depth {
				*(*T)(unsafe.Add(dst, row*dstRow+k*size)) = *(*T)(unsafe.Add(src, k*srcStep+row*size))
			}
		}
		return
	}
	last := rows - lanes
	for k := 0; k < depth; k += lanes {
		first := min(k, depth-lanes) // Some are copied twice.
		to, from := unsafe.Add(dst, first*size), unsafe.Add(src, first*srcStep)
		f.turn((*byte)(to), (*byte)(from), dstRow, srcStep, rows/lanes)
		if rows%lanes > 0 {
			f.turn((*byte)(unsafe.Add(to, last*dstRow)), (*byte)(unsafe.Add(from, last*size)), dstRow, srcStep, 1)
		}
	}
}

// ownPanel returns where a panel of a unit is packed for a block of k. The unit packs some at a time, in the place of those before.
func (j *job[T]) ownPanel(u unit, panel, block int) unsafe.Pointer {
	number := (panel - u.firstPanel) % j.ownPanels
	to := unsafe.Add(j.packed, j.products*j.aBytes+u.product*j.bBytes+u.firstPanel*j.width*(j.longest()+j.extraRows)*j.size)
	if number == 0 {
		j.packPanels(to, u.product, panel, min(panel+j.ownPanels, u.lastPanel), block)
	}
	return unsafe.Add(to, number*j.panelBytes(block))
}

// panelBytes is the length of a panel that is packed for a block of k.
func (j *job[T]) panelBytes(block int) int {
	return j.width * (j.block(block+1) - j.block(block) + j.extraRows) * j.size
}

// packPanels packs the panels from the first to before the last for a block of k.
func (j *job[T]) packPanels(to unsafe.Pointer, product, first, last, block int) {
	p, x, width := &j.part, &j.product, j.width
	if j.family.words != nil {
		j.packWordPanels(to, product, first, last-first, block)
		return
	}
	from := j.block(block)
	depth := j.block(block+1) - from
	_, bOffset, _ := x.offsets(p.firstProduct + product)
	row, step := x.B.RowStride*j.bSize, x.B.ColumnStride*j.bSize
	src := unsafe.Add(x.B.Start, bOffset+from*row+p.firstColumn*step)
	number := first
	if whole := min(last, (p.lastColumn-p.firstColumn)/width) - first; step == j.bSize && j.family.pack != nil && whole > 0 {
		j.family.packColumns(x.Source, to, unsafe.Add(src, first*width*step), width, width, whole, depth, row)
		number += whole
	}
	for ; number < last; number++ {
		panel, columns := unsafe.Add(to, (number-first)*j.panelBytes(block)), unsafe.Add(src, number*width*step)
		j.family.packPanel(x.Source, panel, columns, width, min(width, p.lastColumn-p.firstColumn-number*width), depth, row, step)
	}
}

// packColumns packs so many columns to each of some panels of the given width. Elements of the product fill them.
func (f *family[T]) packColumns(source Source, to, src unsafe.Pointer, width, columns, panels, depth, row int) {
	var zero T
	dstRow := width * int(unsafe.Sizeof(zero))
	if source == OfProduct {
		f.pack((*byte)(to), (*byte)(src), depth, panels, width/f.lanes, row, dstRow, dstRow*depth)
		return
	}
	f.rows[source].pack((*byte)(to), (*byte)(src), depth, panels, pieces(columns, f.lanes), row, dstRow, dstRow*depth, f.mask(columns))
}

// packPanel packs so many columns and rows, which are so many bytes apart, to a panel of the given width.
func (f *family[T]) packPanel(source Source, to, src unsafe.Pointer, width, columns, depth, row, step int) {
	dst := unsafe.Slice((*T)(to), width*depth)
	size := int(unsafe.Sizeof(dst[0]))
	if step == source.size(size) {
		if source != OfProduct || columns == width && f.pack != nil {
			f.packColumns(source, to, src, width, columns, 1, depth, row)
			return
		}
		for k := range depth {
			copy(dst[k*width:], unsafe.Slice((*T)(unsafe.Add(src, k*row)), columns))
		}
		return
	}
	if row == size {
		f.turnMatrix(to, src, depth, columns, width*size, step)
		return
	}
	for k := range depth {
		for column := range columns {
			dst[k*width+column] = *(*T)(unsafe.Add(src, column*step+k*row))
		}
	}
}
