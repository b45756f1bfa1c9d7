package factor

import "github.com/weft-nd/weft/parallel"

// Tridiagonal finds the product Q of reflectors for which Qᴴ·A·Q is a real tridiagonal matrix, of which it writes the
// diagonal and what is beside it, for a symmetric or Hermitian matrix A of so many parts of an element. It overwrites a,
// whose rows are the columns of A.
//
// Reflectors of a block of columns are found from the columns as those before leave them, and are applied to the matrix
// behind together (Dongarra, Hammarling and Sorensen, "Block reduction of matrices to condensed forms for eigenvalue
// computations", 1989; LAPACK's zlatrd).
func Tridiagonal(t *parallel.Thread, size, parts int, a, diagonal, beside []float64) (q ReflectorBlocks) {
	r := tridiagonalReduction{t, size, parts, a, diagonal, beside, newLines(min(size, blockColumns), size, parts), newProducts(parts)}
	for first := 0; first < size; first += blockColumns {
		count := min(blockColumns, size-first)
		b := newReflectorBlock(first, count, size-first, parts)
		r.w.length = (size - first) * parts
		for j := range count {
			r.reflectColumn(b, j)
		}
		q = append(q, b)
		if rest := size - first - count; rest > 0 {
			behind := r.from(first+count, first+count)
			takeOff(t, rest, rest*parts, count*parts, r.w.multiples(count), b.vectors.from(count), behind)
			takeOff(t, rest, rest*parts, count*parts, b.vectors.multiples(count), r.w.from(count), behind)
		}
	}
	return q
}

// tridiagonalReduction is Tridiagonal at work: a block with vectors v takes the sum of v·wᴴ + w·vᴴ from A.
type tridiagonalReduction struct {
	thread           *parallel.Thread
	size, parts      int
	a                []float64
	diagonal, beside []float64
	w                lines
	products         [2][]float64
}

// newProducts returns memory for products with the vectors of two sets of lines.
func newProducts(parts int) [2][]float64 {
	return [2][]float64{make([]float64, parts*blockColumns), make([]float64, parts*blockColumns)}
}

func (r *tridiagonalReduction) from(i, j int) view[float64] {
	return realView(r.a[(i*r.size+j)*r.parts:], r.size*r.parts, 1)
}

// reflectColumn finds the reflector of column j of a block.
func (r *tridiagonalReduction) reflectColumn(b *reflectorBlock, j int) {
	column, parts := b.first+j, r.parts
	x := r.a[(column*r.size+column)*parts : (column+1)*r.size*parts]
	if j > 0 {
		b.vectors.takeOff(r.thread, j, j, r.w.multiples(j), x)
		r.w.takeOff(r.thread, j, j, b.vectors.multiples(j), x)
	}
	r.diagonal[column] = x[0]
	if column == r.size-1 {
		return
	}
	v := x[parts:]
	pivot, factor := reflect(v, parts)
	r.beside[column] = pivot
	w := r.w.of(j, j+1)
	timesRows(r.thread, parts, r.size-column-1, r.from(column+1, column+1), v, w)
	ofV, ofW := r.products[0], r.products[1]
	b.vectors.times(r.thread, j, j+1, v, ofV)
	r.w.times(r.thread, j, j+1, v, ofW)
	b.vectors.takeOff(r.thread, j, j+1, realView(ofW, 0, 1), w)
	r.w.takeOff(r.thread, j, j+1, realView(ofV, 0, 1), w)
	scaleElements(w, factor, parts)
	half := product([2]float64{factor[0] / 2, factor[1] / 2}, inner(w, v, parts))
	takeOffElements(w, v, half, parts)
	r.w.set(j, j+1, w)
	b.add(j+1, v, factor)
}
