package ops

import (
	"cmp"
	"math"
	"math/cmplx"
	"slices"

	"github.com/weft-nd/weft/dtype"
)

// gradeImaginary makes imaginary parts as small as makeGraded makes real parts beside the diagonal.
func gradeImaginary(in []array, imaginary map[int][]float64) {
	if imaginary[0] == nil {
		return
	}
	eachElement(in[0], func(number, _, _, size int) {
		imaginary[0][number] = rounded(in[0].dtype, imaginary[0][number]/float64(size))
	})
}

func multiples(v []complex128, by complex128) []complex128 {
	w := slices.Clone(v)
	for i := range w {
		w[i] *= by
	}
	return w
}

// upright returns the number of length one that turns the element of the largest magnitude to a positive one.
func upright(v []complex128) complex128 {
	largest := complex128(0)
	for _, x := range v {
		if cmplx.Abs(x) > cmplx.Abs(largest) {
			largest = x
		}
	}
	if largest == 0 {
		return 1
	}
	return cmplx.Conj(largest) / complex(cmplx.Abs(largest), 0)
}

// rotation returns the rotation that makes columns orthogonal whose squares are x and y and whose product is real.
func rotation(x, y, product float64) (c, s complex128) {
	zeta := (y - x) / (2 * product)
	t := math.Copysign(1, zeta) / (math.Abs(zeta) + math.Hypot(1, zeta))
	cosine := 1 / math.Hypot(1, t)
	return complex(cosine, 0), complex(cosine*t, 0)
}

func rotate(x, y []complex128, c, s complex128) {
	for k := range x {
		x[k], y[k] = c*x[k]-s*y[k], s*x[k]+c*y[k]
	}
}

// complexJacobi is jacobi with complex numbers; u has the columns of U as rows, and vh is Vᴴ.
func complexJacobi(a complexMatrix, columns int) (u complexMatrix, s []float64, vh complexMatrix) {
	if len(a) < columns {
		var v complexMatrix
		v, s, u = complexJacobi(a.adjoint(columns), len(a))
		for i := range v {
			vh = append(vh, multiples(v[i], 1))
			for k, x := range v[i] {
				vh[i][k] = cmplx.Conj(x)
			}
			for k, x := range u[i] {
				u[i][k] = cmplx.Conj(x)
			}
		}
	} else {
		w, v := a.turned(columns, unchanged), complexIdentity(columns)
		for range 40 {
			for p := range columns {
				for q := p + 1; q < columns; q++ {
					off := complexDot(w[p], w[q])
					if off == 0 {
						continue
					}
					turn := cmplx.Conj(off) / complex(cmplx.Abs(off), 0)
					w[q], v[q] = multiples(w[q], turn), multiples(v[q], turn)
					c, s := rotation(real(complexDot(w[p], w[p])), real(complexDot(w[q], w[q])), cmplx.Abs(off))
					rotate(w[p], w[q], c, s)
					rotate(v[p], v[q], c, s)
				}
			}
		}
		order := make([]int, columns)
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(i, j int) int { return cmp.Compare(real(complexDot(w[j], w[j])), real(complexDot(w[i], w[i]))) })
		for _, i := range order {
			length := math.Sqrt(real(complexDot(w[i], w[i])))
			row := slices.Clone(v[i])
			for k, x := range row {
				row[k] = cmplx.Conj(x)
			}
			u, s, vh = append(u, multiples(w[i], complex(1/length, 0))), append(s, length), append(vh, row)
		}
	}
	for i := range vh {
		turn := upright(vh[i])
		vh[i], u[i] = multiples(vh[i], turn), multiples(u[i], cmplx.Conj(turn))
	}
	return u, s, vh
}

// jacobiHermitian is jacobiSymmetric with complex numbers.
func jacobiHermitian(a complexMatrix) (values []float64, vectors complexMatrix) {
	n := len(a)
	a, v := a.clone(), complexIdentity(n)
	for i := range a {
		a[i][i] = complex(real(a[i][i]), 0)
		for j := range i {
			a[j][i] = cmplx.Conj(a[i][j])
		}
	}
	for turns := true; turns; {
		turns = false
		for p := range n {
			for q := p + 1; q < n; q++ {
				if cmplx.Abs(a[p][q]) < 1e-200 { // parts of less have too few digits to tell a direction
					continue
				}
				turns = true
				turn := cmplx.Conj(a[p][q]) / complex(cmplx.Abs(a[p][q]), 0)
				for k := range n {
					a[k][q] *= turn
				}
				a[q], v[q] = multiples(a[q], cmplx.Conj(turn)), multiples(v[q], turn)
				c, s := rotation(real(a[p][p]), real(a[q][q]), real(a[p][q]))
				for k := range n {
					a[k][p], a[k][q] = c*a[k][p]-s*a[k][q], s*a[k][p]+c*a[k][q]
				}
				rotate(a[p], a[q], c, s)
				rotate(v[p], v[q], c, s)
			}
		}
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(real(a[i][i]), real(a[j][j])) })
	for _, i := range order {
		values, vectors = append(values, real(a[i][i])), append(vectors, multiples(v[i], upright(v[i])))
	}
	return values, vectors
}

func complexSVD(in []operand, _ any) []operand {
	rows, columns, small := sizesOf(in[0].array)
	return []operand{
		in[0].ofMatrices(in[0].batchOf(), rows, small, func(at []int) complexMatrix {
			u, _, _ := complexJacobi(in[0].matrixAt(at), columns)
			return u.turned(rows, unchanged)
		}),
		complexSingularValues(in, nil)[0],
		in[0].ofMatrices(in[0].batchOf(), small, columns, func(at []int) complexMatrix {
			_, _, vh := complexJacobi(in[0].matrixAt(at), columns)
			return vh
		}),
	}
}

func complexSingularValues(in []operand, _ any) []operand {
	_, columns, small := sizesOf(in[0].array)
	return []operand{in[0].ofReals(in[0].batchOf(), small, func(at []int) []float64 {
		_, s, _ := complexJacobi(in[0].matrixAt(at), columns)
		return s
	})}
}

func complexEigenSymmetric(in []operand, _ any) []operand {
	size, _, _ := sizesOf(in[0].array)
	return []operand{
		in[0].ofReals(in[0].batchOf(), size, func(at []int) []float64 {
			values, _ := jacobiHermitian(in[0].matrixAt(at))
			return values
		}),
		in[0].ofMatrices(in[0].batchOf(), size, size, func(at []int) complexMatrix {
			_, vectors := jacobiHermitian(in[0].matrixAt(at))
			return vectors.turned(size, unchanged)
		}),
	}
}

// complexInverseIteration is inverseIteration with complex numbers.
func complexInverseIteration(a complexMatrix) (values []complex128, vectors complexMatrix) {
	n := len(a)
	for i := range n {
		shifted, x := a.clone(), complexIdentity(n)[i]
		for k := range n {
			shifted[k][k] -= a[i][i] + 0.01
		}
		inverse, _ := complexElimination(shifted, complexIdentity(n))
		for range 60 {
			x = slices.Concat(timesComplexMatrix(inverse, complexMatrix{x}.turned(n, unchanged), 1)...)
			x = multiples(x, complex(1/math.Sqrt(real(complexDot(x, x))), 0))
		}
		value := complexDot(x, slices.Concat(timesComplexMatrix(a, complexMatrix{x}.turned(n, unchanged), 1)...))
		values, vectors = append(values, value), append(vectors, multiples(x, upright(x)))
	}
	return values, vectors
}

func complexEigen(in []operand, _ any) []operand {
	size, _, _ := sizesOf(in[0].array)
	values := in[0].ofMatrices(in[0].batchOf(), 1, size, func(at []int) complexMatrix {
		values, _ := complexInverseIteration(in[0].matrixAt(at))
		return complexMatrix{values}
	})
	values.shape = slices.Concat(in[0].batchOf(), []int{size})
	return []operand{values, in[0].ofMatrices(in[0].batchOf(), size, size, func(at []int) complexMatrix {
		_, vectors := complexInverseIteration(in[0].matrixAt(at))
		return vectors.turned(size, unchanged)
	})}
}

func timesComplexMatrix(a, b complexMatrix, columns int) complexMatrix {
	product := newComplexMatrix(len(a), columns)
	for i := range a {
		for k, v := range a[i] {
			for j := range columns {
				product[i][j] += v * b[k][j]
			}
		}
	}
	return product
}

// complexNormalEquations is normalEquations with complex numbers.
func complexNormalEquations(a complexMatrix, columns int) complexMatrix {
	adjoint := a.adjoint(columns)
	if len(a) < columns {
		x, _ := complexElimination(timesComplexMatrix(a, adjoint, len(a)), a)
		return x.adjoint(columns)
	}
	x, _ := complexElimination(timesComplexMatrix(adjoint, a, columns), adjoint)
	return x
}

func complexPseudoInverse(in []operand, _ any) []operand {
	rows, columns, _ := sizesOf(in[0].array)
	return []operand{in[0].ofMatrices(in[0].batchOf(), columns, rows, func(at []int) complexMatrix {
		return complexNormalEquations(in[0].matrixAt(at), columns)
	})}
}

func complexLeastSquares(in []operand, _ any) []operand {
	a, b := in[0], in[1]
	vector := len(b.shape) == 1
	if vector {
		b.shape = []int{b.shape[0], 1}
	}
	_, columns, small := sizesOf(a.array)
	_, right, _ := sizesOf(b.array)
	batch := joint(array{shape: a.batchOf()}, array{shape: b.batchOf()})
	x := a.ofMatrices(batch, columns, right, func(at []int) complexMatrix {
		return timesComplexMatrix(complexNormalEquations(a.matrixAt(at), columns), b.matrixAt(at), right)
	})
	if vector {
		x.shape = x.shape[:len(x.shape)-1]
	}
	return []operand{
		x, {array: made(dtype.Int64, batch, func([]int) float64 { return float64(small) })},
		a.ofReals(batch, small, func(at []int) []float64 {
			_, s, _ := complexJacobi(a.matrixAt(at), columns)
			return s
		}),
	}
}

func init() {
	for name, r := range map[string]complexRow{
		"svd":                   ofComplexMatrices(512, complexSVD),
		"singular_values":       ofComplexMatrices(64, complexSingularValues),
		"eigen_symmetric":       ofComplexMatrices(512, complexEigenSymmetric),
		"eigenvalues_symmetric": ofComplexMatrices(256, func(in []operand, _ any) []operand { return complexEigenSymmetric(in, nil)[:1] }),
		"eigen":                 ofComplexMatrices(512, complexEigen),
		"eigenvalues":           ofComplexMatrices(256, func(in []operand, _ any) []operand { return complexEigen(in, nil)[:1] }),
		"pseudo_inverse":        ofComplexMatrices(4096, complexPseudoInverse),
		"least_squares":         ofComplexMatrices(4096, complexLeastSquares),
	} {
		r.prepare = gradeImaginary
		complexOperators[name] = r
	}
}
