package cpu

import (
	"math"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/calculus"
	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

// sign returns the sign of the exchanges of rows of a matrix.
func (f *factors[T]) sign(number int) float64 {
	sign := 1.0
	_, pivots := f.at(number)
	for i, p := range pivots {
		if p != i {
			sign = -sign
		}
	}
	return sign
}

// determinant returns the determinant of a matrix. Products of the pivots may be out of range where the whole is not.
func (f *factors[T]) determinant(number int) float64 {
	product, power := f.sign(number), 0
	elements, _ := f.at(number)
	for i := range f.rows {
		fraction, exponent := math.Frexp(float64(elements[i*f.rows+i]))
		product, power = product*fraction, power+exponent
		fraction, exponent = math.Frexp(product)
		product, power = fraction, power+exponent
	}
	return math.Ldexp(product, power)
}

// logDeterminant returns the sign of the determinant of a matrix and the logarithm of its magnitude.
func (f *factors[T]) logDeterminant(number int) (sign, logarithm float64) {
	sign = f.sign(number)
	elements, _ := f.at(number)
	for i := range f.rows {
		pivot := float64(elements[i*f.rows+i])
		switch {
		case pivot == 0:
			return 0, math.Inf(-1)
		case pivot < 0:
			sign, pivot = -sign, -pivot
		}
		logarithm += calculus.LogFloat64(pivot)
	}
	return sign, logarithm
}

// ofFactors returns a kernel that writes numbers of the LU factors of each matrix of Inputs[0] to Outputs.
func ofFactors[T gemm.Float](numbers func(f *factors[T], number int) [2]float64) entry {
	return entry{dtype.Of[T]().String(), func(t *parallel.Thread, a *device.Arguments) error {
		m := matricesOf(a.Inputs[0])
		if m.count == 0 {
			return nil
		}
		f := &factors[T]{matrixBatch: m}
		if m.size() > 0 {
			f = newFactors[T](t, &scratch{memory: a.Scratch}, a.Inputs[0])
		}
		for i, out := range a.Outputs {
			results := make([]T, m.count)
			for number := range results {
				results[number] = T(numbers(f, number)[i])
			}
			scatterAll(out, results)
		}
		return nil
	}}
}

func determinant[T gemm.Float]() entry {
	return ofFactors(func(f *factors[T], number int) [2]float64 { return [2]float64{f.determinant(number)} })
}

func signLogDeterminant[T gemm.Float]() entry {
	return ofFactors(func(f *factors[T], number int) [2]float64 {
		sign, logarithm := f.logDeterminant(number)
		return [2]float64{sign, logarithm}
	})
}

var (
	_ = register("determinant", determinant[float32](), determinant[float64]())
	_ = register("sign_log_determinant", signLogDeterminant[float32](), signLogDeterminant[float64]())
)

// DeterminantScratch returns the bytes of temporary memory for copies of matrices to factor.
func DeterminantScratch(a device.View) int {
	return demand(linesDemand(a.Count(), a.DType.Size(), false))
}
