package factor

import (
	"math"
	"sync"

	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

// Triangle says which part of a square matrix is a triangular one, and how it is looked at. The other part is not read.
type Triangle struct {
	Upper      bool // above the diagonal
	Transposed bool // the equations are those of the transposed matrix
	Unit       bool // the diagonal is ones, and is not read
}

// leastTriangle is the size up to which a triangle is not halved, and leastColumns how many right sides are solved by rows.
const (
	leastTriangle = 16
	leastColumns  = 8
)

// SolveTriangular solves a·x = b for so many columns of b, which x replaces: a is size×size, and the element of row i and column j of b is
// b[i*rowB+j*columnB]; for complex numbers rowB or columnB is 1. A zero on the diagonal gives what dividing by it gives.
func SolveTriangular[E Element](t *parallel.Thread, triangle Triangle, size, columns int, a []E, strideA int, b []E, rowB, columnB int) {
	if isSingle[E]() {
		solveTriangular(t, triangle, size, columns, viewOf[float32](a, strideA, 1), viewOf[float32](b, rowB, columnB))
		return
	}
	solveTriangular(t, triangle, size, columns, viewOf[float64](a, strideA, 1), viewOf[float64](b, rowB, columnB))
}

func solveTriangular[T gemm.Float](t *parallel.Thread, triangle Triangle, size, columns int, a, b view[T]) {
	if size == 0 || columns == 0 {
		return
	}
	s := takeSolver[T](t)
	s.set(triangle, a)
	s.solve(b, 0, size, columns)
	s.release()
}

// solver solves triangular equations: one goroutine's own.
type solver[T gemm.Float] struct {
	thread *parallel.Thread
	a      view[T]
	upper  bool // of a as it is looked at
	unit   bool

	// A triangle that is not halved, in the order in which its unknowns are found: row p has the coefficients of the unknowns before p.
	coefficients [leastTriangle * leastTriangle]T
	pivots       [leastTriangle]T
	inverses     [leastTriangle]T // of the pivots
	invertible   bool             // the inverses are finite

	complex complexTriangle[T]
}

var solvers32, solvers64 sync.Pool

// poolOf returns the one of two pools that is for T.
func poolOf[T gemm.Float](single, double *sync.Pool) *sync.Pool {
	var zero T
	if _, is := any(zero).(float32); is {
		return single
	}
	return double
}

func takeSolver[T gemm.Float](t *parallel.Thread) *solver[T] {
	s, ok := poolOf[T](&solvers32, &solvers64).Get().(*solver[T])
	if !ok {
		s = &solver[T]{}
	}
	s.thread = t
	return s
}

func (s *solver[T]) release() {
	s.a, s.thread = view[T]{}, nil
	poolOf[T](&solvers32, &solvers64).Put(s)
}

func (s *solver[T]) set(triangle Triangle, a view[T]) {
	s.a, s.upper, s.unit = a, triangle.Upper != triangle.Transposed, triangle.Unit
	if triangle.Transposed {
		s.a = a.transposed()
	}
}

// solve solves for the rows of b from first on. Late unknowns need early ones.
func (s *solver[T]) solve(b view[T], first, count, columns int) {
	switch {
	case count <= leastTriangle && b.isComplex:
		s.readComplex(first, count)
		s.solveLeastComplex(b, first, count, columns)
		return
	case count <= leastTriangle:
		s.read(first, count)
		s.solveLeast(b, first, count, columns)
		return
	}
	n := half(count, leastTriangle)
	early, earlyCount, late, lateCount := first, n, first+n, count-n
	if s.upper {
		early, earlyCount, late, lateCount = first+n, count-n, first, n
	}
	s.solve(b, early, earlyCount, columns)
	takeOff(s.thread, lateCount, columns, earlyCount, s.a.from(late, early), b.from(early, 0), b.from(late, 0))
	s.solve(b, late, lateCount, columns)
}

// at returns the row of the unknown that is found as number p of count from first on.
func (s *solver[T]) at(first, count, p int) int {
	if s.upper {
		return first + count - 1 - p
	}
	return first + p
}

// read copies a triangle on the diagonal.
func (s *solver[T]) read(first, count int) {
	s.invertible = true
	for p := range count {
		i := s.at(first, count, p)
		for q := range p {
			j := s.at(first, count, q)
			s.coefficients[p*leastTriangle+q] = s.a.elements[i*s.a.row+j*s.a.column]
		}
		if !s.unit {
			pivot := s.a.elements[i*(s.a.row+s.a.column)]
			s.pivots[p], s.inverses[p] = pivot, 1/pivot
			s.invertible = s.invertible && !(math.IsInf(float64(s.inverses[p]), 0) && pivot != 0)
		}
	}
}

// solveLeast solves for the triangle that was read.
func (s *solver[T]) solveLeast(b view[T], first, count, columns int) {
	byRows := b.column == 1 && columns >= leastColumns
	if cost := 0.3 * float64(count*count); s.thread.NumThreads() > 1 && cost*float64(columns) > 1e4 {
		s.thread.ForCost(columns, cost, func(_ *parallel.Thread, lo, hi int) { s.solveColumns(b.from(0, lo), first, count, hi-lo, byRows) })
		return
	}
	s.solveColumns(b, first, count, columns, byRows)
}

// rowLength is how many elements of a row are computed at a time: those of all unknowns stay in the first cache.
const rowLength = 128

func (s *solver[T]) solveColumns(b view[T], first, count, columns int, byRows bool) {
	if !byRows {
		s.solveByColumns(b, first, count, columns)
		return
	}
	for lo := 0; lo < columns; lo += rowLength {
		s.solveByRows(b.from(0, lo), first, count, min(rowLength, columns-lo))
	}
}

// solveByRows finds an unknown of all columns after the other. Rows are contiguous.
func (s *solver[T]) solveByRows(b view[T], first, count, columns int) {
	row := func(p int) []T { return b.elements[s.at(first, count, p)*b.row:][:columns] }
	for p := range count {
		x, factors := row(p), s.coefficients[p*leastTriangle:][:p]
		for q := 0; q < len(factors); {
			switch f := factors[q:]; {
			case len(f) >= 4:
				takeOffFour(x, row(q), row(q+1), row(q+2), row(q+3), f[0], f[1], f[2], f[3])
				q += 4
			case len(f) >= 2:
				takeOffTwo(x, row(q), row(q+1), f[0], f[1])
				q += 2
			default:
				takeOffOne(x, row(q), f[0])
				q++
			}
		}
		s.divide(x, p)
	}
}

// divide divides elements by a pivot.
func (s *solver[T]) divide(x []T, p int) {
	switch pivot, inverse := s.pivots[p], s.inverses[p]; {
	case s.unit:
	case s.invertible:
		for j := range x {
			x[j] *= inverse
		}
	default:
		for j := range x {
			x[j] /= pivot
		}
	}
}

func takeOffOne[T gemm.Float](x, r []T, f T) {
	r = r[:len(x)]
	for j, v := range x {
		x[j] = v - T(f*r[j])
	}
}

func takeOffTwo[T gemm.Float](x, r0, r1 []T, f0, f1 T) {
	r0, r1 = r0[:len(x)], r1[:len(x)]
	for j, v := range x {
		x[j] = v - (T(f0*r0[j]) + T(f1*r1[j]))
	}
}

func takeOffFour[T gemm.Float](x, r0, r1, r2, r3 []T, f0, f1, f2, f3 T) {
	r0, r1, r2, r3 = r0[:len(x)], r1[:len(x)], r2[:len(x)], r3[:len(x)]
	for j, v := range x {
		x[j] = v - ((T(f0*r0[j]) + T(f1*r1[j])) + (T(f2*r2[j]) + T(f3*r3[j])))
	}
}

// solveByColumns finds all unknowns of four columns after those of the four before. The bits do not depend on which columns these are.
func (s *solver[T]) solveByColumns(b view[T], first, count, columns int) {
	var x [4][leastTriangle]T
	for lo := 0; lo < columns; lo += 4 {
		n := min(4, columns-lo)
		for c := range n {
			for p := range count {
				x[c][p] = b.elements[s.at(first, count, p)*b.row+(lo+c)*b.column]
			}
		}
		if n == 1 {
			s.solveOne(&x[0], count)
		} else {
			s.solveFour(&x, count)
		}
		for c := range n {
			for p := range count {
				b.elements[s.at(first, count, p)*b.row+(lo+c)*b.column] = x[c][p]
			}
		}
	}
}

func (s *solver[T]) solveOne(x *[leastTriangle]T, count int) {
	for p := range count {
		v := x[p]
		for q, f := range s.coefficients[p*leastTriangle:][:p] {
			v -= T(f * x[q])
		}
		x[p] = s.quotient(v, p)
	}
}

func (s *solver[T]) solveFour(x *[4][leastTriangle]T, count int) {
	for p := range count {
		v0, v1, v2, v3 := x[0][p], x[1][p], x[2][p], x[3][p]
		for q, f := range s.coefficients[p*leastTriangle:][:p&(leastTriangle-1)] {
			v0 -= T(f * x[0][q&(leastTriangle-1)])
			v1 -= T(f * x[1][q&(leastTriangle-1)])
			v2 -= T(f * x[2][q&(leastTriangle-1)])
			v3 -= T(f * x[3][q&(leastTriangle-1)])
		}
		x[0][p], x[1][p], x[2][p], x[3][p] = s.quotient(v0, p), s.quotient(v1, p), s.quotient(v2, p), s.quotient(v3, p)
	}
}

func (s *solver[T]) quotient(v T, p int) T {
	switch {
	case s.unit:
		return v
	case s.invertible:
		return v * s.inverses[p]
	}
	return v / s.pivots[p]
}
