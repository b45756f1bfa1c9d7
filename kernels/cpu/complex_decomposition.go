package cpu

import (
	"gonum.org/v1/gonum/blas"

	"github.com/weft-nd/weft/kernels/cpu/factor"
)

// Decompositions of complex matrices by those of real ones, to which reflections lead: bidiagonal and tridiagonal ones.

// parts is how many numbers an element is.
func (d *decomposed) parts() int {
	if d.isComplex {
		return 2
	}
	return 1
}

func (d *decomposed) mirrorComplex() {
	for i := range d.rows {
		for j := range i {
			from, to := d.a[2*(i*d.columns+j):][:2], d.a[2*(j*d.columns+i):][:2]
			to[0], to[1] = from[0], -from[1]
		}
		d.a[2*(i*d.columns+i)+1] = 0
	}
}

// planes returns the matrix, or its adjoint.
func (d *decomposed) planes(adjoint bool) factor.Planes {
	if adjoint {
		p := factor.NewPlanes(d.columns, d.rows)
		for i := range d.rows {
			for j := range d.columns {
				p.Set(j, i, d.a[2*(i*d.columns+j)], -d.a[2*(i*d.columns+j)+1])
			}
		}
		return p
	}
	p := factor.NewPlanes(d.rows, d.columns)
	for i := range p.Re {
		p.Re[i], p.Im[i] = d.a[2*i], d.a[2*i+1]
	}
	return p
}

// columnOfPlanes returns a column.
func columnOfPlanes(p factor.Planes, j int) []complex128 {
	column := make([]complex128, p.Rows)
	for i := range column {
		re, im := p.At(i, j)
		column[i] = complex(re, im)
	}
	return column
}

// eigenHermitian is eigenSymmetric for complex matrices.
func eigenHermitian(d *decomposed) (problem string) {
	n, values := d.rows, d.results[0]
	exponent := d.scaleDown()
	beside, vectors := make([]float64, n), factor.NewPlanes(n, n)
	reflectors := factor.Tridiagonal(d.planes(false), values, beside)
	for i := range n {
		vectors.Set(i, i, 1, 0)
	}
	if !diagonalise(values, beside, vectors.Re) {
		return eigenProblem
	}
	scaleUp(values, exponent)
	reflectors.Apply(vectors)
	for j := range n {
		column := columnOfPlanes(vectors, j)
		d.normalise(column)
		for i, v := range column {
			putComplex(d.results[1], i*n+j, v)
		}
	}
	return ""
}

// eigenvaluesHermitian is eigenHermitian without vectors.
func eigenvaluesHermitian(d *decomposed) (problem string) {
	values, beside := d.results[0], make([]float64, d.rows)
	exponent := d.scaleDown()
	factor.Tridiagonal(d.planes(false), values, beside)
	if !diagonalise(values, beside, nil) {
		return eigenProblem
	}
	scaleUp(values, exponent)
	return ""
}

// complexVectors is singularVectors for complex matrices, and without vectors if u and v are nil.
func (d *decomposed) complexVectors(u, s, v []float64) (ok bool) {
	k, exponent, wide := d.small(), d.scaleDown(), d.rows < d.columns
	a := d.planes(wide)
	above, work := make([]float64, k), make([]float64, 4*k)
	left, right := factor.Bidiagonal(a, s, above)
	if u == nil {
		ok = lapackGonum.Dbdsqr(blas.Upper, k, 0, 0, 0, s, above, nil, 1, nil, 1, nil, 1, work)
		scaleUp(s, exponent)
		return ok
	}
	p, q, rows := factor.NewPlanes(a.Rows, k), factor.NewPlanes(k, k), make([]float64, k*k)
	for i := range k {
		p.Re[i*k+i], rows[i*k+i] = 1, 1
	}
	if !lapackGonum.Dbdsqr(blas.Upper, k, k, k, 0, s, above, rows, k, p.Re, k, nil, 1, work) {
		return false
	}
	scaleUp(s, exponent)
	for i := range k {
		for j := range k {
			q.Re[j*k+i] = rows[i*k+j]
		}
	}
	left.Apply(p)
	right.Apply(q)
	if wide {
		p, q = q, p
	}
	for j := range k {
		for i := range d.rows {
			u[2*(i*k+j)], u[2*(i*k+j)+1] = p.At(i, j)
		}
		for i := range d.columns {
			re, im := q.At(i, j)
			v[2*(j*d.columns+i)], v[2*(j*d.columns+i)+1] = re, -im
		}
	}
	return true
}

// turnPairs turns rows of v so that the leading elements are positive, and columns of u the other way.
func (d *decomposed) turnPairs(u, v []float64) {
	k, n := d.small(), d.columns
	for j := range k {
		row, column := make([]complex128, n), make([]complex128, d.rows)
		for i := range row {
			row[i] = complex(v[2*(j*n+i)], v[2*(j*n+i)+1])
		}
		for i := range column {
			column[i] = complex(u[2*(i*k+j)], u[2*(i*k+j)+1])
		}
		turn := d.normalise(row)
		multiplyEach(column, complex(real(turn), -imag(turn)))
		for i, value := range row {
			putComplex(v, j*n+i, value)
		}
		for i, value := range column {
			putComplex(u, i*k+j, value)
		}
	}
}
