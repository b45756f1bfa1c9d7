package cpu

import (
	"unsafe"

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

// planes returns the matrix.
func (d *decomposed) planes() factor.Planes {
	p := factor.NewPlanes(d.rows, d.columns)
	for i := range p.Re {
		p.Re[i], p.Im[i] = d.a[2*i], d.a[2*i+1]
	}
	return p
}

// withImaginaryParts returns numbers with as many zeros between them.
func withImaginaryParts(numbers []float64) (pairs []float64) {
	pairs = make([]float64, 2*len(numbers))
	for i, v := range numbers {
		pairs[2*i] = v
	}
	return pairs
}

// complexNumbers returns pairs of numbers as complex ones, in the same memory.
func complexNumbers(pairs []float64) []complex128 {
	return unsafe.Slice((*complex128)(unsafe.Pointer(unsafe.SliceData(pairs))), len(pairs)/2)
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
