package gemm

import "unsafe"

// rowColumns is how many columns of C of a single row a unit computes at a time, whose sums stay in the first cache.
const rowColumns = 1024

// rowSums is what a thread needs for a single row.
type rowSums[T Float] struct {
	sums [2][rowColumns]T // of two blocks of k
	tail [2 * 16 * 16]T   // the steps after the squares of lines
}

// multiplyRow computes the columns from first to before last of a product of a single row.
func (j *job[T]) multiplyRow(t *paddedTile[T], a, b, c unsafe.Pointer, first, last int) {
	lanes, x := j.family.lanes, &j.product
	for ; first < last; first += rowColumns {
		columns := min(rowColumns, last-first)
		// Columns are read by whole vectors, of which there is at least one in B.
		from := first
		if j.byLines {
			from = min(first, j.n-lanes)
		}
		to, beta := unsafe.Slice((*T)(unsafe.Add(c, first*j.size)), columns), x.Beta
		for block := 0; block < j.blocks; block += 2 {
			count := min(2, j.blocks-block)
			if j.byLines {
				j.sumLines(t, a, b, block, count, from, first+columns)
			} else {
				for i := range count {
					j.sumRows(t, a, b, block+i, i, from, columns)
				}
			}
			for i := range count {
				j.family.scale(to, t.row.sums[i][first-from:][:columns], x.Alpha, beta)
				beta = 1
			}
		}
		j.finish(unsafe.Pointer(&to[0]), 0, first, 1, columns)
	}
}

// sumRows computes the sums of a block for columns of B that are adjacent.
func (j *job[T]) sumRows(padded *paddedTile[T], a, b unsafe.Pointer, block, number, first, columns int) {
	t, from := &padded.tile, j.block(block)
	sums := padded.row.sums[number][:roundUp(columns, j.family.lanes)]
	clear(sums)
	t.depth, t.rows, t.mask = j.block(block+1)-from, pieces(columns, j.family.lanes), j.family.mask(columns)
	t.aStep, t.bStep = j.product.A.ColumnStride*j.size, j.product.B.RowStride*j.size
	t.a, t.b, t.c = unsafe.Add(a, from*t.aStep), unsafe.Add(b, first*j.size+from*t.bStep), unsafe.Pointer(&sums[0])
	j.family.row((*byte)(unsafe.Pointer(t)))
}

// sumLines computes the sums of one or two blocks for columns of B whose elements are adjacent along k, a vector of them at a time: two
// chains of sums run beside each other, those of two blocks, or else of two vectors of columns.
func (j *job[T]) sumLines(padded *paddedTile[T], a, b unsafe.Pointer, block, count, first, last int) {
	t, lanes, size := &padded.tile, j.family.lanes, j.size
	from, step, aStep := j.block(block), j.product.B.ColumnStride*size, j.product.A.ColumnStride*size
	length := j.block(block+1) - from
	squares, together := length/lanes, 2*lanes
	if count == 2 {
		squares, together = min(length, j.block(block+2)-from-length)/lanes, lanes
	}
	for column := first; column < last; column += together {
		column := min(column, last-lanes) // Some are computed twice.
		second := min(column+lanes, last-lanes) - column
		t.depth, t.aStep, t.bStep = squares, aStep, step
		t.a, t.b, t.c = unsafe.Add(a, from*aStep), unsafe.Add(b, column*step+from*size), unsafe.Pointer(&padded.row.sums[0][column-first])
		t.aRow, t.next, t.cRow = 0, uintptr(second*step), second*size
		if count == 2 {
			t.aRow, t.next, t.cRow = length*aStep, uintptr(length*size), rowColumns*size
		}
		j.family.line((*byte)(unsafe.Pointer(t)))
	}
	for i := range count {
		begin := j.block(block+i) + squares*lanes
		if rest := j.block(block+i+1) - begin; rest > 0 {
			t.aStep, t.bStep = aStep, lanes*size
			j.sumTail(padded, unsafe.Add(a, begin*aStep), unsafe.Add(b, begin*size), i, rest, first, last, squares > 0)
		}
	}
}

// sumTail adds the last steps of a block, fewer than two vectors have elements, from a copy: of a square that ends with them if they are
// behind others.
func (j *job[T]) sumTail(padded *paddedTile[T], a, b unsafe.Pointer, number, steps, first, last int, behind bool) {
	t, lanes, step := &padded.tile, j.family.lanes, j.product.B.ColumnStride*j.size
	for column := first; column < last; column += lanes {
		columns, tail := min(lanes, last-column), padded.row.tail[:]
		if before := lanes - steps; behind && before >= 0 && columns == lanes {
			j.family.turn((*byte)(unsafe.Pointer(&tail[0])), (*byte)(unsafe.Add(b, column*step-before*j.size)), lanes*j.size, step, 1)
			tail = tail[before*lanes:]
		} else {
			for i := range columns {
				line := unsafe.Add(b, (column+i)*step)
				for k := range steps {
					tail[k*lanes+i] = *(*T)(unsafe.Add(line, k*j.size))
				}
			}
		}
		t.depth, t.rows, t.mask = steps, 1, j.family.mask(columns)
		t.a, t.b, t.c = a, unsafe.Pointer(&tail[0]), unsafe.Pointer(&padded.row.sums[number][column-first])
		j.family.row((*byte)(unsafe.Pointer(t)))
	}
}

// scale writes c = alpha*sums + beta*c, as the kernels of tiles do.
func (f *family[T]) scale(c, sums []T, alpha, beta T) {
	if alpha != 1 {
		for i := range sums {
			sums[i] *= alpha
		}
	}
	switch beta {
	case 0:
		copy(c, sums)
	case 1:
		f.add(unsafe.Pointer(&c[0]), unsafe.Pointer(&sums[0]), 1, len(c), 0, 0, 1)
	default:
		for i, sum := range sums {
			c[i] = fma(c[i], beta, sum)
		}
	}
}
