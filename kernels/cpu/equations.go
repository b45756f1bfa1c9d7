package cpu

import (
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/factor"
	"github.com/weft-nd/weft/parallel"
)

// factors are the LU factors of matrices.
type factors[E factor.Element] struct {
	matrixBatch
	elements []E
	pivots   []int
	ends     faults
}

// newFactors factors copies of matrices, of which there are some with elements.
func newFactors[E factor.Element](t *parallel.Thread, s *scratch, view device.View) *factors[E] {
	f := &factors[E]{matrixBatch: matricesOf(view), elements: temporaryLines[E](t, s, view)}
	f.pivots = make([]int, f.count*f.rows)
	f.ends = f.each(t, cube(f.rows, 2.0/3), func(t *parallel.Thread, number int) int {
		elements, pivots := f.at(number)
		return factor.LU(t, f.rows, elements, f.rows, pivots)
	})
	return f
}

func (f *factors[E]) at(number int) (elements []E, pivots []int) {
	return f.elements[number*f.size():][:f.size()], f.pivots[number*f.rows:][:f.rows]
}

// check returns the error of the first singular matrix.
func (f *factors[E]) check() error {
	if number, found := f.ends.first(); found {
		return f.fail(number, "is singular: pivot %d of its elimination is zero", f.ends[number])
	}
	return nil
}

// solve replaces so many columns of b by the solution of equations with a matrix.
func (f *factors[E]) solve(t *parallel.Thread, number int, b []E, columns int) {
	elements, pivots := f.at(number)
	factor.Exchange(pivots, columns, b, columns)
	factor.SolveTriangular(t, factor.Triangle{Unit: true}, f.rows, columns, elements, f.rows, b, columns, 1)
	factor.SolveTriangular(t, factor.Triangle{Upper: true}, f.rows, columns, elements, f.rows, b, columns, 1)
}

// solve computes Outputs[0], the solutions for the right sides Inputs[1], of the same shape, of equations with the matrices of Inputs[0],
// whose batch broadcasts to that of the others.
func solve[E factor.Element]() entry {
	return entry{dtype.Of[E]().String(), func(t *parallel.Thread, a *device.Arguments) error {
		if a.Inputs[0].Count() == 0 {
			return nil
		}
		s := scratch{memory: a.Scratch}
		f := newFactors[E](t, &s, a.Inputs[0])
		if err := f.check(); err != nil || a.Outputs[0].Count() == 0 {
			return err
		}
		m := matricesOf(a.Outputs[0])
		x, finish := copiedLines[E](t, &s, a.Outputs[0], a.Inputs[1])
		m.each(t, cube(m.rows, 2*float64(m.columns)/float64(m.rows)), func(t *parallel.Thread, number int) int {
			f.solve(t, f.number(number, m.batch), x[number*m.size():][:m.size()], m.columns)
			return sound
		})
		finish()
		return nil
	}}
}

// solveTriangular is solve for triangular matrices; Integers tell whether they are upper ones, transposed, and have a diagonal of ones.
func solveTriangular[E factor.Element]() entry {
	return entry{dtype.Of[E]().String(), func(t *parallel.Thread, a *device.Arguments) error {
		if a.Inputs[0].Count() == 0 {
			return nil
		}
		s, of := scratch{memory: a.Scratch}, matricesOf(a.Inputs[0])
		triangle := factor.Triangle{Upper: a.Integers[0] != 0, Transposed: a.Integers[1] != 0, Unit: a.Integers[2] != 0}
		coefficients := readLines[E](t, &s, a.Inputs[0])
		for i := range of.count * of.rows {
			number, row := i/of.rows, i%of.rows
			if !triangle.Unit && coefficients[number*of.size()+row*of.columns+row] == 0 {
				return of.fail(number, "is singular: element %d of its diagonal is zero", row)
			}
		}
		if a.Outputs[0].Count() == 0 {
			return nil
		}
		m := matricesOf(a.Outputs[0])
		x, finish := copiedLines[E](t, &s, a.Outputs[0], a.Inputs[1])
		m.each(t, cube(m.rows, float64(m.columns)/float64(m.rows)), func(t *parallel.Thread, number int) int {
			own := coefficients[of.number(number, m.batch)*of.size():][:of.size()]
			factor.SolveTriangular(t, triangle, m.rows, m.columns, own, m.rows, x[number*m.size():][:m.size()], m.columns, 1)
			return sound
		})
		finish()
		return nil
	}}
}

var (
	_ = register("solve", solve[float32](), solve[float64](), solve[complex64](), solve[complex128]())
	_ = register("solve_triangular", solveTriangular[float32](), solveTriangular[float64](), solveTriangular[complex64](), solveTriangular[complex128]())
)

// EquationsScratch returns the bytes of temporary memory for results, and copies of matrices to factor.
func EquationsScratch(results, a device.View) int {
	_, whole := rowMajorCount(results)
	return demand(linesDemand(results.Count(), results.DType.Size(), whole) + linesDemand(a.Count(), a.DType.Size(), false))
}
