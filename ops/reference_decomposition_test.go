package ops

import (
	"cmp"
	"math"
	"slices"

	"github.com/weft-nd/weft/dtype"
)

// makeGraded makes matrices with diagonals that rise by much more than the rest, so that singular values and eigenvalues are far apart.
func makeGraded(in []array) {
	eachElement(in[0], func(number, row, column, size int) {
		v := in[0].values[number] / float64(size)
		if row == column {
			v += 5 * float64(1+row)
		}
		in[0].values[number] = rounded(in[0].dtype, v)
	})
}

func dotOf(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// directed returns v or −v, the one whose first element of the largest magnitude is positive, and the sign.
func directed(v []float64) (same []float64, sign float64) {
	largest, sign := 0.0, 1.0
	for _, x := range v {
		if math.Abs(x) > math.Abs(largest) {
			largest = x
		}
	}
	if largest < 0 {
		sign = -1
	}
	same = slices.Clone(v)
	for i := range same {
		same[i] *= sign
	}
	return same, sign
}

// gramSchmidt returns the rows of Qᵀ, and R, for the columns of a, which are at least as many as its rows or independent.
func gramSchmidt(a matrix, columns int) (q, r matrix) {
	turned := a.turned(columns)
	small := min(len(a), columns)
	r = newMatrix(small, columns)
	for j := range small {
		v := slices.Clone(turned[j])
		for range 2 {
			for i := range j {
				f := dotOf(q[i], v)
				for k := range v {
					v[k] -= f * q[i][k]
				}
			}
		}
		length := math.Sqrt(dotOf(v, v))
		for k := range v {
			v[k] /= length
		}
		q = append(q, v)
	}
	for i := range small {
		for j := i; j < columns; j++ {
			r[i][j] = dotOf(q[i], turned[j])
		}
	}
	return q, r
}

// jacobi returns the singular values of a matrix of so many columns, the largest first, and the vectors as rows, by rotating the columns until
// they are orthogonal (Hestenes, 1958).
func jacobi(a matrix, columns int) (u matrix, s []float64, v matrix) {
	if len(a) < columns {
		v, s, u = jacobi(a.turned(columns), len(a))
	} else {
		w, v0 := a.turned(columns), identityMatrix(columns)
		rotate := func(x, y []float64, c, s float64) {
			for k := range x {
				x[k], y[k] = c*x[k]-s*y[k], s*x[k]+c*y[k]
			}
		}
		for range 40 {
			for p := range columns {
				for q := p + 1; q < columns; q++ {
					off := dotOf(w[p], w[q])
					if off == 0 {
						continue
					}
					zeta := (dotOf(w[q], w[q]) - dotOf(w[p], w[p])) / (2 * off)
					t := math.Copysign(1, zeta) / (math.Abs(zeta) + math.Hypot(1, zeta))
					c := 1 / math.Hypot(1, t)
					rotate(w[p], w[q], c, c*t)
					rotate(v0[p], v0[q], c, c*t)
				}
			}
		}
		order := make([]int, columns)
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(i, j int) int { return cmp.Compare(dotOf(w[j], w[j]), dotOf(w[i], w[i])) })
		for _, i := range order {
			length := math.Sqrt(dotOf(w[i], w[i]))
			for k := range w[i] {
				w[i][k] /= length
			}
			u, s, v = append(u, w[i]), append(s, length), append(v, v0[i])
		}
	}
	for i := range v {
		sign := 1.0
		v[i], sign = directed(v[i])
		for k := range u[i] {
			u[i][k] *= sign
		}
	}
	return u, s, v
}

// jacobiSymmetric returns the eigenvalues of the matrix with the lower triangle of a, in ascending order, and the vectors as rows.
func jacobiSymmetric(a matrix) (values []float64, vectors matrix) {
	n := len(a)
	a, v := a.clone(), identityMatrix(n)
	for i := range a {
		for j := range i {
			a[j][i] = a[i][j]
		}
	}
	for range 40 {
		for p := range n {
			for q := p + 1; q < n; q++ {
				if a[p][q] == 0 {
					continue
				}
				theta := (a[q][q] - a[p][p]) / (2 * a[p][q])
				t := math.Copysign(1, theta) / (math.Abs(theta) + math.Hypot(1, theta))
				c := 1 / math.Hypot(1, t)
				s := c * t
				for k := range n {
					a[k][p], a[k][q] = c*a[k][p]-s*a[k][q], s*a[k][p]+c*a[k][q]
				}
				for k := range n {
					a[p][k], a[q][k] = c*a[p][k]-s*a[q][k], s*a[p][k]+c*a[q][k]
					v[p][k], v[q][k] = c*v[p][k]-s*v[q][k], s*v[p][k]+c*v[q][k]
				}
			}
		}
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(a[i][i], a[j][j]) })
	for _, i := range order {
		same, _ := directed(v[i])
		values, vectors = append(values, a[i][i]), append(vectors, same)
	}
	return values, vectors
}

// inverseIteration returns the eigenvalues of a graded matrix, which are real and each near an element of the diagonal, and the vectors as
// rows, of which the inverse of the matrix less that element keeps the nearest.
func inverseIteration(a matrix) (values []float64, vectors matrix) {
	n := len(a)
	for i := range n {
		shifted, x := a.clone(), identityMatrix(n)[i]
		for k := range n {
			shifted[k][k] -= a[i][i] + 0.01
		}
		inverse, _ := elimination(shifted, identityMatrix(n))
		for range 60 {
			y := timesMatrix(inverse, matrix{x}.turned(n), 1)
			x = slices.Concat(y...)
			length := math.Sqrt(dotOf(x, x))
			for k := range x {
				x[k] /= length
			}
		}
		value := 0.0
		for k := range n {
			value += x[k] * dotOf(a[k], x)
		}
		same, _ := directed(x)
		values, vectors = append(values, value), append(vectors, same)
	}
	return values, vectors
}

// sizesOf returns the sizes of the matrices of a.
func sizesOf(a array) (rows, columns, small int) {
	rank := len(a.shape)
	return a.shape[rank-2], a.shape[rank-1], min(a.shape[rank-2], a.shape[rank-1])
}

func referenceQR(in []array, _ any) []array {
	rows, columns, small := sizesOf(in[0])
	return []array{
		ofMatrices(in[0].dtype, in[0].batchOf(), rows, small, func(at []int) matrix {
			q, _ := gramSchmidt(in[0].matrixAt(at), columns)
			return q.turned(rows)
		}),
		ofMatrices(in[0].dtype, in[0].batchOf(), small, columns, func(at []int) matrix {
			_, r := gramSchmidt(in[0].matrixAt(at), columns)
			return r
		}),
	}
}

func referenceSVD(in []array, _ any) []array {
	rows, columns, small := sizesOf(in[0])
	return []array{
		ofMatrices(in[0].dtype, in[0].batchOf(), rows, small, func(at []int) matrix {
			u, _, _ := jacobi(in[0].matrixAt(at), columns)
			return u.turned(rows)
		}),
		referenceSingularValues(in, nil)[0],
		ofMatrices(in[0].dtype, in[0].batchOf(), small, columns, func(at []int) matrix {
			_, _, v := jacobi(in[0].matrixAt(at), columns)
			return v
		}),
	}
}

func referenceSingularValues(in []array, _ any) []array {
	_, columns, small := sizesOf(in[0])
	return []array{ofVectors(in[0].dtype, in[0].batchOf(), small, func(at []int) []float64 {
		_, s, _ := jacobi(in[0].matrixAt(at), columns)
		return s
	})}
}

// referenceEigen makes the results of values and vectors, which are rows, of type d.
func referenceEigen(to func(dtype.DType) dtype.DType, find func(a matrix) ([]float64, matrix)) func(in []array, params any) []array {
	return func(in []array, _ any) []array {
		size, _, _ := sizesOf(in[0])
		return []array{
			ofVectors(to(in[0].dtype), in[0].batchOf(), size, func(at []int) []float64 {
				values, _ := find(in[0].matrixAt(at))
				return values
			}),
			ofMatrices(to(in[0].dtype), in[0].batchOf(), size, size, func(at []int) matrix {
				_, vectors := find(in[0].matrixAt(at))
				return vectors.turned(size)
			}),
		}
	}
}

// firstOf returns the first result of a reference.
func firstOf(reference func(in []array, params any) []array) func(in []array, params any) []array {
	return func(in []array, params any) []array { return reference(in, params)[:1] }
}

func toComplex(d dtype.DType) dtype.DType { return dtype.Promote(d, dtype.Complex64) }

func timesMatrix(a, b matrix, columns int) matrix {
	product, turned := newMatrix(len(a), columns), b.turned(columns)
	for i := range a {
		for j := range columns {
			product[i][j] = dotOf(a[i], turned[j])
		}
	}
	return product
}

// normalEquations returns the pseudo-inverse of a matrix of full rank.
func normalEquations(a matrix, columns int) matrix {
	turned := a.turned(columns)
	if len(a) < columns {
		x, _ := elimination(timesMatrix(a, turned, len(a)), a)
		return x.turned(columns)
	}
	x, _ := elimination(timesMatrix(turned, a, columns), turned)
	return x
}

func referencePseudoInverse(in []array, _ any) []array {
	rows, columns, _ := sizesOf(in[0])
	return []array{ofMatrices(in[0].dtype, in[0].batchOf(), columns, rows, func(at []int) matrix {
		return normalEquations(in[0].matrixAt(at), columns)
	})}
}

func referenceLeastSquares(in []array, _ any) []array {
	a, b := in[0], in[1]
	vector := len(b.shape) == 1
	if vector {
		b.shape = []int{b.shape[0], 1}
	}
	_, columns, small := sizesOf(a)
	_, right, _ := sizesOf(b)
	batch := joint(array{shape: a.batchOf()}, array{shape: b.batchOf()})
	x := ofMatrices(a.dtype, batch, columns, right, func(at []int) matrix {
		p := normalEquations(a.matrixAt(at), columns)
		return timesMatrix(p, b.matrixAt(at), right)
	})
	if vector {
		x.shape = x.shape[:len(x.shape)-1]
	}
	return []array{
		x, made(dtype.Int64, batch, func([]int) float64 { return float64(small) }),
		ofVectors(a.dtype, batch, small, func(at []int) []float64 {
			_, s, _ := jacobi(a.matrixAt(at), columns)
			return s
		}),
	}
}

// badMatrices have less than two axes.
var badMatrices = []Sample{{Shapes: [][]int{{}}}, {Shapes: [][]int{{3}}}}

func init() {
	symmetric, general := referenceEigen(toSame, jacobiSymmetric), referenceEigen(toComplex, inverseIteration)
	for name, r := range map[string]row{
		"qr":                    {reference: referenceQR, ulps: 256, prepare: makeGraded, bad: badMatrices},
		"svd":                   {reference: referenceSVD, ulps: 512, prepare: makeGraded, bad: badMatrices},
		"singular_values":       {reference: referenceSingularValues, ulps: 64, prepare: makeGraded, bad: badMatrices},
		"eigen_symmetric":       {reference: symmetric, ulps: 512, prepare: makeGraded, bad: badSquares},
		"eigenvalues_symmetric": {reference: firstOf(symmetric), ulps: 64, prepare: makeGraded, bad: badSquares},
		"eigen":                 {reference: general, ulps: 512, prepare: makeGraded, bad: badSquares},
		"eigenvalues":           {reference: firstOf(general), ulps: 64, prepare: makeGraded, bad: badSquares},
		"pseudo_inverse": {reference: referencePseudoInverse, ulps: 4096, prepare: makeGraded, bad: []Sample{
			{Shapes: [][]int{{}}, Params: PseudoInverseParams{}}, {Shapes: [][]int{{3}}, Params: PseudoInverseParams{}}, {Shapes: [][]int{{2, 2}}, Params: PseudoInverseParams{-1}},
		}},
		"least_squares": {reference: referenceLeastSquares, ulps: 4096, prepare: makeGraded, bad: []Sample{
			{Shapes: [][]int{{3}, {3}}, Params: PseudoInverseParams{}}, {Shapes: [][]int{{3, 2}, {}}, Params: PseudoInverseParams{}}, {Shapes: [][]int{{3, 2}, {2}}, Params: PseudoInverseParams{}},
			{Shapes: [][]int{{3, 2}, {2, 3}}, Params: PseudoInverseParams{}}, {Shapes: [][]int{{2, 3, 2}, {3, 3, 1}}, Params: PseudoInverseParams{}}, {Shapes: [][]int{{2, 2}, {2}}, Params: PseudoInverseParams{-1}},
		}},
	} {
		operators[name] = r
	}
}
