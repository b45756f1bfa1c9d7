package factor

import (
	"math"
	"sync"

	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

// leastPanel is how many columns are eliminated by themselves.
const leastPanel = 16

// LU replaces a, which is size×size, by the factors of a with its rows exchanged: below the diagonal L, whose diagonal
// is ones, and U. For each row in turn, pivots has the number of the row that it was exchanged with, the one of those
// from it on whose element in its column was the largest: of complex numbers the one with the largest sum of the
// magnitudes of its parts, as LAPACK has it. It returns the number of the first row whose pivot is zero, or -1; it does
// not end there.
func LU[E Element](t *parallel.Thread, size int, a []E, stride int, pivots []int) (singular int) {
	if isSingle[E]() {
		return lu(t, size, viewOf[float32](a, stride, 1), pivots)
	}
	return lu(t, size, viewOf[float64](a, stride, 1), pivots)
}

func lu[T gemm.Float](t *parallel.Thread, size int, a view[T], pivots []int) (singular int) {
	if size == 0 {
		return -1
	}
	f := takeElimination[T](t)
	f.a, f.pivots, f.singular = a, pivots, -1
	if need := size * leastPanel * a.parts(); cap(f.panel) < need {
		f.panel = make([]T, need)
	}
	f.eliminate(0, size, size)
	singular = f.singular
	f.release()
	return singular
}

// Exchange exchanges rows of b, of so many columns, as LU did.
func Exchange[E Element](pivots []int, columns int, b []E, stride int) {
	for i, p := range pivots {
		if p != i {
			exchange(b[i*stride:][:columns], b[p*stride:][:columns])
		}
	}
}

func exchange[E Element](x, y []E) {
	y = y[:len(x)]
	for i, v := range x {
		x[i], y[i] = y[i], v
	}
}

// elimination is LU at work: one goroutine's own.
type elimination[T gemm.Float] struct {
	solver   *solver[T]
	a        view[T]
	pivots   []int
	singular int
	panel    []T // by columns, of complex numbers the parts apart
}

var eliminations32, eliminations64 sync.Pool

func takeElimination[T gemm.Float](t *parallel.Thread) *elimination[T] {
	f, ok := poolOf[T](&eliminations32, &eliminations64).Get().(*elimination[T])
	if !ok {
		f = &elimination[T]{}
	}
	f.solver = takeSolver[T](t)
	return f
}

func (f *elimination[T]) release() {
	f.solver.release()
	f.solver, f.a, f.pivots = nil, view[T]{}, nil
	poolOf[T](&eliminations32, &eliminations64).Put(f)
}

// eliminate factors the columns from first on of the rows from first on.
func (f *elimination[T]) eliminate(first, rows, columns int) {
	switch {
	case columns <= leastPanel && f.a.isComplex:
		f.eliminateComplexPanel(first, rows, columns)
		return
	case columns <= leastPanel:
		f.eliminatePanel(first, rows, columns)
		return
	}
	n := half(columns, leastPanel)
	f.eliminate(first, rows, n)
	second, rest := first+n, columns-n
	f.exchange(first, n, second, rest)
	f.solver.set(Triangle{Unit: true}, f.a.from(first, first))
	f.solver.solve(f.a.from(first, second), 0, n, rest)
	takeOff(f.solver.thread, rows-n, rest, n, f.a.from(second, first), f.a.from(first, second), f.a.from(second, second))
	f.eliminate(second, rows-n, rest)
	f.exchange(second, rest, first, n)
}

// exchange exchanges rows as count pivots from first on tell, in some columns.
func (f *elimination[T]) exchange(first, count, column, columns int) {
	from, length := column*f.a.column, columns*f.a.column
	for i := first; i < first+count; i++ {
		if p := f.pivots[i]; p != i {
			exchange(f.a.elements[i*f.a.row+from:][:length], f.a.elements[p*f.a.row+from:][:length])
		}
	}
}

// eliminatePanel factors a few columns, in a copy by columns: elements of a column of a are far apart.
func (f *elimination[T]) eliminatePanel(first, rows, columns int) {
	a := f.a.from(first, first)
	for i := range rows {
		for j, v := range a.elements[i*a.row:][:columns] {
			f.panel[j*rows+i] = v
		}
	}
	for j := range columns {
		f.eliminateColumn(first, j, rows, columns)
	}
	for i := range rows {
		row := a.elements[i*a.row:][:columns]
		for j := range row {
			row[j] = f.panel[j*rows+i]
		}
	}
}

// eliminateColumn takes from a column of the panel what belongs to those before it, and chooses its pivot.
func (f *elimination[T]) eliminateColumn(first, j, rows, columns int) {
	column := func(k int) []T { return f.panel[k*rows:][:rows] }
	x := column(j)
	for k := range j {
		takeOffOne(x[k+1:j], column(k)[k+1:j], x[k])
	}
	below := x[j:]
	for k := 0; k < j; {
		switch {
		case j-k >= 4:
			takeOffFour(below, column(k)[j:], column(k + 1)[j:], column(k + 2)[j:], column(k + 3)[j:], x[k], x[k+1], x[k+2], x[k+3])
			k += 4
		case j-k >= 2:
			takeOffTwo(below, column(k)[j:], column(k + 1)[j:], x[k], x[k+1])
			k += 2
		default:
			takeOffOne(below, column(k)[j:], x[k])
			k++
		}
	}
	p := j + largest(below)
	f.pivots[first+j] = first + p
	if p != j {
		for k := range columns {
			c := column(k)
			c[j], c[p] = c[p], c[j]
		}
	}
	switch pivot := below[0]; {
	case pivot == 0:
		if f.singular < 0 {
			f.singular = first + j
		}
	case math.IsInf(float64(1/pivot), 0):
		for i := range below[1:] {
			below[1+i] /= pivot
		}
	default:
		inverse := 1 / pivot
		for i := range below[1:] {
			below[1+i] *= inverse
		}
	}
}

// largest returns the number of the first element of the largest magnitude. NaN is no larger than others.
func largest[T gemm.Float](x []T) int {
	number, value := 0, T(-1)
	for i, v := range x {
		if v < 0 {
			v = -v
		}
		if v > value {
			number, value = i, v
		}
	}
	return number
}
