package ndarray

import (
	"fmt"
	"math"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/ops"
)

// Masked is an array of which some elements count and others do not. Its methods are the reductions of Array, which leave out
// elements that do not count. Axes, dtypes and shapes are as in the methods of Array, and gradients go to the elements that
// count. Extremes, their indices and quantiles along an axis without elements are mistakes, as for Array. A Masked is
// immutable, keeps both arrays alive, and may be used from any goroutine.
type Masked struct {
	array, mask *Array // of one shape
}

// Masked returns a with the elements that count, those where mask is true: a.Masked(mask).Mean(1) is NumPy's a.mean(axis=1,
// where=mask). Mask is of bools and broadcasts to the shape of a. It panics with *Error if it does not.
func (a *Array) Masked(mask *Array) Masked {
	const operator = "Masked"
	checkNotNil(operator, a, mask)
	defer named(operator, a, mask)
	if mask.DType() != dtype.Bool {
		fail(operator, fault.ErrDType, fmt.Sprintf("a mask of %v, want bool", mask.DType()), a, mask)
	}
	operands := InOneCapture(a, mask)
	return Masked{operands[0], operands[1].BroadcastTo(a.Shape()...)}
}

// WithoutNaN returns a with all elements counting except NaN: a.WithoutNaN().Mean(1) is NumPy's nanmean(a, axis=1).
func (a *Array) WithoutNaN() Masked {
	checkNotNil("WithoutNaN", a)
	return Masked{a, a.IsNaN().LogicalNot()}
}

// Count returns how many elements count over axes, all if none is given, as int64.
func (m Masked) Count(axes ...int) *Array { return m.count("Masked.Count", axes, false) }

// CountKeepDims is Count with reduced axes kept, with one element.
func (m Masked) CountKeepDims(axes ...int) *Array { return m.count("Masked.Count", axes, true) }

// Sum returns the sum of what counts over axes; 0 if nothing does.
func (m Masked) Sum(axes ...int) *Array { return m.sum("Masked.Sum", axes, false) }

// SumKeepDims is Sum with reduced axes kept, with one element.
func (m Masked) SumKeepDims(axes ...int) *Array { return m.sum("Masked.Sum", axes, true) }

// Prod returns the product of what counts over axes; 1 if nothing does.
func (m Masked) Prod(axes ...int) *Array { return m.prod("Masked.Prod", axes, false) }

// ProdKeepDims is Prod with reduced axes kept, with one element.
func (m Masked) ProdKeepDims(axes ...int) *Array { return m.prod("Masked.Prod", axes, true) }

// Mean returns the mean of what counts over axes; NaN if nothing does.
func (m Masked) Mean(axes ...int) *Array { return m.mean("Masked.Mean", axes, false) }

// MeanKeepDims is Mean with reduced axes kept, with one element.
func (m Masked) MeanKeepDims(axes ...int) *Array { return m.mean("Masked.Mean", axes, true) }

// Var returns the variance of what counts over axes: the squared distances from the mean, divided by their number less
// correction; NaN where that is 0 or negative.
func (m Masked) Var(correction float64, axes ...int) *Array {
	return m.spread("Masked.Var", correction, axes, false, nil)
}

// VarKeepDims is Var with reduced axes kept, with one element.
func (m Masked) VarKeepDims(correction float64, axes ...int) *Array {
	return m.spread("Masked.Var", correction, axes, true, nil)
}

// Std returns the standard deviation of what counts over axes, the square root of Var.
func (m Masked) Std(correction float64, axes ...int) *Array {
	return m.spread("Masked.Std", correction, axes, false, (*Array).Sqrt)
}

// StdKeepDims is Std with reduced axes kept, with one element.
func (m Masked) StdKeepDims(correction float64, axes ...int) *Array {
	return m.spread("Masked.Std", correction, axes, true, (*Array).Sqrt)
}

// Max returns the largest of what counts over axes. If nothing counts it is NaN, or the least number of a dtype without NaN.
func (m Masked) Max(axes ...int) *Array { return m.extreme("Masked.Max", true, axes, false) }

// MaxKeepDims is Max with reduced axes kept, with one element.
func (m Masked) MaxKeepDims(axes ...int) *Array { return m.extreme("Masked.Max", true, axes, true) }

// Min returns the smallest of what counts over axes. If nothing counts it is NaN, or the largest number of a dtype without NaN.
func (m Masked) Min(axes ...int) *Array { return m.extreme("Masked.Min", false, axes, false) }

// MinKeepDims is Min with reduced axes kept, with one element.
func (m Masked) MinKeepDims(axes ...int) *Array { return m.extreme("Masked.Min", false, axes, true) }

// ArgMax returns the int64 index, among all elements over axes, of the first largest one that counts; −1 where none does.
func (m Masked) ArgMax(axes ...int) *Array { return m.index("Masked.ArgMax", true, axes, false) }

// ArgMaxKeepDims is ArgMax with reduced axes kept, with one element.
func (m Masked) ArgMaxKeepDims(axes ...int) *Array {
	return m.index("Masked.ArgMax", true, axes, true)
}

// ArgMin returns the int64 index, among all elements over axes, of the first smallest one that counts; −1 where none does.
func (m Masked) ArgMin(axes ...int) *Array { return m.index("Masked.ArgMin", false, axes, false) }

// ArgMinKeepDims is ArgMin with reduced axes kept, with one element.
func (m Masked) ArgMinKeepDims(axes ...int) *Array {
	return m.index("Masked.ArgMin", false, axes, true)
}

// check panics with *Error if m is the zero Masked.
func (m Masked) check(operator string) { checkNotNil(operator, m.array, m.mask) }

// filled returns the elements of a, an array of the shape of m, that count, and value, 0 or 1, for the others.
func (m Masked) filled(a *Array, value int64) *Array {
	if a.DType() == dtype.Bool {
		return Where(m.mask, a, WeakIn(a.Env(), value != 0))
	}
	return Where(m.mask, a, WeakIn(a.Env(), value))
}

func (m Masked) count(operator string, axes []int, keepDims bool) *Array {
	m.check(operator)
	defer named(operator, m.array)
	return reduce(ops.Sum.CalledBy(operator), m.mask, axes, keepDims)
}

func (m Masked) sum(operator string, axes []int, keepDims bool) *Array {
	m.check(operator)
	defer named(operator, m.array)
	var made temporaries
	return made.discard(reduce(ops.Sum.CalledBy(operator), made.add(m.filled(m.array, 0)), axes, keepDims), m.array, m.mask)
}

func (m Masked) prod(operator string, axes []int, keepDims bool) *Array {
	m.check(operator)
	defer named(operator, m.array)
	var made temporaries
	return made.discard(reduce(ops.Prod.CalledBy(operator), made.add(m.filled(m.array, 1)), axes, keepDims), m.array, m.mask)
}

// precise returns a in the dtype that means are computed in.
func (a *Array) precise(made *temporaries) *Array {
	switch d := a.DType(); {
	case d.IsFloat() && d.Size() < 4:
		return made.add(a.Cast(dtype.Float32))
	case !d.IsFloat() && !d.IsComplex():
		return made.add(a.Cast(dtype.Float64))
	}
	return a
}

// restored returns a mean that precise elements of given have in the dtype that it is to have.
func (a *Array) restored(given *Array, made *temporaries) *Array {
	if d := given.DType(); d.IsFloat() && d != a.DType() {
		return made.add(a).Cast(d)
	}
	return a
}

// number returns how many elements count, in the dtype of the real parts of x.
func (m Masked) number(x *Array, axes []int, keepDims bool, made *temporaries) *Array {
	d := dtype.Float64
	if x.DType() == dtype.Float32 || x.DType() == dtype.Complex64 {
		d = dtype.Float32
	}
	return made.add(made.add(reduce(ops.Sum, m.mask, axes, keepDims)).Cast(d))
}

func (m Masked) mean(operator string, axes []int, keepDims bool) *Array {
	m.check(operator)
	defer named(operator, m.array)
	var made temporaries
	x := made.add(m.filled(m.array.precise(&made), 0))
	sum := made.add(reduce(ops.Sum, x, axes, keepDims))
	return made.discard(sum.Div(m.number(x, axes, keepDims, &made)).restored(m.array, &made), m.array, m.mask)
}

// spread returns what of makes of the variance, nil leaves it.
func (m Masked) spread(operator string, correction float64, axes []int, keepDims bool, of func(*Array) *Array) *Array {
	m.check(operator)
	defer named(operator, m.array)
	if m.array.DType().IsComplex() {
		fail(operator, fault.ErrDType, "no variances of complex numbers", m.array)
	}
	if math.IsNaN(correction) {
		fail(operator, fault.ErrParameter, "the correction is NaN", m.array)
	}
	var made temporaries
	x := made.add(m.filled(m.array.precise(&made), 0)) // without what does not count, so that no NaN of it gets into gradients
	mean := made.add(made.add(x.SumKeepDims(axes...)).Div(m.number(x, axes, true, &made)))
	distances := made.add(m.filled(made.add(x.Sub(mean)), 0))
	squares := made.add(reduce(ops.Sum, made.add(distances.Square()), axes, keepDims))
	freedom := made.add(m.number(x, axes, keepDims, &made).SubScalar(correction))
	freedom = made.add(Where(made.add(freedom.GreaterScalar(0)), freedom, WeakIn(x.Env(), math.NaN())))
	result := squares.Div(freedom)
	if of != nil {
		result = of(made.add(result))
	}
	return made.discard(result.restored(m.array, &made), m.array, m.mask)
}

// bounded returns the elements that count, and in place of the others what no extreme is beyond.
func (m Masked) bounded(largest bool) *Array {
	d, sign := m.array.DType(), 1
	if largest {
		sign = -1
	}
	limits, isInteger := d.IntegerLimits()
	switch env := m.array.Env(); {
	case d == dtype.Bool:
		return Where(m.mask, m.array, WeakIn(env, !largest))
	case isInteger && largest:
		return Where(m.mask, m.array, WeakIn(env, limits.Min))
	case isInteger:
		return Where(m.mask, m.array, WeakIn(env, limits.Max))
	default:
		return Where(m.mask, m.array, WeakIn(env, math.Inf(sign)))
	}
}

func (m Masked) extreme(operator string, largest bool, axes []int, keepDims bool) *Array {
	m.check(operator)
	defer named(operator, m.array)
	var made temporaries
	result := m.extremeOf(made.add(m.bounded(largest)), largest, axes, keepDims)
	if m.array.DType().IsFloat() {
		some := made.add(reduce(ops.AnyTrue, m.mask, axes, keepDims))
		result = Where(some, made.add(result), WeakIn(m.array.Env(), math.NaN()))
	}
	return made.discard(result, m.array, m.mask)
}

func (m Masked) extremeOf(x *Array, largest bool, axes []int, keepDims bool) *Array {
	if largest {
		return reduce(ops.Max, x, axes, keepDims)
	}
	return reduce(ops.Min, x, axes, keepDims)
}

// index looks for the extreme among what counts alone: others may be equal to it.
func (m Masked) index(operator string, largest bool, axes []int, keepDims bool) *Array {
	m.check(operator)
	defer named(operator, m.array)
	var made temporaries
	a := m.array.Detach()
	best := made.add(m.extremeOf(made.add(m.bounded(largest)), largest, axes, true)).Detach()
	isBest := made.add(a.Equal(best))
	if a.DType().IsFloat() {
		isBest = made.add(isBest.LogicalOr(made.add(a.IsNaN())))
	}
	isBest = made.add(isBest.LogicalAnd(m.mask))
	first := made.add(reduce(ops.ArgMax, isBest, axes, keepDims))
	some := made.add(reduce(ops.AnyTrue, isBest, axes, keepDims))
	return made.discard(Where(some, first, WeakIn(a.Env(), int64(-1))), m.array, m.mask)
}
