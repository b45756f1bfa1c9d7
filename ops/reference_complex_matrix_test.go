package ops

import (
	"math"
	"math/cmplx"
	"slices"
)

// complexMatrix is rows of complex numbers, for slow references.
type complexMatrix [][]complex128

func newComplexMatrix(rows, columns int) complexMatrix {
	m := make(complexMatrix, rows)
	for i := range m {
		m[i] = make([]complex128, columns)
	}
	return m
}

func complexIdentity(size int) complexMatrix {
	m := newComplexMatrix(size, size)
	for i := range m {
		m[i][i] = 1
	}
	return m
}

func (m complexMatrix) clone() complexMatrix {
	c := make(complexMatrix, len(m))
	for i := range m {
		c[i] = slices.Clone(m[i])
	}
	return c
}

// turned returns the transpose of m, of so many columns, with f of the elements.
func (m complexMatrix) turned(columns int, f func(v complex128) complex128) complexMatrix {
	t := newComplexMatrix(columns, len(m))
	for i := range m {
		for j, v := range m[i] {
			t[j][i] = f(v)
		}
	}
	return t
}

func (m complexMatrix) adjoint(columns int) complexMatrix { return m.turned(columns, cmplx.Conj) }

func unchanged(v complex128) complex128 { return v }

// operand is an array by its parts.
type operand struct {
	array
	imaginary []float64
}

// matrixAt returns the matrix whose axes in front broadcast at an index of these.
func (o operand) matrixAt(at []int) complexMatrix {
	re, im := o.array.matrixAt(at), array{dtype: o.dtype, shape: o.shape, values: o.imaginary}.matrixAt(at)
	m := newComplexMatrix(len(re), o.shape[len(o.shape)-1])
	for i := range m {
		for j := range m[i] {
			m[i][j] = complex(re[i][j], im[i][j])
		}
	}
	return m
}

// ofMatrices returns an operand of the type of o of the matrices that value makes, as ofMatrices does.
func (o operand) ofMatrices(batch []int, rows, columns int, value func(at []int) complexMatrix) operand {
	part := func(of func(v complex128) float64) array {
		return ofMatrices(o.dtype, batch, rows, columns, func(at []int) matrix {
			m := newMatrix(rows, columns)
			for i, row := range value(at) {
				for j, v := range row {
					m[i][j] = of(v)
				}
			}
			return m
		})
	}
	re, im := part(func(v complex128) float64 { return real(v) }), part(func(v complex128) float64 { return imag(v) })
	for i, v := range im.scale {
		re.scale[i] = max(re.scale[i], v)
	}
	return operand{re, im.values}
}

// ofNumbers is ofMatrices for a number each.
func (o operand) ofNumbers(batch []int, value func(at []int) complex128) operand {
	out := o.ofMatrices(batch, 1, 1, func(at []int) complexMatrix { return complexMatrix{{value(at)}} })
	out.shape = batch
	return out
}

// ofReals is ofMatrices for vectors of real numbers.
func (o operand) ofReals(batch []int, length int, value func(at []int) []float64) operand {
	return operand{array: ofVectors(o.dtype.RealPart(), batch, length, value)}
}

// ofComplexMatrices is the row of an operator on complex matrices, with a reference by operands.
func ofComplexMatrices(ulps float64, reference func(in []operand, params any) []operand) complexRow {
	return complexRow{ulps: ulps, reference: func(in []array, imaginary map[int][]float64, params any) (results []array, parts [][]float64) {
		operands := []operand{}
		for i, a := range in {
			operands = append(operands, operand{a, imaginary[i]})
		}
		for _, o := range reference(operands, params) {
			results, parts = append(results, o.array), append(parts, o.imaginary)
		}
		return results, parts
	}}
}

func complexDot(a, b []complex128) complex128 {
	sum := complex128(0)
	for i, v := range a {
		sum += cmplx.Conj(v) * b[i]
	}
	return sum
}

// complexElimination is elimination, with complex numbers.
func complexElimination(a, b complexMatrix) (x complexMatrix, determinant complex128) {
	a, x = a.clone(), b.clone()
	determinant = 1
	for k := range a {
		row := k
		for i := k; i < len(a); i++ {
			if cmplx.Abs(a[i][k]) > cmplx.Abs(a[row][k]) {
				row = i
			}
		}
		if row != k {
			a[k], a[row], x[k], x[row] = a[row], a[k], x[row], x[k]
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
	for k := range x {
		for j := range x[k] {
			x[k][j] /= a[k][k]
		}
	}
	return x, determinant
}

func complexCholesky(in []operand, _ any) []operand {
	size, _, _ := sizesOf(in[0].array)
	return []operand{in[0].ofMatrices(in[0].batchOf(), size, size, func(at []int) complexMatrix {
		a, l := in[0].matrixAt(at), newComplexMatrix(size, size)
		for i := range size {
			for j := range i + 1 {
				v := a[i][j]
				for k := range j {
					v -= l[i][k] * cmplx.Conj(l[j][k])
				}
				if l[i][j] = v / l[j][j]; i == j {
					l[i][j] = complex(math.Sqrt(real(v)), 0)
				}
			}
		}
		return l
	})}
}

// complexEquations solves equations with what the parameters leave of the matrices.
func complexEquations(left func(a complexMatrix, params any) complexMatrix) func(in []operand, params any) []operand {
	return func(in []operand, params any) []operand {
		a, b := in[0], in[1]
		vector := len(b.shape) == 1
		if vector {
			b.shape = []int{b.shape[0], 1}
		}
		size, columns := b.shape[len(b.shape)-2], b.shape[len(b.shape)-1]
		batch := joint(array{shape: a.batchOf()}, array{shape: b.batchOf()})
		x := a.ofMatrices(batch, size, columns, func(at []int) complexMatrix {
			x, _ := complexElimination(left(a.matrixAt(at), params), b.matrixAt(at))
			return x
		})
		if vector {
			x.shape = x.shape[:len(x.shape)-1]
		}
		return []operand{x}
	}
}

func complexTriangleOf(a complexMatrix, params any) complexMatrix {
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
		a = a.turned(len(a), unchanged)
	}
	return a
}

func complexInverse(in []operand, _ any) []operand {
	size, _, _ := sizesOf(in[0].array)
	return []operand{in[0].ofMatrices(in[0].batchOf(), size, size, func(at []int) complexMatrix {
		x, _ := complexElimination(in[0].matrixAt(at), complexIdentity(size))
		return x
	})}
}

func complexDeterminant(in []operand, _ any) []operand {
	size, _, _ := sizesOf(in[0].array)
	return []operand{in[0].ofNumbers(in[0].batchOf(), func(at []int) complex128 {
		_, determinant := complexElimination(in[0].matrixAt(at), newComplexMatrix(size, 0))
		return determinant
	})}
}

func complexSignLogDeterminant(in []operand, _ any) []operand {
	signs := complexDeterminant(in, nil)[0]
	logarithms := newArray(signs.dtype.RealPart(), signs.shape)
	logarithms.scale = make([]float64, len(signs.values))
	for i, re := range signs.values {
		size := math.Hypot(re, signs.imaginary[i])
		signs.values[i], signs.imaginary[i], logarithms.values[i] = re/size, signs.imaginary[i]/size, math.Log(size)
		signs.scale[i], logarithms.scale[i] = 1, 1
	}
	return []operand{signs, {array: logarithms}}
}

// complexGramSchmidt is gramSchmidt, with the rows of Qᵀ, with complex numbers.
func complexGramSchmidt(a complexMatrix, columns int) (q, r complexMatrix) {
	turned := a.turned(columns, unchanged)
	small := min(len(a), columns)
	r = newComplexMatrix(small, columns)
	for j := range small {
		v := slices.Clone(turned[j])
		for range 2 {
			for i := range j {
				f := complexDot(q[i], v)
				for k := range v {
					v[k] -= f * q[i][k]
				}
			}
		}
		length := complex(math.Sqrt(real(complexDot(v, v))), 0)
		for k := range v {
			v[k] /= length
		}
		q = append(q, v)
	}
	for i := range small {
		for j := i; j < columns; j++ {
			r[i][j] = complexDot(q[i], turned[j])
		}
		r[i][i] = complex(real(r[i][i]), 0)
	}
	return q, r
}

func complexQR(in []operand, _ any) []operand {
	rows, columns, small := sizesOf(in[0].array)
	return []operand{
		in[0].ofMatrices(in[0].batchOf(), rows, small, func(at []int) complexMatrix {
			q, _ := complexGramSchmidt(in[0].matrixAt(at), columns)
			return q.turned(rows, unchanged)
		}),
		in[0].ofMatrices(in[0].batchOf(), small, columns, func(at []int) complexMatrix {
			_, r := complexGramSchmidt(in[0].matrixAt(at), columns)
			return r
		}),
	}
}

func init() {
	for name, r := range map[string]complexRow{
		"cholesky":             ofComplexMatrices(64, complexCholesky),
		"solve":                ofComplexMatrices(512, complexEquations(func(a complexMatrix, _ any) complexMatrix { return a })),
		"solve_triangular":     ofComplexMatrices(512, complexEquations(complexTriangleOf)),
		"inverse":              ofComplexMatrices(512, complexInverse),
		"determinant":          ofComplexMatrices(512, complexDeterminant),
		"sign_log_determinant": ofComplexMatrices(512, complexSignLogDeterminant),
		"qr":                   ofComplexMatrices(512, complexQR),
	} {
		complexOperators[name] = r
	}
}
