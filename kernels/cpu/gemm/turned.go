package gemm

import "unsafe"

// turnedKernel is the kernel of few rows of A by a vector of columns of B whose elements are adjacent along k, which it transposes as it
// reads them: to pack them first would take longer than the product.
type turnedKernel struct {
	compute kernel // nil if there is none
	height  int    // the most rows of a tile
}

// turnsB tells whether the tiles of a product, each of all of its rows, transpose B as they read it.
func (p *Product[T]) turnsB(f *family[T]) bool {
	return p.M > 1 && p.M <= f.turned.height && p.B.RowStride == 1 && p.B.ColumnStride != 1 && min(p.N, p.K) >= f.lanes && p.Source == OfProduct
}

// multiplyTurned computes the rows and columns of a unit, all blocks of k of a vector of columns one after the other, so that B is read in
// the order of memory.
func (j *job[T]) multiplyTurned(padded *paddedTile[T], u unit, a, b, c unsafe.Pointer) {
	t, x, f, size := &padded.tile, &j.product, j.family, j.size
	first, last := u.firstPanel*f.lanes, min(j.n, u.lastPanel*f.lanes)
	t.aRow, t.aStep, t.bStep, t.cRow = x.A.RowStride*size, x.A.ColumnStride*size, x.B.ColumnStride*size, x.C.RowStride*size
	t.rows, t.mask, t.alpha = u.lastRow-u.firstRow, f.mask(f.lanes), x.Alpha
	c = unsafe.Add(c, u.firstRow*t.cRow)
	for column := first; column < last; column += f.lanes {
		columns := min(f.lanes, last-column)
		for block := range j.blocks {
			from := j.block(block)
			t.depth, t.beta = j.block(block+1)-from, x.Beta
			if block > 0 {
				t.beta = 1
			}
			if j.packA {
				t.a = j.packedA(t, u, block)
			} else {
				t.a = unsafe.Add(a, u.firstRow*t.aRow+from*t.aStep)
			}
			t.b, t.c = unsafe.Add(b, column*t.bStep+from*size), unsafe.Add(c, column*size)
			if columns < f.lanes {
				j.multiplyLastTurned(padded, columns)
				continue
			}
			f.turned.compute((*byte)(unsafe.Pointer(t)))
		}
	}
	j.finish(unsafe.Add(c, first*size), u.firstRow, first, t.rows, last-first)
}

// multiplyLastTurned computes a tile of the last columns, which are fewer than a vector has: those before them are computed once more.
func (j *job[T]) multiplyLastTurned(padded *paddedTile[T], columns int) {
	whole, f, sums := padded.tile, j.family, padded.sumsOfRow().sums[0][:]
	t := &padded.tile
	t.b, t.c, t.cRow = unsafe.Add(t.b, (columns-f.lanes)*t.bStep), unsafe.Pointer(&sums[0]), f.lanes*j.size
	t.alpha, t.beta = 1, 0
	f.turned.compute((*byte)(unsafe.Pointer(t)))
	for row := range t.rows {
		to := unsafe.Slice((*T)(unsafe.Add(whole.c, row*whole.cRow)), columns)
		f.scale(to, sums[(row+1)*f.lanes-columns:][:columns], whole.alpha, whole.beta)
	}
	*t = whole
}
