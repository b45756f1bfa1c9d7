package cpu

import "github.com/weft-nd/weft/kernels/cpu/factor"

// eigenComplex is eigen for complex matrices.
func eigenComplex(d *decomposed) (problem string) {
	n := d.rows
	q := factor.NewPlanes(n, n)
	values, triangle, ok := d.schur(&q)
	if !ok {
		return eigenProblem
	}
	vectors := factor.Eigenvectors(triangle, q)
	for place, from := range orderOf(values) {
		putComplex(d.results[0], place, values[from])
		column := make([]complex128, n)
		for i := range column {
			re, im := vectors.At(from, i)
			column[i] = complex(re, im)
		}
		d.normalise(column)
		for i, v := range column {
			putComplex(d.results[1], i*n+place, v)
		}
	}
	return ""
}

// eigenvaluesComplex is eigenComplex without vectors.
func eigenvaluesComplex(d *decomposed) (problem string) {
	values, _, ok := d.schur(nil)
	if !ok {
		return eigenProblem
	}
	for place, from := range orderOf(values) {
		putComplex(d.results[0], place, values[from])
	}
	return ""
}

// schur returns the eigenvalues of the matrix in the order of the diagonal of a triangle that it is with other axes: the
// rows that q gets, unless it is nil.
func (d *decomposed) schur(q *factor.Planes) (values []complex128, triangle factor.Planes, ok bool) {
	n, exponent := d.rows, d.scaleDown()
	triangle = d.planes()
	reflectors, axes := factor.Hessenberg(triangle), factor.Planes{}
	if q != nil {
		columns := factor.NewPlanes(n, n)
		for i := range n {
			columns.Set(i, i, 1, 0)
		}
		reflectors.Apply(columns)
		for i := range n {
			for j := range n {
				re, im := columns.At(i, j)
				q.Set(j, i, re, -im)
			}
		}
		axes = *q
	}
	ok = factor.Schur(triangle, axes)
	values = make([]complex128, n)
	for i := range values {
		re, im := triangle.At(i, i)
		parts := []float64{re, im}
		scaleUp(parts, exponent)
		values[i] = complex(parts[0], parts[1])
	}
	return values, triangle, ok
}
