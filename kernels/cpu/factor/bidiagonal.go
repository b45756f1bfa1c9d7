package factor

import "github.com/weft-nd/weft/parallel"

// Bidiagonal finds the products of reflectors for which leftᴴ·A·right is a real upper bidiagonal matrix, of which it
// writes the diagonal and what is above it, for a matrix A of so many parts of an element with at least as many rows as
// columns. It overwrites a, whose elements are conjugate to those of A.
//
// Reflectors of a block of columns and rows are found from these as those before leave them, and are applied to the
// matrix behind together (Dongarra, Hammarling and Sorensen, "Block reduction of matrices to condensed forms for
// eigenvalue computations", 1989; LAPACK's zlabrd).
func Bidiagonal(t *parallel.Thread, rows, columns, parts int, a, diagonal, above []float64) (left, right ReflectorBlocks) {
	width := panelOf(columns)
	r := bidiagonalReduction{
		thread: t, rows: rows, columns: columns, parts: parts, a: a, diagonal: diagonal, above: above,
		left: newLines(2*width, rows, parts), right: newLines(2*width, columns, parts),
		column: make([]float64, rows*parts), products: make([]float64, 2*width*parts),
	}
	var ofColumns, ofRows *reflectorBlock
	for first := 0; first < columns; first += width {
		if first%blockColumns == 0 {
			count := min(blockColumns, columns-first)
			ofColumns, ofRows = newReflectorBlock(first, count, rows-first, parts), newReflectorBlock(first, count, columns-first, parts)
			left, right = append(left, ofColumns), append(right, ofRows)
		}
		count := min(width, columns-first)
		r.left.length, r.right.length = (rows-first)*parts, (columns-first)*parts
		for j := range count {
			r.reflectColumn(ofColumns, first+j, j)
			if first+j < columns-1 {
				r.reflectRow(ofRows, first+j, j)
			}
		}
		if rest := columns - first - count; rest > 0 {
			takeOff(t, rows-first-count, rest*parts, 2*count*parts, r.left.multiples(count), r.right.from(count), r.from(first+count, first+count))
		}
	}
	return left, right
}

// panelOf returns how many of so many columns are reflected before the rest of the matrix is: part of a block.
func panelOf(columns int) int {
	switch {
	case columns <= 24:
		return 2
	case columns <= 64:
		return 4
	case columns <= 160:
		return 8
	}
	return blockColumns
}

// bidiagonalReduction is Bidiagonal at work: a panel takes the sum of left·rightᴴ from A, where the left vectors are
// those of the reflectors of columns and what those of rows are multiplied by, in turn, and the right ones the other way.
type bidiagonalReduction struct {
	thread               *parallel.Thread
	rows, columns, parts int
	a                    []float64
	diagonal, above      []float64
	left, right          lines
	column               []float64 // temporary
	products             []float64 // of a vector and those of left or of right
}

func (r *bidiagonalReduction) from(i, j int) view[float64] {
	return realView(r.a[(i*r.columns+j)*r.parts:], r.columns*r.parts, 1)
}

// reflectColumn finds the reflector of a column, which is column j of a panel, and what it takes from the rows.
func (r *bidiagonalReduction) reflectColumn(b *reflectorBlock, number, j int) {
	parts := r.parts
	count := r.rows - number
	x := r.column[:count*parts]
	r.readColumn(number, x)
	r.left.takeOff(r.thread, 2*j, j, r.right.multiples(j), x)
	pivot, factor := reflect(x, parts)
	r.diagonal[number] = pivot
	r.left.set(2*j, j, x)
	b.add(number-b.first, x, factor)
	if number == r.columns-1 {
		return
	}
	r.left.times(r.thread, 2*j, j, x, r.products)
	y := r.right.of(2*j, j+1)
	sumOfRows(r.thread, parts, count, r.from(number, number+1), x, y)
	r.right.takeOff(r.thread, 2*j, j+1, realView(r.products, 0, 1), y)
	scaleElements(y, factor, parts)
	r.right.set(2*j, j+1, y)
}

// reflectRow finds the reflector of a row behind its column, and what it takes from the columns.
func (r *bidiagonalReduction) reflectRow(b *reflectorBlock, number, j int) {
	parts := r.parts
	x := r.a[(number*r.columns+number+1)*parts : (number+1)*r.columns*parts]
	r.right.takeOff(r.thread, 2*j+1, j+1, r.left.multiples(j), x)
	pivot, factor := reflect(x, parts)
	r.above[number] = pivot
	r.right.set(2*j+1, j+1, x)
	r.right.times(r.thread, 2*j+1, j+1, x, r.products)
	b.add(number-b.first+1, x, factor)
	y := r.left.of(2*j+1, j+1)
	timesRows(r.thread, parts, r.rows-number-1, r.from(number+1, number+1), x, y)
	r.left.takeOff(r.thread, 2*j+1, j+1, realView(r.products, 0, 1), y)
	scaleElements(y, factor, parts)
	r.left.set(2*j+1, j+1, y)
}

// readColumn sets x to the elements of a column of A from the diagonal on, as the panel found them.
func (r *bidiagonalReduction) readColumn(number int, x []float64) {
	from, step := r.a[number*(r.columns+1)*r.parts:], r.columns*r.parts
	if r.parts == 1 {
		for i := range x {
			x[i] = from[i*step]
		}
		return
	}
	for i := 0; i+1 < len(x); i += 2 {
		x[i], x[i+1] = from[i/2*step], -from[i/2*step+1]
	}
}
