package cpu

import (
	"math/bits"
	"unsafe"

	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/parallel"
)

// transposer writes a matrix transposed: element (row, column) is at row*srcStride + column*size from src, and goes to
// column*dstStride + row*size from dst. Rows and columns are positive multiples of those of a tile, but for narrow ones.
type transposer func(dst, src *byte, dstStride, srcStride, rows, columns int)

// transposers is the assembly by the logarithm of the size of elements; then with ordinary stores, and with stores that go
// past the caches, for which dst and dstStride are multiples of a vector; then for AVX2 and AVX-512.
var transposers [5][2][2]transposer

// narrowTransposers are for a matrix of few columns, or of few rows, 1 to narrowTile of them. The former has a multiple
// of the rows of a tile, of each of which 16 bytes are read; the latter has as many columns, to each of which
// narrowTile elements are written, one column after the other. By the logarithm of the size of elements, up to 8 bytes;
// then for few columns and for few rows; then for AVX2 and AVX-512.
var narrowTransposers [4][2][2]transposer

// narrowTile returns how many columns a narrow tile has.
func narrowTile(size int) int { return min(4, 16/size) }

// planeBlock is the side of the blocks in which planes are copied, in bytes.
const planeBlock = 1024

// plane is a pair of axes of two operands: the row axis, which is the innermost of the result, and the column axis, which is
// the innermost of the source.
type plane struct {
	size                 int // bytes of an element
	rows, columns        int
	dstRow, srcRow       int // bytes from one row to the next
	dstColumn, srcColumn int
	streams              bool
	byRows               bool // tiles follow each other along rows: of short rows so far apart that their lines would be lost before the next tiles
}

// transposed returns the axis along which the elements of operand 1 are nearest to each other, where that is not the
// innermost one.
func (n *nest) transposed() (axis int, found bool) {
	last := len(n.shape) - 1
	strides := n.operands[1].strides
	axis = last
	for candidate, stride := range strides[:last] {
		if stride != 0 && magnitude(stride) < magnitude(strides[axis]) {
			axis = candidate
		}
	}
	return axis, axis != last
}

// copyPlanes copies operand 1 to operand 0 by planes of axis and the innermost one.
func copyPlanes(t *parallel.Thread, n *nest, axis int) {
	last := len(n.shape) - 1
	dst, src := &n.operands[0], &n.operands[1]
	if src.strides[axis] < 0 { // backwards in both
		for _, o := range []*operand{dst, src} {
			o.pointer = unsafe.Add(o.pointer, o.strides[axis]*(n.shape[axis]-1))
			o.strides[axis] = -o.strides[axis]
		}
	}
	p := plane{
		size: dst.size, rows: n.shape[last], columns: n.shape[axis],
		dstRow: dst.strides[last], srcRow: src.strides[last], dstColumn: dst.strides[axis], srcColumn: src.strides[axis],
		streams: n.count*dst.size >= streamed,
	}
	across, down := shares(p.rows, planeBlock/p.size), shares(p.columns, planeBlock/p.size)
	if len(n.shape) == 2 && across*down == 1 {
		p.copy(dst.pointer, src.pointer)
		return
	}
	outer := n.without(axis)
	cost := light * float64(n.count/(outer.count*across*down))
	t.ForCost(outer.count*down*across, cost, func(_ *parallel.Thread, lo, hi int) {
		var c cursor
		for unit := lo; unit < hi; unit++ {
			c.seek(outer, unit/(down*across))
			row, rows := share(p.rows, across, unit%across)
			column, columns := share(p.columns, down, unit/across%down)
			block := p
			block.rows, block.columns = rows, columns
			block.copy(unsafe.Add(c.pointer(0), row*p.dstRow+column*p.dstColumn), unsafe.Add(c.pointer(1), row*p.srcRow+column*p.srcColumn))
		}
	})
}

// shares returns into how many parts of at least the given length an axis is cut.
func shares(length, block int) int { return max(1, length/block) }

// partUnit is what parts of an axis but the last are multiples of: the longest side of any tile.
const partUnit = 64

// share returns part number i of an axis that is cut into count.
func share(length, count, i int) (first, size int) {
	cut := func(i int) int {
		if i == count {
			return length
		}
		return i * length / count / partUnit * partUnit
	}
	first = cut(i)
	return first, cut(i+1) - first
}

// copy copies a block of the plane. By tiles, those that do not fit the block at its end overlap the ones before.
func (p plane) copy(dst, src unsafe.Pointer) {
	rows, columns := tileSides(p.size)
	if p.dstRow != p.size || p.srcColumn != p.size || p.rows < rows || p.columns < columns {
		p.copyNarrow(dst, src)
		return
	}
	restRows, restColumns := p.rows%rows, p.columns%columns
	whole := p
	whole.rows, whole.columns = p.rows-restRows, p.columns-restColumns
	whole.transpose(dst, src)
	whole.streams = false
	if restColumns > 0 {
		last := whole
		last.columns = columns
		at := p.columns - columns
		last.transpose(unsafe.Add(dst, at*p.dstColumn), unsafe.Add(src, at*p.size))
	}
	if restRows > 0 {
		last := whole
		last.rows = rows
		at := p.rows - rows
		dst, src = unsafe.Add(dst, at*p.size), unsafe.Add(src, at*p.srcRow)
		last.transpose(dst, src)
		if restColumns > 0 {
			last.columns = columns
			at := p.columns - columns
			last.transpose(unsafe.Add(dst, at*p.dstColumn), unsafe.Add(src, at*p.size))
		}
	}
}

// copyNarrow copies a block that has fewer rows or columns than a tile.
func (p plane) copyNarrow(dst, src unsafe.Pointer) {
	length, _ := tileSides(p.size)
	if features.Best == features.Portable || max(p.rows, p.columns) < length || p.size > 8 || p.dstRow != p.size || p.srcColumn != p.size {
		p.copyElements(dst, src)
		return
	}
	most, ways := narrowTile(p.size), &narrowTransposers[bits.TrailingZeros(uint(p.size))]
	switch {
	case p.rows >= length && p.srcRow >= p.columns*p.size:
		eachStrip(p.columns, most, func(column, columns int) {
			strip := p
			strip.columns = columns
			strip.copyFewColumns(ways[0][features.Best-features.AVX2], unsafe.Add(dst, column*p.dstColumn), unsafe.Add(src, column*p.size), 16-(p.columns-column)*p.size)
		})
	case p.rows < length && (p.rows >= most || p.dstColumn == p.rows*p.size):
		eachStrip(p.rows, most, func(row, rows int) {
			strip := p
			strip.rows = rows
			strip.copyFewRows(ways[1][features.Best-features.AVX2], unsafe.Add(dst, row*p.size), unsafe.Add(src, row*p.srcRow), (most-rows)*p.size)
		})
	default:
		p.copyElements(dst, src)
	}
}

// eachStrip calls body for the strips of an axis: most items each, the last of which may be in the strip before, too,
// or all that there are.
func eachStrip(length, most int, body func(first, count int)) {
	for first := 0; first < length; first += most {
		first = max(0, min(first, length-most))
		body(first, min(most, length))
	}
}

// stepsOver returns how many steps lead over so many bytes.
func stepsOver(bytes, step int) int {
	if bytes <= 0 {
		return 0
	}
	return (bytes + step - 1) / step
}

// copyFewColumns copies a strip by narrow tiles as far as these, which read so many bytes behind the strip, read
// nothing behind the last row.
func (p plane) copyFewColumns(transpose transposer, dst, src unsafe.Pointer, behind int) {
	length, _ := tileSides(p.size)
	if tiled := max(0, p.rows-stepsOver(behind, p.srcRow)) / length * length; tiled > 0 {
		transpose((*byte)(dst), (*byte)(src), p.dstColumn, p.srcRow, tiled, p.columns)
		if p.rows -= tiled; p.rows == 0 {
			return // The addresses would be those of other memory.
		}
		dst, src = unsafe.Add(dst, tiled*p.size), unsafe.Add(src, tiled*p.srcRow)
	}
	p.copyElements(dst, src)
}

// copyFewRows copies a strip by tiles as far as these, which write so many bytes behind a column, write nothing behind the last one.
func (p plane) copyFewRows(transpose transposer, dst, src unsafe.Pointer, behind int) {
	length, _ := tileSides(p.size)
	if tiled := max(0, p.columns-stepsOver(behind, p.dstColumn)) / length * length; tiled > 0 {
		transpose((*byte)(dst), (*byte)(src), p.dstColumn, p.srcRow, p.rows, tiled)
		if p.columns -= tiled; p.columns == 0 {
			return
		}
		dst, src = unsafe.Add(dst, tiled*p.dstColumn), unsafe.Add(src, tiled*p.size)
	}
	p.copyElements(dst, src)
}

// tileSides returns the extent of a tile.
func tileSides(size int) (rows, columns int) {
	vector := 32
	switch features.Best {
	case features.Portable:
		return portableTile, portableTile
	case features.AVX512:
		vector = 64
	}
	if size <= 2 {
		return vector / size, 16 / size
	}
	return vector / size, vector / size
}

// transpose copies whole tiles.
func (p plane) transpose(dst, src unsafe.Pointer) {
	if features.Best == features.Portable {
		p.copyElements(dst, src)
		return
	}
	way := 0
	if p.streams && (uintptr(dst)|uintptr(p.dstColumn))%64 == 0 {
		way = 1
	}
	run := transposers[bits.TrailingZeros(uint(p.size))][way][features.Best-features.AVX2]
	together := p.rows
	if p.byRows {
		together, _ = tileSides(p.size)
	}
	for row := 0; row < p.rows; row += together {
		run((*byte)(unsafe.Add(dst, row*p.size)), (*byte)(unsafe.Add(src, row*p.srcRow)), p.dstColumn, p.srcRow, together, p.columns)
	}
}

// copyElements copies without assembly.
func (p plane) copyElements(dst, src unsafe.Pointer) {
	switch p.size {
	case 1:
		copyPlane[uint8](p, dst, src)
	case 2:
		copyPlane[uint16](p, dst, src)
	case 4:
		copyPlane[uint32](p, dst, src)
	case 8:
		copyPlane[uint64](p, dst, src)
	default:
		copyPlane[[2]uint64](p, dst, src)
	}
}

// portableTile is the side of the squares in which planes are copied without assembly. A square is read by rows into a
// buffer and written by columns from there, so that strides of powers of two do not make it fight for the same lines of the
// cache. Short rows that lie close together need none.
const portableTile = 32

func copyPlane[T any](p plane, dst, src unsafe.Pointer) {
	if side := min(p.rows, p.columns); side < portableTile/4 || side < portableTile/2 && p.srcRow <= 8*portableTile {
		copyStrip[T](p, dst, src)
		return
	}
	var buffer [portableTile * portableTile]T
	for column := 0; column < p.columns; column += portableTile {
		for row := 0; row < p.rows; row += portableTile {
			rows, columns := min(portableTile, p.rows-row), min(portableTile, p.columns-column)
			from := unsafe.Add(src, row*p.srcRow+column*p.srcColumn)
			for r := range rows {
				line := unsafe.Add(from, r*p.srcRow)
				for c := range columns {
					buffer[c*portableTile+r] = *(*T)(unsafe.Add(line, c*p.srcColumn))
				}
			}
			to := unsafe.Add(dst, row*p.dstRow+column*p.dstColumn)
			for c := range columns {
				line := buffer[c*portableTile:][:rows]
				at := unsafe.Add(to, c*p.dstColumn)
				if p.dstRow == p.size {
					copy(slice[T](at, rows), line)
					continue
				}
				for r, v := range line {
					*(*T)(unsafe.Add(at, r*p.dstRow)) = v
				}
			}
		}
	}
}

// copyStrip copies a plane with a short axis along the long one.
func copyStrip[T any](p plane, dst, src unsafe.Pointer) {
	if p.columns > p.rows {
		p.rows, p.columns = p.columns, p.rows
		p.dstRow, p.dstColumn = p.dstColumn, p.dstRow
		p.srcRow, p.srcColumn = p.srcColumn, p.srcRow
	}
	for c := range p.columns {
		moveElements[T](unsafe.Add(dst, c*p.dstColumn), p.dstRow, unsafe.Add(src, c*p.srcColumn), p.srcRow, p.rows)
	}
}
