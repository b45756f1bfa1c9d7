package ndarray

import (
	"fmt"
	"math"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
)

// Covariance returns the covariances of the rows of a, of shape (...,variables,observations), with one another, of
// shape (...,variables,variables): means over the observations of the products of the distances from the means, the
// second one conjugate, where the sum is divided by the number of observations less correction; NaN if that is 0 or
// negative. A correction of 1 gives NumPy's cov and torch.cov. Integers become float64; floats of 16 bits are summed as
// float32. Those of a row with an element whose distance from the first overflows are NaN. It panics with *Error if a
// has fewer than two axes: of one variable it is Var.
func (a *Array) Covariance(correction float64) *Array {
	const operator = "Covariance"
	if math.IsNaN(correction) {
		checkNotNil(operator, a)
		fail(operator, fault.ErrParameter, "the correction is NaN", a)
	}
	var made temporaries
	distances := a.distances(operator, &made)
	defer named(operator, a)
	divisor := float64(a.Shape()[a.Rank()-1]) - correction
	if divisor <= 0 {
		divisor = math.NaN()
	}
	return made.discard(made.add(distances.products(&made).DivScalar(divisor)).asFloatOf(a), a)
}

// Correlation returns Pearson's correlations of the rows of a, of shape (...,variables,observations), with one another,
// of shape (...,variables,variables), as NumPy's corrcoef: covariances divided by the standard deviations of both, and
// cut to −1 and 1 where they are real. Those of a variable that does not vary are NaN. Distances from the means are
// divided by the largest of their row first, so that no square of one overflows or vanishes; see Covariance for
// distances that overflow. Integers become float64; floats of 16 bits are summed as float32. It panics with *Error if a
// has fewer than two axes.
func (a *Array) Correlation() *Array {
	const operator = "Correlation"
	var made temporaries
	distances := a.distances(operator, &made)
	defer named(operator, a)
	if distances.Count() > 0 { // what is divided by is a constant of the gradient, as no correlation depends on it
		distances = made.add(distances.Div(made.add(made.add(distances.Detach().Abs()).MaxKeepDims(-1))))
	}
	c := distances.products(&made)
	deviations := made.add(c.Diagonal(0, -2, -1).Real().Sqrt())
	c = made.add(made.add(c.Div(deviations.ExpandDims(-1))).Div(deviations.ExpandDims(-2)))
	if !c.DType().IsComplex() {
		c = made.add(c.ClipScalar(-1, 1))
	}
	return made.discard(c.asFloatOf(a), a)
}

// distances returns the distances of the elements of a from the mean of their row, as numbers of 32 bits or more. The
// mean is taken of the distances from the first element, so that a row of equal ones has distances of zero, however its
// sum is rounded.
func (a *Array) distances(operator string, made *temporaries) *Array {
	checkNotNil(operator, a)
	defer named(operator, a)
	if a.Rank() < 2 {
		fail(operator, fault.ErrShape, fmt.Sprintf("a has shape %s, want (...,variables,observations)", fault.FormatShape(a.Shape())), a)
	}
	switch d := a.DType(); {
	case d.IsFloat() && d.Size() < 4:
		a = made.add(a.Cast(dtype.Float32))
	case !d.IsFloat() && !d.IsComplex():
		a = made.add(a.Cast(dtype.Float64))
	}
	if a.Shape()[a.Rank()-1] == 0 {
		return a
	}
	shifted := made.add(a.Sub(a.Detach().Index(Rest, Span(0, 1)))) // no distance depends on the first one
	return made.add(shifted.Sub(made.add(shifted.MeanKeepDims(-1))))
}

// products returns the products of the rows of a with one another, the second one conjugate.
func (a *Array) products(made *temporaries) *Array {
	conjugate := a
	if a.DType().IsComplex() {
		conjugate = made.add(a.Conj())
	}
	return made.add(a.MatMul(conjugate.MatrixTranspose()))
}

// asFloatOf returns a, or a copy of the 16 bits of b.
func (a *Array) asFloatOf(b *Array) *Array {
	if d := b.DType(); d.IsFloat() && d.Size() < 4 {
		return a.Cast(d)
	}
	return a
}
