package ops

import (
	"math"
	"slices"

	"github.com/weft-nd/weft/dtype"
)

// matrix is rows of numbers, for slow references.
type matrix [][]float64

func newMatrix(rows, columns int) matrix {
	m := make(matrix, rows)
	for i := range m {
		m[i] = make([]float64, columns)
	}
	return m
}

func identityMatrix(size int) matrix {
	m := newMatrix(size, size)
	for i := range m {
		m[i][i] = 1
	}
	return m
}

func (m matrix) clone() matrix {
	c := make(matrix, len(m))
	for i := range m {
		c[i] = slices.Clone(m[i])
	}
	return c
}

// turned returns the transpose of m, of so many columns.
func (m matrix) turned(columns int) matrix {
	t := newMatrix(columns, len(m))
	for i := range m {
		for j, v := range m[i] {
			t[j][i] = v
		}
	}
	return t
}

// matrixAt returns the matrix of a, whose axes in front broadcast, at an index of these.
func (a array) matrixAt(at []int) matrix {
	rank := len(a.shape)
	m := newMatrix(a.shape[rank-2], a.shape[rank-1])
	for i := range m {
		for j := range m[i] {
			m[i][j] = a.broadcastAt(slices.Concat(at, []int{i, j}))
		}
	}
	return m
}

// batchOf returns the axes of a in front of its matrices.
func (a array) batchOf() []int { return a.shape[:len(a.shape)-2] }

// ofMatrices returns the matrices that value makes. Errors of elements are counted in units of the largest of their matrix.
func ofMatrices(d dtype.DType, batch []int, rows, columns int, value func(at []int) matrix) array {
	out := newArray(d, slices.Concat(batch, []int{rows, columns}))
	out.scale = make([]float64, len(out.values))
	eachIndex(batch, func(number int, at []int) {
		start := number * rows * columns
		values := slices.Concat(value(at)...)
		copy(out.values[start:], values)
		for i := range values {
			out.scale[start+i] = largestOf(values)
		}
	})
	return out
}

// ofVectors is ofMatrices for vectors.
func ofVectors(d dtype.DType, batch []int, length int, value func(at []int) []float64) array {
	out := ofMatrices(d, batch, 1, length, func(at []int) matrix { return matrix{value(at)} })
	out.shape = slices.Concat(batch, []int{length})
	return out
}

func largestOf(values []float64) float64 {
	largest := 0.0
	for _, v := range values {
		largest = max(largest, math.Abs(v))
	}
	return largest
}

// eachMatrix calls body for the index of each element of a row and a column.
func eachElement(a array, body func(number, row, column, size int)) {
	eachIndex(a.shape, func(number int, at []int) {
		body(number, at[len(at)-2], at[len(at)-1], a.shape[len(at)-1])
	})
}

// makeDefinite makes symmetric matrices with large diagonals.
func makeDefinite(in []array) {
	given := slices.Clone(in[0].values)
	eachIndex(in[0].shape, func(number int, at []int) {
		at = slices.Clone(at)
		i, j := len(at)-2, len(at)-1
		v := 0.0
		if at[i] == at[j] {
			v = 2 * float64(in[0].shape[i])
		}
		other := slices.Clone(at)
		other[i], other[j] = max(at[i], at[j]), min(at[i], at[j])
		in[0].values[number] = rounded(in[0].dtype, v+given[in[0].number(other)])
	})
}

// makeRegular makes matrices that have a large element in each row and each column, beside the diagonal.
func makeRegular(in []array) {
	eachElement(in[0], func(number, row, column, size int) {
		if column == (row+1)%size {
			v := in[0].values[number]
			in[0].values[number] = rounded(in[0].dtype, v+math.Copysign(float64(1+size), v))
		}
	})
}

// makeTriangular makes matrices of which both triangles are far from singular, with or without their diagonals.
func makeTriangular(in []array) {
	eachElement(in[0], func(number, row, column, size int) {
		v := in[0].values[number]
		if row == column {
			v += math.Copysign(2, v)
		} else {
			v /= float64(size)
		}
		in[0].values[number] = rounded(in[0].dtype, v)
	})
}

// elimination solves a·x = b by elimination with the largest element of all that are left as the pivot, and returns the determinant of a too.
func elimination(a, b matrix) (x matrix, determinant float64) {
	a, x = a.clone(), b.clone()
	order := make([]int, len(a)) // of the unknowns
	for i := range order {
		order[i] = i
	}
	determinant = 1
	for k := range a {
		row, column := k, k
		for i := k; i < len(a); i++ {
			for j := k; j < len(a); j++ {
				if math.Abs(a[i][j]) > math.Abs(a[row][column]) {
					row, column = i, j
				}
			}
		}
		if row != k {
			a[k], a[row], x[k], x[row] = a[row], a[k], x[row], x[k]
			determinant = -determinant
		}
		if column != k {
			for i := range a {
				a[i][k], a[i][column] = a[i][column], a[i][k]
			}
			order[k], order[column] = order[column], order[k]
			determinant = -determinant
		}
		determinant *= a[k][k]
		for i := range a {
			if i == k {
				continue
			}
			f := a[i][k] / a[k][k]
			for j := range a[i] {
				a[i][j] -= f * a[k][j]
			}
			for j := range x[i] {
				x[i][j] -= f * x[k][j]
			}
		}
	}
	sorted := make(matrix, len(x))
	for k := range x {
		for j := range x[k] {
			x[k][j] /= a[k][k]
		}
		sorted[order[k]] = x[k]
	}
	return sorted, determinant
}

func referenceCholesky(in []array, _ any) []array {
	size := in[0].shape[len(in[0].shape)-1]
	return []array{ofMatrices(in[0].dtype, in[0].batchOf(), size, size, func(at []int) matrix {
		a, l := in[0].matrixAt(at), newMatrix(size, size)
		for i := range size {
			for j := range i + 1 {
				v := a[i][j]
				for k := range j {
					v -= l[i][k] * l[j][k]
				}
				if l[i][j] = v / l[j][j]; i == j {
					l[i][j] = math.Sqrt(v)
				}
			}
		}
		return l
	})}
}

// referenceEquations solves equations with what the parameters leave of the matrices.
func referenceEquations(left func(a matrix, params any) matrix) func(in []array, params any) []array {
	return func(in []array, params any) []array {
		a, b := in[0], in[1]
		vector := len(b.shape) == 1
		if vector {
			b.shape = []int{b.shape[0], 1}
		}
		size, columns := b.shape[len(b.shape)-2], b.shape[len(b.shape)-1]
		batch := joint(array{shape: a.batchOf()}, array{shape: b.batchOf()})
		x := ofMatrices(a.dtype, batch, size, columns, func(at []int) matrix {
			x, _ := elimination(left(a.matrixAt(at), params), b.matrixAt(at))
			return x
		})
		if vector {
			x.shape = x.shape[:len(x.shape)-1]
		}
		return []array{x}
	}
}

func wholeMatrix(a matrix, _ any) matrix { return a }

func triangleOf(a matrix, params any) matrix {
	p := params.(SolveTriangularParams)
	for i := range a {
		for j := range a {
			if i == j && p.Unit {
				a[i][j] = 1
			} else if i != j && p.Upper != (j > i) {
				a[i][j] = 0
			}
		}
	}
	if p.Transposed {
		a = a.turned(len(a))
	}
	return a
}

func referenceInverse(in []array, _ any) []array {
	size := in[0].shape[len(in[0].shape)-1]
	return []array{ofMatrices(in[0].dtype, in[0].batchOf(), size, size, func(at []int) matrix {
		x, _ := elimination(in[0].matrixAt(at), identityMatrix(size))
		return x
	})}
}

func referenceDeterminant(in []array, _ any) []array {
	return []array{made(in[0].dtype, in[0].batchOf(), func(at []int) float64 {
		_, determinant := elimination(in[0].matrixAt(at), newMatrix(in[0].shape[len(at)], 0))
		return determinant
	})}
}

func referenceSignLogDeterminant(in []array, _ any) []array {
	signs := referenceDeterminant(in, nil)[0]
	logarithms := newArray(signs.dtype, signs.shape)
	logarithms.scale = make([]float64, len(signs.values))
	for i, v := range signs.values {
		signs.values[i], logarithms.values[i] = math.Copysign(1, v), math.Log(math.Abs(v))
		logarithms.scale[i] = 1
	}
	return []array{signs, logarithms}
}

// badSquares are no square matrices.
var badSquares = []Sample{{Shapes: [][]int{{}}}, {Shapes: [][]int{{3}}}, {Shapes: [][]int{{2, 3}}}, {Shapes: [][]int{{2, 2, 1}}}}

// badEquations are operands that do not fit.
func badEquations(params any) (bad []Sample) {
	for _, shapes := range [][][]int{
		{{2, 3}, {3}}, {{3}, {3}}, {{2, 2}, {}}, {{2, 2}, {3}}, {{2, 2}, {3, 2}}, {{2, 2, 2}, {3, 2, 2}},
	} {
		bad = append(bad, Sample{Shapes: shapes, Params: params})
	}
	return bad
}

func init() {
	for name, r := range map[string]row{
		"cholesky":             {reference: referenceCholesky, ulps: 32, prepare: makeDefinite, bad: badSquares},
		"solve":                {reference: referenceEquations(wholeMatrix), ulps: 256, prepare: makeRegular, bad: badEquations(nil)},
		"solve_triangular":     {reference: referenceEquations(triangleOf), ulps: 256, prepare: makeTriangular, bad: badEquations(SolveTriangularParams{})},
		"inverse":              {reference: referenceInverse, ulps: 256, prepare: makeRegular, bad: badSquares},
		"determinant":          {reference: referenceDeterminant, ulps: 256, prepare: makeRegular, bad: badSquares},
		"sign_log_determinant": {reference: referenceSignLogDeterminant, ulps: 256, prepare: makeRegular, bad: badSquares},
	} {
		operators[name] = r
	}
}
