package ndarray

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/ops"
)

// Var returns the variance of a over axes, all if none is given: the squared distances from the mean, divided by their number
// less correction; NaN if that is 0 or negative. A correction of 1 gives the unbiased estimate. Integers become float64. The
// distances are taken from means of 256 elements, which are joined pairwise (Chan, Golub and LeVeque, 1979). It panics with
// *Error if an axis is out of range or named twice.
func (a *Array) Var(correction float64, axes ...int) *Array {
	return spread(ops.Var, a, correction, axes, false)
}

// VarKeepDims is Var with reduced axes kept, with one element.
func (a *Array) VarKeepDims(correction float64, axes ...int) *Array {
	return spread(ops.Var, a, correction, axes, true)
}

// Std returns the standard deviation of a over axes, the square root of Var.
func (a *Array) Std(correction float64, axes ...int) *Array {
	return spread(ops.Std, a, correction, axes, false)
}

// StdKeepDims is Std with reduced axes kept, with one element.
func (a *Array) StdKeepDims(correction float64, axes ...int) *Array {
	return spread(ops.Std, a, correction, axes, true)
}

// Norm returns the p-norm (Σ|x|^p)^(1/p) of a over axes, all if none is given, as of a vector, p being order. An infinite
// order gives the largest or smallest magnitude, and 0 the number of elements that are not zero. Integers become float64. It
// panics with *Error if an axis is out of range or named twice, or order is NaN, or negative where there are no elements.
func (a *Array) Norm(order float64, axes ...int) *Array {
	return call(ops.Norm, ops.NormParams{Axes: slices.Clone(axes), Order: order}, a)
}

// NormKeepDims is Norm with reduced axes kept, with one element.
func (a *Array) NormKeepDims(order float64, axes ...int) *Array {
	return call(ops.Norm, ops.NormParams{Axes: slices.Clone(axes), KeepDims: true, Order: order}, a)
}

// CumSum returns the sums of the elements up to each along axis. Bool counts, and integers have 64 bits in the result. It
// panics with *Error if axis is out of range, as the other cumulative methods do.
func (a *Array) CumSum(axis int) *Array { return call(ops.CumSum, ops.ScanParams{Axis: axis}, a) }

// CumSumInto is CumSum written to dst, which must have the shape and dtype of the result.
func CumSumInto(dst, a *Array, axis int) { callInto(ops.CumSum, ops.ScanParams{Axis: axis}, dst, a) }

// CumProd returns the products of the elements up to each along axis. Integers have 64 bits in the result.
func (a *Array) CumProd(axis int) *Array { return call(ops.CumProd, ops.ScanParams{Axis: axis}, a) }

// CumProdInto is CumProd written to dst, which must have the shape and dtype of the result.
func CumProdInto(dst, a *Array, axis int) { callInto(ops.CumProd, ops.ScanParams{Axis: axis}, dst, a) }

// CumSumInitial is CumSum with a zero in front: the result has one more element along axis.
func (a *Array) CumSumInitial(axis int) *Array {
	return a.CumSum(axis).behind("CumSumInitial", 0, axis)
}

// CumProdInitial is CumProd with a one in front: the result has one more element along axis.
func (a *Array) CumProdInitial(axis int) *Array {
	return a.CumProd(axis).behind("CumProdInitial", 1, axis)
}

// behind returns a, which nobody else sees, with elements of one value in front, along axis.
func (a *Array) behind(operator string, v float64, axis int) *Array {
	shape := a.Shape()
	shape[a.axis(operator, axis, len(shape))] = 1
	var made temporaries
	front := made.add(FullIn(a.Env(), a.DType(), v, shape...))
	return made.discard(Concat(axis, front, made.add(a)))
}

// Diff returns the differences of the elements of a that follow one another along axis, n times: each time there is one less, as
// long as there are any. What else is to be in front or behind, Concat puts there first. It panics with *Error if n is negative.
func (a *Array) Diff(n, axis int) *Array {
	checkNotNil("Diff", a)
	axis = a.axis("Diff", axis, a.Rank())
	if n < 0 {
		fail("Diff", fault.ErrParameter, fmt.Sprintf("%d differences", n), a)
	}
	var made temporaries
	given := a
	for range min(n, a.Shape()[axis]) {
		a = made.add(a.along(axis, Span(1, Open)).Sub(a.along(axis, Span(0, -1))))
	}
	return made.discard(a, given)
}

// CumMax returns the largest of the elements up to each along axis; NaN from the first NaN on.
func (a *Array) CumMax(axis int) *Array { return call(ops.CumMax, ops.ScanParams{Axis: axis}, a) }

// CumMaxInto is CumMax written to dst, which must have the shape and dtype of a.
func CumMaxInto(dst, a *Array, axis int) { callInto(ops.CumMax, ops.ScanParams{Axis: axis}, dst, a) }

// CumMin returns the smallest of the elements up to each along axis; NaN from the first NaN on.
func (a *Array) CumMin(axis int) *Array { return call(ops.CumMin, ops.ScanParams{Axis: axis}, a) }

// CumMinInto is CumMin written to dst, which must have the shape and dtype of a.
func CumMinInto(dst, a *Array, axis int) { callInto(ops.CumMin, ops.ScanParams{Axis: axis}, dst, a) }

// Recurrence returns y with y[i] = factors[i] · y[i−1] + x[i] along axis, beginning from 0. The operands have one shape and
// meet in a float dtype.
func Recurrence(factors, x *Array, axis int) *Array {
	return call(ops.Recurrence, ops.ScanParams{Axis: axis}, factors, x)
}

func spread(op *ops.Operator, a *Array, correction float64, axes []int, keepDims bool) *Array {
	return call(op, ops.SpreadParams{Axes: slices.Clone(axes), KeepDims: keepDims, Correction: correction}, a)
}
