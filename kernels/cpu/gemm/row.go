package gemm

import (
	"math"
	"unsafe"

	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

const (
	rowColumns  = 1024      // of C of a single row that a unit computes at a time: the sums of one chain stay in the first cache
	rowUnits    = 2         // for each thread: memory is read faster in long pieces
	stripBytes  = 256 << 10 // of a block of B at most that is read by strips of its rows; larger ones are read in the order of memory
	cachedBytes = 16 << 20  // of all B at most that are thought to be in the last cache
)

// readsFewRows tells whether four rows are read faster from the last cache than eight: with Zen 4, lines of more, and
// those fetched ahead, do not fit the sets of the first cache on which they fall where rows are a power of two apart.
var readsFewRows = features.Zen4

// manyRowsFrom returns from how many rows on the kernel takes eight at a time, where all matrices together have so many bytes.
func manyRowsFrom(bytes int) int {
	if readsFewRows && bytes <= cachedBytes {
		return math.MaxInt
	}
	return 8
}

// rowSums is what a thread needs for a single row.
type rowSums[T Float] struct {
	sums   [chainCount][rowColumns]T // of each chain, which are joined in the first, or of each of several blocks
	chains chains[T]
	a      [depth]T            // the terms of a block, adjacent
	blocks [chainCount]tile[T] // that are computed together
}

// sumsOfRow returns that of the thread. Allocated by itself, it begins with a page, so that no vector of the sums is on two cache lines.
func (t *paddedTile[T]) sumsOfRow() *rowSums[T] {
	if t.row == nil {
		t.row = new(rowSums[T])
	}
	return t.row
}

// rowKernels are the kernels of a single row, and of several what packs rows of a B that is cast.
type rowKernels struct {
	row   kernel // of long rows of B
	strip kernel // of short rows of B
	line  kernel // of columns of B whose elements are adjacent along k
	pack  func(dst, src *byte, rows, panels, vectors, srcRow, dstRow, panelStep int, mask uint64)
}

// isRow tells whether the product has a single row, or a single column, which orient makes a row.
func (p *Product[T]) isRow() bool { return min(p.M, p.N) == 1 && p.elements == floats }

// multiplyRow computes the columns from first to before last of a product of a single row.
func (j *job[T]) multiplyRow(t *paddedTile[T], a, b, c unsafe.Pointer, first, last int) {
	x := &j.product
	t.sumsOfRow() // What follows uses t.row.
	for ; first < last; first += rowColumns {
		columns := min(rowColumns, last-first)
		b := unsafe.Add(b, first*x.B.ColumnStride*j.bSize)
		to, beta := unsafe.Slice((*T)(unsafe.Add(c, first*j.size)), columns), x.Beta
		for block := 0; block < j.blocks; {
			count := j.sumBlocks(t, a, b, block, columns)
			for i := range count {
				j.family.scale(to, t.row.sums[i][:columns], x.Alpha, beta)
				beta = 1
			}
			block += count
		}
		j.finish(unsafe.Pointer(&to[0]), 0, first, 1, columns)
	}
}

// sumBlocks writes the sums of one block or several for some columns, and returns of how many.
func (j *job[T]) sumBlocks(t *paddedTile[T], a, b unsafe.Pointer, block, columns int) (count int) {
	f, size, bColumn := j.family, j.bSize, j.product.B.ColumnStride*j.bSize
	j.aim(&t.tile, a, b, block, t.row.sums[0][:])
	switch {
	case f.rows != nil && bColumn == size && t.depth*j.n*size <= stripBytes:
		t.rows, t.mask = pieces(columns, f.lanes), f.mask(columns)
		f.rows[j.product.Source].strip((*byte)(unsafe.Pointer(&t.tile)))
	case f.rows != nil && bColumn == size:
		j.sumRows(t, columns)
	case f.rows != nil && t.bStep == size:
		return j.sumLines(t, a, b, block, columns)
	case abs(bColumn) < abs(t.bStep):
		j.sumDistantRows(t, columns)
	default:
		for i := range columns {
			t.row.sums[0][i] = f.sumChains(&t.row.chains, t.a, unsafe.Add(t.b, i*bColumn), t.aStep, t.bStep, t.depth)
		}
	}
	return 1
}

// aim makes the tile that of a block of terms, whose sums are written to sums.
func (j *job[T]) aim(t *tile[T], a, b unsafe.Pointer, block int, sums []T) {
	x, from := &j.product, j.block(block)
	t.depth, t.aStep, t.bStep = j.block(block+1)-from, x.A.ColumnStride*j.size, x.B.RowStride*j.bSize
	t.a, t.b, t.c = unsafe.Add(a, from*t.aStep), unsafe.Add(b, from*t.bStep), unsafe.Pointer(&sums[0])
}

// sumRows is sumBlocks of one block for long rows of B: chain after chain, so that whole rows are read with few sums at hand.
func (j *job[T]) sumRows(padded *paddedTile[T], columns int) {
	t, f := &padded.tile, j.family
	terms, a, b, aStep, bStep := t.depth, t.a, t.b, t.aStep, t.bStep
	t.rows, t.mask, t.aStep, t.bStep = pieces(columns, f.lanes), f.mask(columns), chainCount*aStep, chainCount*bStep
	t.cRow = manyRowsFrom(j.product.K * j.n * j.bSize * (j.product.others + j.product.count()))
	for chain := range padded.row.sums {
		sums := padded.row.sums[chain][:t.rows*f.lanes]
		clear(sums)
		if t.depth = (terms - chain + chainCount - 1) / chainCount; t.depth > 0 {
			t.a, t.b, t.c = unsafe.Add(a, chain*aStep), unsafe.Add(b, chain*bStep), unsafe.Pointer(&sums[0])
			f.rows[j.product.Source].row((*byte)(unsafe.Pointer(t)))
		}
	}
	j.joinChains(padded, columns)
}

// joinChains adds the sums of all chains to those of the first.
func (j *job[T]) joinChains(padded *paddedTile[T], columns int) {
	f, row := j.family, rowColumns*j.size
	for half := chainCount / 2; half > 0; half /= 2 {
		f.add(unsafe.Pointer(&padded.row.sums[0]), unsafe.Pointer(&padded.row.sums[half]), half, columns, row, row, 1)
	}
}

// sumLines is sumBlocks for columns of B whose elements are adjacent along k. Of several blocks few columns are computed at a time, so that
// B is read in the order of memory.
func (j *job[T]) sumLines(padded *paddedTile[T], a, b unsafe.Pointer, block, columns int) (count int) {
	row, together, line := padded.row, lineColumns[T](), j.family.rows[j.product.Source].line
	count = min(chainCount, j.blocks-block)
	if count == 1 || padded.aStep != j.size || columns < together {
		j.sumColumns(padded, columns)
		return 1
	}
	bColumn := j.product.B.ColumnStride * j.bSize
	for i := range count {
		t := &row.blocks[i]
		j.aim(t, a, b, block+i, row.sums[i][:])
		t.aRow = j.block(block+i) * t.bStep // from the first term of B
		t.rows, t.mask, t.bStep = 1, j.termMask(t.depth), bColumn
	}
	for column := 0; column < columns; column += together {
		column := min(column, columns-together) // Some are computed twice.
		for i := range count {
			t := &row.blocks[i]
			t.b, t.c = unsafe.Add(b, t.aRow+column*bColumn), unsafe.Pointer(&row.sums[i][column])
			line((*byte)(unsafe.Pointer(t)))
		}
	}
	for i := range count {
		row.blocks[i].forget()
	}
	return count
}

// lineColumns is how many columns the kernel of lines computes at a time.
func lineColumns[T Float]() int {
	var zero T
	return 32 / int(unsafe.Sizeof(zero))
}

// termMask is the mask of the last of so many terms as the kernel of lines has it: bits, or where it is in a table.
func (j *job[T]) termMask(terms int) uint64 {
	last := terms % chainCount
	if j.product.Source != OfProduct {
		return 1<<last - 1
	}
	return uint64(-last * j.size)
}

// sumColumns writes the sums of the terms of the tile for columns whose elements are adjacent along k.
func (j *job[T]) sumColumns(padded *paddedTile[T], columns int) {
	t, f, row, bColumn := &padded.tile, j.family, padded.row, j.product.B.ColumnStride*j.bSize
	if t.aStep != j.size {
		for k := range t.depth {
			row.a[k] = *(*T)(unsafe.Add(t.a, k*t.aStep))
		}
		t.a = unsafe.Pointer(&row.a)
	}
	together, b, sums := lineColumns[T](), t.b, row.sums[0][:columns]
	if j.n < together {
		for i := range sums {
			sums[i] = f.sumChains(&row.chains, t.a, unsafe.Add(b, i*bColumn), j.size, j.size, t.depth)
		}
		return
	}
	line := f.rows[j.product.Source].line
	t.rows, t.bStep, t.mask = columns/together, bColumn, j.termMask(t.depth)
	if t.rows > 0 {
		line((*byte)(unsafe.Pointer(t)))
	}
	if columns%together > 0 { // Those before them are computed once more.
		last := row.sums[1][:together]
		t.rows, t.b, t.c = 1, unsafe.Add(b, (columns-together)*bColumn), unsafe.Pointer(&last[0])
		line((*byte)(unsafe.Pointer(t)))
		copy(sums[max(0, columns-together):], last[max(0, together-columns):])
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
