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
			j.packPanels(product, unit/blocks*p.panelsToPack, p.panelsToPack, p.firstBlock+unit%blocks)
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

// ownPanel returns where a unit packs one panel after the other.
func (j *job[T]) ownPanel(u unit) unsafe.Pointer {
	return unsafe.Add(j.packed, j.products*j.aBytes+u.product*j.bBytes+u.firstPanel*j.width*(j.longest()+j.extraRows)*j.size)
}

// packPanels packs that many panels, or those that there are, from the first on for a block of k.
func (j *job[T]) packPanels(product, first, count, block int) {
	p, x, size := &j.part, &j.product, j.size
	if j.family.words != nil {
		j.packWordPanels(j.packedB(product, first, block), product, first, count, block)
		return
	}
	from := j.block(block)
	depth := j.block(block+1) - from
	last := min(first+count, pieces(p.lastColumn-p.firstColumn, j.width))
	if x.B.ColumnStride == 1 && j.family.pack != nil {
		if whole := min(last, (p.lastColumn-p.firstColumn)/j.width) - first; whole > 0 {
			_, bOffset, _ := x.offsets(p.firstProduct + product)
			row := x.B.RowStride * size
			src := unsafe.Add(x.B.Start, bOffset+from*row+(p.firstColumn+first*j.width)*size)
			dst := j.packedB(product, first, block)
			j.family.pack((*byte)(dst), (*byte)(src), depth, whole, j.width/j.family.lanes, row, j.width*size, j.width*depth*size)
			first += whole
		}
	}
	for panel := first; panel < last; panel++ {
		j.packPanel(j.packedB(product, panel, block), product, panel, block)
	}
}

// packPanel packs a panel for a block of k.
func (j *job[T]) packPanel(to unsafe.Pointer, product, panel, block int) {
	if j.family.words != nil {
		j.packWordPanels(to, product, panel, 1, block)
		return
	}
	p, x, size, width := &j.part, &j.product, j.size, j.width
	from := j.block(block)
	_, bOffset, _ := x.offsets(p.firstProduct + product)
	row, step := x.B.RowStride*size, x.B.ColumnStride*size
	column := p.firstColumn + panel*width
	src := unsafe.Add(x.B.Start, bOffset+from*row+column*step)
	j.family.packPanel(to, src, width, min(width, p.lastColumn-column), j.block(block+1)-from, row, step)
}

// packPanel packs so many columns and rows, which are so many bytes apart, to a panel of the given width.
func (f *family[T]) packPanel(to, src unsafe.Pointer, width, columns, depth, row, step int) {
	dst := unsafe.Slice((*T)(to), width*depth)
	size := int(unsafe.Sizeof(dst[0]))
	if step == size {
		if columns == width && f.pack != nil {
			f.pack((*byte)(to), (*byte)(src), depth, 1, width/f.lanes, row, width*size, 0)
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
