package cpu

import (
	"math"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/calculus"
	"github.com/weft-nd/weft/kernels/cpu/factor"
	"github.com/weft-nd/weft/parallel"
)

// exchanged returns the sign of the exchanges of rows of a matrix.
func (f *factors[E]) exchanged(number int) float64 {
	sign := 1.0
	_, pivots := f.at(number)
	for i, p := range pivots {
		if p != i {
			sign = -sign
		}
	}
	return sign
}

// pivot returns an element of the diagonal of a matrix by its parts.
func (f *factors[E]) pivot(number, i int) [2]float64 {
	elements, _ := f.at(number)
	return partsOfElement(elements[i*(f.rows+1)])
}

// determinant returns the parts of the determinant of a matrix. Products of the pivots may be out of range where the whole is not.
func (f *factors[E]) determinant(number int) [2]float64 {
	product, power := [2]float64{f.exchanged(number), 0}, 0
	for i := range f.rows {
		pivot, exponent := fraction(f.pivot(number, i))
		if product[1] == 0 && pivot[1] == 0 {
			product[0] *= pivot[0]
		} else {
			product = product2(product, pivot)
		}
		power += exponent
		product, exponent = fraction(product)
		power += exponent
	}
	return [2]float64{math.Ldexp(product[0], power), math.Ldexp(product[1], power)}
}

// fraction returns v divided by two to the power of exponent, so that the larger part is between a half and one.
func fraction(v [2]float64) (divided [2]float64, exponent int) {
	exponent = exponentOf(v[:])
	return [2]float64{math.Ldexp(v[0], -exponent), math.Ldexp(v[1], -exponent)}, exponent
}

// logDeterminant returns the parts of the sign of the determinant of a matrix, and the logarithm of its magnitude.
func (f *factors[E]) logDeterminant(number int) (sign [2]float64, logarithm float64) {
	sign = [2]float64{f.exchanged(number), 0}
	for i := range f.rows {
		pivot := f.pivot(number, i)
		magnitude := math.Abs(pivot[0])
		switch {
		case pivot == [2]float64{}:
			return [2]float64{}, math.Inf(-1)
		case pivot[1] == 0:
			sign = product2(sign, [2]float64{math.Copysign(1, pivot[0]), 0})
		default:
			re, im := signComplex(pivot[0], pivot[1])
			sign = product2(sign, [2]float64{re, im})
			magnitude = calculus.HypotFloat64(pivot[0], pivot[1])
		}
		logarithm += calculus.LogFloat64(magnitude)
	}
	if sign[1] != 0 { // factors of length one have errors, which add up
		sign[0], sign[1] = signComplex(sign[0], sign[1])
	}
	return sign, logarithm
}

// ofFactors returns a kernel that writes what numbers appends for each matrix of Inputs[0], of its LU factors, to Outputs.
func ofFactors[E factor.Element](numbers func(f *factors[E], number int, results [][]float64)) entry {
	return entry{dtype.Of[E]().String(), func(t *parallel.Thread, a *device.Arguments) error {
		m := matricesOf(a.Inputs[0])
		if m.count == 0 {
			return nil
		}
		f := &factors[E]{matrixBatch: m}
		if m.size() > 0 {
			f = newFactors[E](t, &scratch{memory: a.Scratch}, a.Inputs[0])
		}
		results := make([][]float64, len(a.Outputs))
		for number := range m.count {
			numbers(f, number, results)
		}
		for i, out := range a.Outputs {
			storeAll(out, results[i])
		}
		return nil
	}}
}

func determinant[E factor.Element]() entry {
	parts := partsOf(dtype.Of[E]())
	return ofFactors(func(f *factors[E], number int, results [][]float64) {
		value := f.determinant(number)
		results[0] = append(results[0], value[:parts]...)
	})
}

func signLogDeterminant[E factor.Element]() entry {
	parts := partsOf(dtype.Of[E]())
	return ofFactors(func(f *factors[E], number int, results [][]float64) {
		sign, logarithm := f.logDeterminant(number)
		results[0], results[1] = append(results[0], sign[:parts]...), append(results[1], logarithm)
	})
}

var (
	_ = register("determinant", determinant[float32](), determinant[float64](), determinant[complex64](), determinant[complex128]())
	_ = register("sign_log_determinant", signLogDeterminant[float32](), signLogDeterminant[float64](), signLogDeterminant[complex64](), signLogDeterminant[complex128]())
)

// DeterminantScratch returns the bytes of temporary memory for copies of matrices to factor.
func DeterminantScratch(a device.View) int {
	return demand(linesDemand(a.Count(), a.DType.Size(), false))
}
