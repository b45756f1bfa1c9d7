package cpu

import (
	"unsafe"

	"github.com/weft-nd/weft/dtype"
)

const (
	// columnsTogether is how many rows are turned round at a time: those of several lines of the cache, which are mostly on one page.
	columnsTogether = 64
	// fewestTogether is from how many on it pays.
	fewestTogether = 4
	// columnsElements is how many elements a block of them has at most.
	columnsElements = 1 << 18
)

// columnsAsRows are rows whose elements are far apart, but beside those of the next rows: columns of matrices. Some at
// a time are brought to a block, where each lies in one piece, so that lines of the cache are read and written once.
type columnsAsRows[T dtype.Float] struct {
	w                     *rowWork[T]
	outer                 *nest
	inner                 []stretches[T]
	written               int // of the operands, the first ones
	length, pitch, blocks int // elements of a row, those from row to row of a block, and rows of a block
}

// newColumnsAsRows returns the rows that outer and inner make. It reports false where they are not such rows.
func newColumnsAsRows[T dtype.Float](w *rowWork[T], outer *nest, inner []stretches[T], written, length int) (r columnsAsRows[T], found bool) {
	var element T
	size := int(unsafe.Sizeof(element))
	pitch := length + 64/size // lest all rows fall on the same sets of the first cache
	r = columnsAsRows[T]{w, outer, inner, written, length, pitch, min(columnsTogether, columnsElements/pitch)}
	if min(r.blocks, outer.inner()) < fewestTogether || direct(inner) {
		return r, false
	}
	for i := range inner {
		if s := &inner[i]; !s.direct && (outer.stride(i) != size || len(s.nest.shape) != 1) {
			return r, false
		}
	}
	return r, true
}

// run calls body for rows [lo, hi).
func (r *columnsAsRows[T]) run(lo, hi int, body func(w *rowWork[T], row int, rows *[maxOperands][]T)) {
	var c cursor
	c.seek(r.outer, lo)
	for row := lo; row < hi; {
		together := min(r.blocks, c.rest, hi-row)
		for i := r.written; i < len(r.inner); i++ {
			r.turn(i, c.pointer(i), together, true)
		}
		for number := range together {
			for i := range r.inner {
				r.w.rows[i] = r.row(i, c.pointer(i), number)
			}
			body(r.w, row+number, &r.w.rows)
		}
		for i := range r.written {
			r.turn(i, c.pointer(i), together, false)
		}
		row += together
		c.advance(together)
	}
}

// block returns the block of an operand.
func (r *columnsAsRows[T]) block(operand int) []T {
	kept := &r.w.turned[operand]
	if needed := r.blocks * r.pitch; cap(*kept) < needed {
		*kept = make([]T, needed)
	}
	return (*kept)[:r.blocks*r.pitch]
}

// row returns a row of those whose first one begins at first.
func (r *columnsAsRows[T]) row(operand int, first unsafe.Pointer, number int) []T {
	if r.inner[operand].direct {
		return slice[T](unsafe.Add(first, number*r.outer.stride(operand)), r.length)
	}
	return r.block(operand)[number*r.pitch:][:r.length]
}

// turn brings so many rows, the first of which begins at first, to the block, or from there back.
func (r *columnsAsRows[T]) turn(operand int, first unsafe.Pointer, rows int, bring bool) {
	s := &r.inner[operand]
	if s.direct {
		return
	}
	block := unsafe.Pointer(unsafe.SliceData(r.block(operand)))
	size, stride := s.nest.operands[0].size, s.nest.stride(0)
	if bring {
		plane{size: size, rows: r.length, columns: rows, dstRow: size, srcRow: stride, dstColumn: r.pitch * size, srcColumn: size, byRows: true}.copy(block, first)
		return
	}
	plane{size: size, rows: rows, columns: r.length, dstRow: size, srcRow: r.pitch * size, dstColumn: stride, srcColumn: size}.copy(first, block)
}
