package conquer

import (
	"unsafe"

	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

// Rows are vectors as rows, Stride numbers apart, that have zeros but in the columns of their part of a matrix.
type Rows struct {
	Numbers []float64
	Stride  int
}

// Row returns some columns of a row.
func (r Rows) Row(i, lo, hi int) []float64 { return r.Numbers[i*r.Stride:][lo:hi] }

// Turn rotates two rows in some columns.
func (r Rows) Turn(first, second, lo, hi int, cosine, sine float64) {
	x, y := r.Row(first, lo, hi), r.Row(second, lo, hi)
	for i, v := range x {
		w := y[i]
		x[i], y[i] = float64(cosine*v)+float64(sine*w), float64(cosine*w)-float64(sine*v)
	}
}

// Halves tells where the vector of a row has elements that are not zeros.
type Halves uint8

const (
	FirstHalf Halves = 1 << iota
	SecondHalf
	BothHalves = FirstHalf | SecondHalf
)

// Merge is rows of two halves of a matrix that become those of the whole. Rows are numbered as those of the matrix.
type Merge struct {
	First   int      // the first of them
	Halves  []Halves // of each row
	Secular []int    // the rows whose values are roots, in the order of their poles
	Settled []int    // the others, LAPACK's deflated ones
}

// orders are those in which secular rows are multiplied: those of a half lie together.
var orders = []Halves{FirstHalf, BothHalves, SecondHalf}

// Columns returns, for each secular row, the column of the factors by which Replace multiplies it.
func (m *Merge) Columns() (columns []int) {
	columns = make([]int, len(m.Secular))
	next := 0
	for _, halves := range orders {
		for i, row := range m.Secular {
			if m.Halves[row-m.First] == halves {
				columns[i] = next
				next++
			}
		}
	}
	return columns
}

// parts returns the secular rows that have elements in the first half and those that have in the second, in the order of Columns.
func (m *Merge) parts() (firsts, seconds []int) {
	for _, halves := range orders {
		for _, row := range m.Secular {
			if m.Halves[row-m.First] != halves {
				continue
			}
			if halves&FirstHalf != 0 {
				firsts = append(firsts, row)
			}
			if halves&SecondHalf != 0 {
				seconds = append(seconds, row)
			}
		}
	}
	return firsts, seconds
}

// Replace replaces the secular rows, which become the first ones, by products of factors, a row for each of them, and
// them. The settled rows follow. The columns are those from lo to before hi, with the second half from middle on. Temporary has
// as many numbers as all rows have in these.
func (m *Merge) Replace(t *parallel.Thread, factors []float64, vectors Rows, lo, middle, hi int, temporary []float64) {
	firsts, seconds := m.parts()
	take := func(rows []int, lo, hi int) (part []float64) {
		part, temporary = temporary[:len(rows)*(hi-lo)], temporary[len(rows)*(hi-lo):]
		for i, row := range rows {
			copy(part[i*(hi-lo):], vectors.Row(row, lo, hi))
		}
		return part
	}
	first, second, settled := take(firsts, lo, middle), take(seconds, middle, hi), take(m.Settled, lo, hi)
	m.multiply(t, factors, 0, first, vectors, lo, middle)
	m.multiply(t, factors, len(m.Secular)-len(seconds), second, vectors, middle, hi)
	for i := range m.Settled {
		copy(vectors.Row(m.First+len(m.Secular)+i, lo, hi), settled[i*(hi-lo):])
	}
}

// multiply writes some columns of the new rows: products of factors, from a column on, and rows.
func (m *Merge) multiply(t *parallel.Thread, factors []float64, column int, rows []float64, vectors Rows, lo, hi int) {
	count := len(m.Secular)
	switch {
	case lo == hi:
	case len(rows) == 0:
		for i := range count {
			clear(vectors.Row(m.First+i, lo, hi))
		}
	default:
		gemm.Product[float64]{
			M: count, N: hi - lo, K: len(rows) / (hi - lo), Alpha: 1,
			A: matrixFrom(factors, column, count), B: matrixFrom(rows, 0, hi-lo), C: matrixFrom(vectors.Numbers, m.First*vectors.Stride+lo, vectors.Stride),
		}.Run(t, nil)
	}
}

func matrixFrom(numbers []float64, first, row int) gemm.Matrix {
	return gemm.Matrix{Start: unsafe.Pointer(&numbers[first]), RowStride: row, ColumnStride: 1}
}

// Join notes that two rows have elements in what was the halves of either.
func (m *Merge) Join(first, second int) {
	both := m.Halves[first-m.First] | m.Halves[second-m.First]
	m.Halves[first-m.First], m.Halves[second-m.First] = both, both
}
