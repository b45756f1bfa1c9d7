package cpu

import (
	"cmp"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/lapack"
)

// eigen computes Outputs[0] and Outputs[1], the eigenvalues of the matrices of Inputs[0] in the order of their real parts, of equal ones of
// their imaginary parts, and the eigenvectors as columns, complex numbers both. They have length one, and of each the leading
// element is real and positive.
func eigen(d *decomposed) (problem string) {
	n := d.rows
	vectors := make([]float64, n*n)
	values, ok := d.generalValues(vectors)
	if !ok {
		return eigenProblem
	}
	for place, from := range orderOf(values) {
		putComplex(d.results[0], place, values[from])
		column := columnOf(vectors, values, from)
		d.normalise(column)
		for i, v := range column {
			putComplex(d.results[1], i*n+place, v)
		}
	}
	return ""
}

// eigenvalues is eigen without vectors.
func eigenvalues(d *decomposed) (problem string) {
	values, ok := d.generalValues(nil)
	if !ok {
		return eigenProblem
	}
	for place, from := range orderOf(values) {
		putComplex(d.results[0], place, values[from])
	}
	return ""
}

// generalValues returns the eigenvalues. Vectors get the eigenvectors as LAPACK stores them, if they are not nil.
func (d *decomposed) generalValues(vectors []float64) (values []complex128, ok bool) {
	n := d.rows
	re, im := make([]float64, n), make([]float64, n)
	job, stride := lapack.RightEVNone, 1
	if vectors != nil {
		job, stride = lapack.RightEVCompute, n
	}
	first := 0
	working(func(work []float64, length int) {
		first = lapackGonum.Dgeev(lapack.LeftEVNone, job, n, d.a, n, re, im, nil, 1, vectors, stride, work, length)
	})
	values = make([]complex128, n)
	for i := range values {
		values[i] = complex(re[i], im[i])
	}
	return values, first == 0
}

// orderOf returns the numbers of values in the order in which results have them.
func orderOf(values []complex128) []int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(real(values[i]), real(values[j])), cmp.Compare(imag(values[i]), imag(values[j])))
	})
	return order
}

// columnOf returns an eigenvector. Of two that are conjugate there are the real parts, and the imaginary parts of the first.
func columnOf(vectors []float64, values []complex128, number int) []complex128 {
	column, n := make([]complex128, len(values)), len(values)
	for i := range column {
		switch row := vectors[i*n:]; {
		case imag(values[number]) == 0:
			column[i] = complex(row[number], 0)
		case imag(values[number]) > 0:
			column[i] = complex(row[number], row[number+1])
		default:
			column[i] = complex(row[number-1], -row[number])
		}
	}
	return column
}

// normalise turns the leading element to a positive number, and returns what it multiplies with.
func (d *decomposed) normalise(x []complex128) (turn complex128) {
	number := d.leading(len(x), func(i int) float64 { return cmplx.Abs(x[i]) })
	size, v := cmplx.Abs(x[number]), x[number]
	switch {
	case imag(v) != 0:
		turn = complex(real(v)/size, -imag(v)/size)
		multiplyEach(x, turn)
		x[number] = complex(size, 0)
		return turn
	case math.Signbit(real(v)):
		for i := range x {
			x[i] = -x[i]
		}
		return -1
	}
	return 1
}

func multiplyEach(x []complex128, by complex128) {
	re, im := real(by), imag(by)
	for i, w := range x {
		x[i] = complex(float64(real(w)*re)-float64(imag(w)*im), float64(real(w)*im)+float64(imag(w)*re))
	}
}

func putComplex(numbers []float64, place int, v complex128) {
	numbers[2*place], numbers[2*place+1] = real(v), imag(v)
}

var (
	_ = register("eigen", decomposition[float32](25, eigen), decomposition[float64](25, eigen), decomposition[complex64](100, eigenComplex), decomposition[complex128](100, eigenComplex))
	_ = register("eigenvalues",
		decomposition[float32](10, eigenvalues), decomposition[float64](10, eigenvalues),
		decomposition[complex64](40, eigenvaluesComplex), decomposition[complex128](40, eigenvaluesComplex))
)
