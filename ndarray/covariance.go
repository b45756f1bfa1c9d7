package ndarray

import (
	"fmt"
	"math"

	"github.com/weft-nd/weft/fault"
)

// Covariance returns the covariances of the rows of a, of shape (...,variables,observations), with one another, of shape
// (...,variables,variables): means over the observations of the products of the distances from the means, the second one conjugate, where the sum is
// divided by the number of observations less correction; NaN if that is 0 or negative. A correction of 1 gives NumPy's cov and torch.cov. Integers
// become float64. It panics with *Error if a has fewer than two axes: of one variable it is Var.
func (a *Array) Covariance(correction float64) *Array {
	return a.covariance("Covariance", correction)
}

// Correlation returns Pearson's correlations of the rows of a, of shape (...,variables,observations), with one another, of shape
// (...,variables,variables), as NumPy's corrcoef: covariances divided by the standard deviations of both, and cut to −1 and 1 where they are real. Those
// of a variable that does not vary are NaN. Integers become float64. It panics with *Error if a has fewer than two axes.
func (a *Array) Correlation() *Array {
	const operator = "Correlation"
	var made temporaries
	c := made.add(a.covariance(operator, 0))
	defer named(operator, a)
	deviations := made.add(c.Diagonal(0, -2, -1).Real().Sqrt())
	c = made.add(made.add(c.Div(deviations.ExpandDims(-1))).Div(deviations.ExpandDims(-2)))
	if !c.DType().IsComplex() {
		c = c.ClipScalar(-1, 1)
	}
	return made.discard(c, a)
}

func (a *Array) covariance(operator string, correction float64) *Array {
	checkNotNil(operator, a)
	defer named(operator, a)
	if a.Rank() < 2 {
		fail(operator, fault.ErrShape, fmt.Sprintf("a has shape %s, want (...,variables,observations)", fault.FormatShape(a.Shape())), a)
	}
	if math.IsNaN(correction) {
		fail(operator, fault.ErrParameter, "the correction is NaN", a)
	}
	var made temporaries
	distances := made.add(a.Sub(made.add(a.MeanKeepDims(-1))))
	conjugate := distances
	if distances.DType().IsComplex() {
		conjugate = made.add(distances.Conj())
	}
	products := made.add(distances.MatMul(conjugate.MatrixTranspose()))
	divisor := float64(a.Shape()[a.Rank()-1]) - correction
	if divisor <= 0 {
		divisor = math.NaN()
	}
	return made.discard(products.DivScalar(divisor), a)
}
