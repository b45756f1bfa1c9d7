package cpu

import (
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"

	"github.com/weft-nd/weft/kernels/cpu/bidiagonal"
	"github.com/weft-nd/weft/kernels/cpu/conquer"
	"github.com/weft-nd/weft/kernels/cpu/factor"
)

const svdProblem = "has singular values that were not found: the iteration does not converge"

// svd computes Outputs, the reduced factors U, S and Vᴴ of the matrices of Inputs[0], the largest singular value first.
// Of each row of Vᴴ the leading element is positive.
func svd(d *decomposed) (problem string) {
	u, s, v := d.results[0], d.results[1], d.results[2]
	if !d.singularVectors(u, s, v) {
		return svdProblem
	}
	if d.isComplex {
		d.turnPairs(u, v)
		return ""
	}
	for i, k, n := 0, d.small(), d.columns; i < k; i++ {
		if row := v[i*n : (i+1)*n]; d.leadingIsNegative(row, n, 1) {
			negate(row, n, 1)
			negate(u[i:], d.rows, k)
		}
	}
	return ""
}

// singularValues computes Outputs[0], the singular values of the matrices of Inputs[0], the largest first.
func singularValues(d *decomposed) (problem string) {
	if d.isSmall(leastValues) {
		if !d.gonumVectors(lapack.SVDNone, nil, d.results[0], nil) {
			return svdProblem
		}
		return ""
	}
	values, exponent := d.results[0], d.scaleDown()
	k, t := len(values), d.tall(false)
	_, _, above := t.bidiagonal(values)
	if !lapackGonum.Dbdsqr(blas.Upper, k, 0, 0, 0, values, above, nil, 1, nil, 1, nil, 1, make([]float64, 4*k)) {
		return svdProblem
	}
	scaleUp(values, exponent)
	return ""
}

// From leastVectors rows or columns on real matrices take less time here than in gonum's LAPACK, and from leastValues on without vectors.
const (
	leastVectors = 33
	leastValues  = 130
)

func (d *decomposed) isSmall(least int) bool { return !d.isComplex && d.small() < least }

// gonumVectors is singularVectors by gonum's LAPACK, and without vectors if job says so.
func (d *decomposed) gonumVectors(job lapack.SVDJob, u, s, v []float64) (ok bool) {
	working(func(work []float64, length int) {
		ok = lapackGonum.Dgesvd(job, job, d.rows, d.columns, d.a, d.columns, s, u, d.small(), v, d.columns, work, length)
	})
	return ok
}

// singularVectors computes the factors U, S and Vᴴ.
func (d *decomposed) singularVectors(u, s, v []float64) (ok bool) {
	if d.isSmall(leastVectors) {
		return d.gonumVectors(lapack.SVDStore, u, s, v)
	}
	exponent, isWide := d.scaleDown(), d.rows < d.columns
	t := d.tall(true)
	k, parts := t.columns, d.parts()
	reflectorsOfLeft, reflectorsOfRight, above := t.bidiagonal(s)
	left, right := make([]float64, k*t.rows), make([]float64, k*k)
	if !bidiagonal.SVD(d.thread, s, above, conquer.Rows{Numbers: left, Stride: t.rows}, conquer.Rows{Numbers: right, Stride: k}) {
		return false
	}
	if d.isComplex {
		left, right = withImaginaryParts(left), withImaginaryParts(right)
	}
	reflectorsOfLeft.Apply(d.thread, k, t.rows*parts, left)
	reflectorsOfRight.Apply(d.thread, k, k*parts, right)
	order := ascending(s)
	slices.Reverse(order)
	slices.Sort(s)
	slices.Reverse(s)
	scaleUp(s, exponent)
	leftOf, rightOf := vectors{left, t.rows, parts, order}, vectors{right, k, parts, order}
	if t.q != nil {
		rows := make([]float64, len(left))
		leftOf.toRows(rows)
		all := max(d.rows, d.columns)
		q, of := factor.Matrix{Numbers: t.q, Columns: k, Complex: d.isComplex}, factor.Matrix{Numbers: rows, Columns: k, Complex: d.isComplex}
		if isWide {
			q.Adjoint = true
			factor.Multiply(d.thread, k, all, k, of, q, factor.Matrix{Numbers: v, Columns: all, Complex: d.isComplex})
			rightOf.toColumns(u)
		} else {
			of.Adjoint = true
			factor.Multiply(d.thread, all, k, k, q, of, factor.Matrix{Numbers: u, Columns: k, Complex: d.isComplex})
			rightOf.toRows(v)
		}
		return true
	}
	if isWide {
		leftOf, rightOf = rightOf, leftOf
	}
	leftOf.toColumns(u)
	rightOf.toRows(v)
	return true
}

// tall is the matrix or, where that has more columns than rows, its adjoint, or the triangle of this where it has many more rows.
type tall struct {
	*decomposed
	rows, columns int
	numbers       []float64
	q             []float64 // the other factor of it and its triangle
}

// rowsForTriangle is from how many times as many rows as columns on a triangle is made first.
const rowsForTriangle = 1.6

func (d *decomposed) tall(vectors bool) (t tall) {
	t = tall{decomposed: d, rows: d.rows, columns: d.columns, numbers: d.a}
	if d.rows < d.columns {
		t.rows, t.columns, t.numbers = d.columns, d.rows, d.adjoint()
	}
	if float64(t.rows) < rowsForTriangle*float64(t.columns) {
		return t
	}
	if vectors {
		t.q = make([]float64, len(d.a))
	}
	if d.isComplex {
		factor.QR(d.thread, t.rows, t.columns, complexNumbers(t.numbers), t.columns, complexNumbers(t.q), t.columns)
	} else {
		factor.QR(d.thread, t.rows, t.columns, t.numbers, t.columns, t.q, t.columns)
	}
	t.rows = t.columns
	t.numbers = t.numbers[:t.rows*t.columns*d.parts()]
	return t
}

// bidiagonal makes of the matrix a real bidiagonal one with the same singular values, of which it writes the diagonal and returns what is
// above it, and the reflectors that lead from one matrix to the other.
func (t tall) bidiagonal(diagonal []float64) (left, right factor.ReflectorBlocks, above []float64) {
	above = make([]float64, t.columns)
	if t.isComplex {
		for i := 1; i < len(t.numbers); i += 2 {
			t.numbers[i] = -t.numbers[i]
		}
	}
	left, right = factor.Bidiagonal(t.thread, t.rows, t.columns, t.parts(), t.numbers, diagonal, above)
	return left, right, above[:t.columns-1]
}

// adjoint returns the adjoint of the matrix.
func (d *decomposed) adjoint() []float64 {
	order := make([]int, d.rows)
	for i := range order {
		order[i] = i
	}
	adjoint := make([]float64, len(d.a))
	vectors{d.a, d.columns, d.parts(), order}.toColumns(adjoint)
	if d.isComplex {
		for i := 1; i < len(adjoint); i += 2 {
			adjoint[i] = -adjoint[i]
		}
	}
	return adjoint
}

// vectors are rows of numbers, of so many elements of so many parts, in an order.
type vectors struct {
	numbers []float64
	length  int
	parts   int
	order   []int
}

func (v vectors) row(place int) []float64 {
	length := v.length * v.parts
	return v.numbers[v.order[place]*length:][:length]
}

// toRows writes the adjoint vectors as rows.
func (v vectors) toRows(to []float64) {
	for place := range v.order {
		row := to[place*v.length*v.parts:][:v.length*v.parts]
		copy(row, v.row(place))
		if v.parts == 2 {
			for i := 1; i < len(row); i += 2 {
				row[i] = -row[i]
			}
		}
	}
}

// toColumns writes the vectors as columns, several of them at a time.
func (v vectors) toColumns(to []float64) {
	const together = 8
	count := len(v.order)
	for first := 0; first < count; first += together {
		var rows [together][]float64
		some := rows[:min(together, count-first)]
		for i := range some {
			some[i] = v.row(first + i)
		}
		for j := range v.length {
			at := to[(j*count+first)*v.parts:]
			for i, row := range some {
				if v.parts == 1 {
					at[i] = row[j]
				} else {
					at[2*i], at[2*i+1] = row[2*j], row[2*j+1]
				}
			}
		}
	}
}

var (
	_ = register("svd", decomposition[float32](20, svd), decomposition[float64](20, svd), decomposition[complex64](80, svd), decomposition[complex128](80, svd))
	_ = register("singular_values",
		decomposition[float32](8, singularValues), decomposition[float64](8, singularValues),
		decomposition[complex64](25, singularValues), decomposition[complex128](25, singularValues))
)
