package gemm

import "unsafe"

// Finish is what happens to the elements of C once their sums are complete and C is written, while it is in the cache: the
// elements of Plus are added, one matrix after the other, then those that are negative become zero if Rectify is set, and
// then Then is called. Each step gives the bits that an operation of its own on all of C gives. The zero Finish does nothing.
type Finish[T Float] struct {
	// Plus are matrices of the shape of C, without one where Start is nil. Strides may be zero: a row that is added to all rows
	// has a RowStride of zero. They do not overlap C. All products of a batch have the same.
	Plus [2]Matrix
	// Rectify makes every c the greater of c and 0; NaN stays NaN, and -0 becomes 0.
	Rectify bool
	// Then computes a function of each element in place, and may be nil. It is called from several goroutines, for adjacent
	// elements, each once.
	Then func(c []T)
}

func (f *Finish[T]) isNothing() bool {
	return f.Plus[0].Start == nil && f.Plus[1].Start == nil && !f.Rectify && f.Then == nil
}

// finish does the rest of the work on so many rows and columns of C, the first of which are row and column.
func (j *job[T]) finish(c unsafe.Pointer, row, column, rows, columns int) {
	f := &j.product.Finish
	if f.isNothing() {
		return
	}
	size, cRow := j.size, j.product.C.RowStride*j.size
	for i := range f.Plus {
		if plus := &f.Plus[i]; plus.Start != nil {
			x := unsafe.Add(plus.Start, (row*plus.RowStride+column*plus.ColumnStride)*size)
			j.family.add(c, x, rows, columns, cRow, plus.RowStride*size, plus.ColumnStride)
		}
	}
	if f.Rectify {
		j.family.rectify(c, rows, columns, cRow)
	}
	if f.Then != nil {
		for i := range rows {
			f.Then(unsafe.Slice((*T)(unsafe.Add(c, i*cRow)), columns))
		}
	}
}

// finishAll is finish for a product that is not computed by tiles.
func (p *Product[T]) finishAll() {
	if p.Finish.isNothing() {
		return
	}
	j := takeJob[T]()
	j.product, j.family, j.size = *p, p.family(), int(unsafe.Sizeof(p.Alpha))
	for product := range p.count() {
		_, _, at := p.offsets(product)
		j.finish(unsafe.Add(p.C.Start, at), 0, 0, p.M, p.N)
	}
	j.release()
}

// finishing is the assembly for a Finish of tiles whose rows have so many vectors, of the last the lanes of the mask.
type finishing struct {
	add     func(c, x *byte, rows, vectors, cRow, xRow int, mask uint64)
	spread  func(c, x *byte, rows, vectors, cRow, xRow int, mask uint64) // adds one element of x to a whole row
	rectify func(c *byte, rows, vectors, cRow int, mask uint64)
}

// add adds x to c. Steps from row to row are in bytes, that from column to column in elements.
func (f *family[T]) add(c, x unsafe.Pointer, rows, columns, cRow, xRow, xColumn int) {
	if f.integers {
		addIntegers[T](c, x, rows, columns, cRow, xRow)
		return
	}
	if xColumn|1 == 1 && f.kernels != nil {
		add := f.finishing.add
		if xColumn == 0 {
			add = f.finishing.spread
		}
		add((*byte)(c), (*byte)(x), rows, pieces(columns, f.lanes), cRow, xRow, f.mask(columns))
		return
	}
	for i := range rows {
		line, from := unsafe.Slice((*T)(unsafe.Add(c, i*cRow)), columns), unsafe.Add(x, i*xRow)
		for j, v := range line {
			line[j] = v + *(*T)(unsafe.Add(from, j*xColumn*int(unsafe.Sizeof(v))))
		}
	}
}

func (f *family[T]) rectify(c unsafe.Pointer, rows, columns, cRow int) {
	if f.kernels != nil {
		f.finishing.rectify((*byte)(c), rows, pieces(columns, f.lanes), cRow, f.mask(columns))
		return
	}
	for i := range rows {
		line := unsafe.Slice((*T)(unsafe.Add(c, i*cRow)), columns)
		for j, v := range line {
			line[j] = max(v, 0)
		}
	}
}
