package factor

import (
	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

// complexTriangle is a triangle of complex numbers that is not halved, in the order of solver.coefficients.
type complexTriangle[T gemm.Float] struct {
	coefficients [leastTriangle * leastTriangle][2]T
	pivots       [leastTriangle][2]T
}

// complexLength is how many elements of a row of complex numbers are computed at a time.
const complexLength = 32

// readComplex copies a triangle on the diagonal.
func (s *solver[T]) readComplex(first, count int) {
	element := func(i, j int) [2]T {
		number := s.a.elements[i*s.a.row+j*s.a.column:]
		return [2]T{number[0], s.a.sign() * number[1]}
	}
	for p := range count {
		i := s.at(first, count, p)
		for q := range p {
			s.complex.coefficients[p*leastTriangle+q] = element(i, s.at(first, count, q))
		}
		if !s.unit {
			s.complex.pivots[p] = element(i, i)
		}
	}
}

// solveLeastComplex solves for the triangle that was read.
func (s *solver[T]) solveLeastComplex(b view[T], first, count, columns int) {
	s.thread.ForCost(columns, 1.2*float64(count*count), func(_ *parallel.Thread, lo, hi int) {
		var memory [2 * leastTriangle * complexLength]T
		for ; lo < hi; lo += complexLength {
			var rows [leastTriangle]pairs[T]
			length := min(complexLength, hi-lo)
			for p := range count {
				own := memory[2*p*complexLength:]
				rows[p] = pairs[T]{own[:length], own[complexLength:][:length]}
				rows[p].read(b.elements[s.at(first, count, p)*b.row+lo*b.column:], b.column)
			}
			s.complex.solve(rows[:count], s.unit)
			for p := range count {
				rows[p].write(b.elements[s.at(first, count, p)*b.row+lo*b.column:], b.column)
			}
		}
	})
}

// solve finds an unknown of all columns after the other.
func (c *complexTriangle[T]) solve(rows []pairs[T], unit bool) {
	for p, x := range rows {
		factors := c.coefficients[p*leastTriangle:][:p]
		q := 0
		for ; q+2 <= p; q += 2 {
			x.takeOffBoth(rows[q], rows[q+1], factors[q], factors[q+1])
		}
		if q < p {
			x.takeOff(rows[q], factors[q])
		}
		if !unit {
			x.divide(c.pivots[p])
		}
	}
}
