package fourier

import (
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// Longest is from how many numbers on a line is worth the work of several threads; it is then too long for the nearer caches, too.
const Longest = 1 << 15

// matrix transforms a line of rows·columns numbers, of which number columns·j + i is in row j and column i. Columns are transformed, each
// number is turned by a root of the whole, and rows are transformed: number k of row j is number j + rows·k of the result.
type matrix[T dtype.Float] struct {
	rows, columns   int
	ofColumn, ofRow *Plan[T]
	// exp(−2πi·k/(rows·columns)) is coarse[k/rows]·fine[k%rows].
	coarse, fine []Number[float64]
}

func newMatrix[T dtype.Float](rows, columns, longest int) *matrix[T] {
	m := &matrix[T]{rows: rows, columns: columns, ofColumn: newPlan[T](rows, longest), ofRow: newPlan[T](columns, longest)}
	m.coarse, m.fine = make([]Number[float64], columns), make([]Number[float64], rows)
	for i := range m.coarse {
		m.coarse[i] = root(i, columns)
	}
	for i := range m.fine {
		m.fine[i] = root(i, rows*columns)
	}
	return m
}

// run transforms x with other memory.
func (m *matrix[T]) run(t *parallel.Thread, x, other []Number[T]) {
	m.ofColumn.each(t, m.columns, func(t *parallel.Thread, w *Workspace[T], column, lines int) {
		result := m.columnsOf(t, w, x[column:], lines)
		m.turn(result, column, lines)
		for row := range m.rows {
			copy(other[row*m.columns+column:][:lines], result[row*lines:])
		}
	})
	m.ofRow.each(t, m.rows, func(t *parallel.Thread, w *Workspace[T], row, lines int) {
		for i := range lines {
			copy(w.X[i*w.Room:], other[(row+i)*m.columns:][:m.columns])
		}
		move(x[row:], w.Run(t, m.ofRow, lines), steps{1, m.rows}, steps{w.Room, 1}, lines, m.columns)
	})
}

// columnsOf returns the transforms of so many columns, number by number, the first of which begins x.
func (m *matrix[T]) columnsOf(t *parallel.Thread, w *Workspace[T], x []Number[T], lines int) []Number[T] {
	if m.ofColumn.runsAbreast() {
		for row := range m.rows {
			copy(w.X[row*lines:], x[row*m.columns:][:lines])
		}
		return m.ofColumn.runAbreast(w.X, w.other, lines)
	}
	move(w.X, x, steps{w.Room, 1}, steps{1, m.columns}, lines, m.rows)
	result := w.Run(t, m.ofColumn, lines)
	beside := w.X
	if &result[0] == &w.X[0] {
		beside = w.other
	}
	move(beside, result, steps{1, lines}, steps{w.Room, 1}, lines, m.rows)
	return beside
}

// turn multiplies the numbers of some columns, number by number, by their roots.
func (m *matrix[T]) turn(numbers []Number[T], column, lines int) {
	coarse, fine := 0, 0 // of the first column
	for row := range m.rows {
		i, j := coarse, fine
		for at := row * lines; at < (row+1)*lines; at++ {
			numbers[at] = numbers[at].times(rounded[T](m.coarse[i].times(m.fine[j])))
			if j += row; j >= m.rows {
				i, j = i+1, j-m.rows
			}
			if i == m.columns { // behind the last column
				i = 0
			}
		}
		coarse += column / m.rows
		if fine += column % m.rows; fine >= m.rows {
			coarse, fine = coarse+1, fine-m.rows
		}
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
