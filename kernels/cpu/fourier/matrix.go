package fourier

import (
	"math"
	"unsafe"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/parallel"
)

// longLine is from how many numbers on a line is worth the work of several threads; it is then too long for the nearer caches, too.
const longLine = 1 << 15

// matrix transforms a line of rows·columns numbers, of which number columns·j + i is in row j and column i. Columns are transformed, each
// number is turned by a root of the whole, and rows are transformed: number k of row j is number j + rows·k of the result.
type matrix[T dtype.Float] struct {
	rows, columns   int
	ofColumn, ofRow *plan[T]
	// exp(−2πi·ij/(rows·columns)) of row j and column i is coarse[j/fineRows]·fine[j%fineRows], of which each has rows of a number for each
	// of abreastOf columns: those of the first columns, then those of the next.
	coarse, fine []Number[float64]
	fineRows     int
}

// abreastOf is how many columns, or rows, are transformed before their results are written.
func abreastOf[T dtype.Float]() int { return besideBytes / int(unsafe.Sizeof(Number[T]{})) }

func newMatrix[T dtype.Float](rows, columns, longest int) *matrix[T] {
	m := &matrix[T]{rows: rows, columns: columns, ofColumn: newPlan[T](rows, longest), ofRow: newPlan[T](columns, longest)}
	m.fineRows = int(math.Ceil(math.Sqrt(float64(rows))))
	m.coarse, m.fine = m.roots(m.coarseRows(), m.fineRows), m.roots(m.fineRows, 1)
	return m
}

// coarseRows is how many rows coarse has for the same columns.
func (m *matrix[T]) coarseRows() int { return (m.rows + m.fineRows - 1) / m.fineRows }

// roots are those of count rows, the given step apart, for all columns.
func (m *matrix[T]) roots(count, step int) []Number[float64] {
	n, abreast := m.rows*m.columns, abreastOf[T]()
	roots := make([]Number[float64], 0, (m.columns+abreast-1)/abreast*abreast*count)
	for first := 0; first < m.columns; first += abreast {
		for j := range count {
			k := j * step * first % n
			for range abreast {
				roots = append(roots, root(k, n))
				if k += j * step; k >= n { // behind the last column
					k %= n
				}
			}
		}
	}
	return roots
}

// run transforms the line src to dst, and multiplies results by a factor, with other memory for as many numbers. Dst may be src.
func (m *matrix[T]) run(t *parallel.Thread, dst, src Lines, other []Number[T], factor T) {
	m.ofColumn.each(t, m.columns, func(t *parallel.Thread, w *Workspace[T], column, lines int) {
		width := lines
		if m.ofColumn.isPlain() {
			width = widthOf[T](lines, len(w.X)/w.Room)
		}
		result := m.columnsOf(t, w, src, column, lines, width)
		m.turn(other[column:], result, column, lines, width)
	})
	m.ofRow.each(t, m.rows, func(t *parallel.Thread, w *Workspace[T], row, lines int) {
		from := batchOf(other[row*m.columns:], m.columns)
		var result []Number[T]
		if m.ofRow.isPlain() {
			result = m.ofRow.runFrom(from, w.X, w.other, w.Room, lines)
		} else {
			for i := range lines {
				copy(w.X[i*w.Room:], from.line(i, m.columns))
			}
			result = w.run(t, m.ofRow, lines)
		}
		to := dst.from(row)
		to.Next, to.Step = dst.Step, m.rows*dst.Step
		store(to, result, steps{w.Room, 1}, lines, m.columns, factor)
	})
}

// columnsOf returns the transforms of so many columns of src, number by number, width of them from one number to the next.
func (m *matrix[T]) columnsOf(t *parallel.Thread, w *Workspace[T], src Lines, column, lines, width int) []Number[T] {
	from := src.from(column)
	from.Next, from.Step = src.Step, m.columns*src.Step
	if m.ofColumn.isPlain() {
		first := m.ofColumn.firstAbreast(w, from, lines, width, m.rows)
		return m.ofColumn.runAbreast(w.X, w.other, width, first)
	}
	load(w.X, steps{w.Room, 1}, from, lines, m.rows)
	result := w.run(t, m.ofColumn, lines)
	beside := w.X
	if &result[0] == &w.X[0] {
		beside = w.other
	}
	move(beside, result, steps{1, lines}, steps{w.Room, 1}, lines, m.rows)
	return beside
}

// turn writes the products of the numbers of so many columns, number by number, width of them from one number to the
// next, and their roots to dst, which begins with the first of them.
func (m *matrix[T]) turn(dst, numbers []Number[T], column, lines, width int) {
	abreast, size, done := abreastOf[T](), int(unsafe.Sizeof(dst[0])), 0
	coarse, fine := m.coarse[column*m.coarseRows():], m.fine[column*m.fineRows:]
	if features.Best > features.Portable {
		done = lines &^ (lanes[T](features.Best) - 1)
	}
	for row := 0; row < m.rows; row += m.fineRows {
		rows := min(m.fineRows, m.rows-row)
		to, from := dst[row*m.columns:], numbers[row*width:]
		if done > 0 {
			step, fineStep := m.columns*size, abreast*int(unsafe.Sizeof(fine[0]))
			assembledOf[T](done).turnedRows(&to[0].Re, &from[0].Re, &coarse[0].Re, &fine[0].Re, rows, done, step, width*size, fineStep)
		}
		for j := range rows {
			for i := done; i < lines; i++ {
				to[j*m.columns+i] = from[j*width+i].times(rounded[T](fine[j*abreast+i].times(coarse[i])))
			}
		}
		coarse = coarse[abreast:]
	}
}

// steps are the distances from a line to the next, and from a number on a line to the next.
type steps struct{ line, number int }

// move copies count numbers of so many lines.
func move[T dtype.Float](dst, src []Number[T], to, from steps, lines, count int) {
	for number := range count {
		at, source := number*to.number, number*from.number
		for range lines {
			dst[at] = src[source]
			at += to.line
			source += from.line
		}
	}
}
