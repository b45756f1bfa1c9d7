package ndarray

import (
	"fmt"
	"math"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/ops"
)

// Quantile returns the number below which the part q, from 0 to 1, of the elements of a along axis lies, with the axis removed.
// Between two elements it is interpolated, as by NumPy's method linear. NaN among the elements makes it NaN. Integers become
// float64, floats of 16 bits float32. It panics with *Error if q is out of range, or there are no elements along axis.
func (a *Array) Quantile(q float64, axis int) *Array { return a.quantile("Quantile", q, axis) }

// Quantiles returns the Quantile for each of qs, along a new first axis. The elements are sorted once for all.
func (a *Array) Quantiles(qs []float64, axis int) *Array {
	const operator = "Quantiles"
	checkNotNil(operator, a)
	defer named(operator, a)
	var made temporaries
	sorted, along := a.sorted(operator, axis, &made, qs...)
	if len(qs) == 0 {
		return made.discard(sorted.MoveAxis(along, 0).Index(Span(0, 0)).Copy(), a)
	}
	parts := make([]*Array, len(qs))
	for i, q := range qs {
		parts[i] = made.add(sorted.between(q, along, &made))
	}
	return made.discard(Stack(0, parts...), a)
}

// Median returns the middle element of a along axis, or the mean of the two in the middle, with the axis removed; see Quantile.
func (a *Array) Median(axis int) *Array { return a.quantile("Median", 0.5, axis) }

func (a *Array) quantile(operator string, q float64, axis int) *Array {
	checkNotNil(operator, a)
	defer named(operator, a)
	var made temporaries
	sorted, along := a.sorted(operator, axis, &made, q)
	return made.discard(sorted.between(q, along, &made), a)
}

// sorted returns the elements of a as floats of 32 or 64 bits, in order along axis, which it counts from the front. It
// fails unless they have the quantiles qs.
func (a *Array) sorted(operator string, axis int, made *temporaries, qs ...float64) (sorted *Array, along int) {
	along = a.axis(operator, axis, a.Rank())
	n := a.Shape()[along]
	for _, q := range qs {
		if !(q >= 0 && q <= 1) {
			fail(operator, fault.ErrParameter, fmt.Sprintf("q is %v (legal: from 0 to 1, 0.95 for 95 percent)", q), a)
		}
		if n == 0 {
			fail(operator, fault.ErrParameter, fmt.Sprintf("there are no elements along axis %d", axis), a)
		}
	}
	switch d := a.DType(); {
	case !d.IsFloat():
		a = made.add(a.Cast(dtype.Float64))
	case d.Size() < 4:
		a = made.add(a.Cast(dtype.Float32))
	}
	return made.add(a.Sort(along)), along
}

// between returns the quantile q of a, whose elements are in order along an axis, NaN last. The distance from the
// nearer of both elements is added to it, as NumPy does, so that no result is outside of them. Where their difference
// is not finite both are weighted.
func (a *Array) between(q float64, axis int, made *temporaries) *Array {
	n := a.Shape()[axis]
	at := func(i int) *Array { return a.along(axis, i) }
	position := float64(q * float64(n-1)) // The conversion keeps processors from fusing it with the difference below.
	below := math.Floor(position)
	result := made.add(at(int(below)))
	if part := position - below; part > 0 {
		lower, upper := result, made.add(at(int(below)+1))
		difference := made.add(upper.Sub(lower))
		nearer, way := lower, part
		if part >= 0.5 {
			nearer, way = upper, part-1
		}
		weighted := made.add(made.add(lower.MulScalar(1 - part)).Add(made.add(upper.MulScalar(part))))
		result = made.add(Where(made.add(difference.IsFinite()), made.add(nearer.Add(made.add(difference.MulScalar(way)))), weighted))
	}
	last := made.add(at(n - 1))
	return Where(made.add(last.Equal(last)), result, last)
}

// Digitize returns, for each element of a, which bin it is in, as int64: the number of edges that are not above it, so that the
// bin below the first edge is 0. Edges has one axis, and none is less than the one before it; otherwise, and if one is NaN, the
// result is in error. Dtypes are promoted.
func (a *Array) Digitize(edges *Array) *Array {
	checkNotNil("Digitize", a, edges)
	defer named("Digitize", a, edges)
	return call(ops.SearchSorted.CalledBy("Digitize"), ops.SearchSortedParams{Right: true, Checked: true}, edges, a)
}

// HistogramEdges returns the edges of bins bins of equal width, from the smallest element of a to the largest, as float64, for
// Histogram: NumPy's histogram_bin_edges. Where all elements are equal the bins go from half below to half above. An element
// that is not finite makes edges that Histogram does not take. It panics with *Error if bins is not positive, a has no elements
// or is complex.
func (a *Array) HistogramEdges(bins int) *Array {
	const operator = "HistogramEdges"
	checkNotNil(operator, a)
	defer named(operator, a)
	if bins < 1 || a.Count() == 0 {
		fail(operator, fault.ErrParameter, fmt.Sprintf("%d bins for %d elements (legal: one or more for one or more)", bins, a.Count()), a)
	}
	if a.DType().IsComplex() {
		fail(operator, fault.ErrDType, "complex numbers have no order", a)
	}
	low, high := a.Min().Cast(dtype.Float64), a.Max().Cast(dtype.Float64)
	half := low.Equal(high).Cast(dtype.Float64).MulScalar(0.5)
	low, high = low.Sub(half), high.Add(half)
	scale := high.Sub(low).IsFinite().Cast(dtype.Float64).AddScalar(1).MulScalar(0.5) // halves where the distance is beyond all numbers
	begin := low.Mul(scale)
	width := high.Mul(scale).Sub(begin).DivScalar(float64(bins))
	var made temporaries
	numbers := a.newIndices(operator, bins)
	for i := range numbers {
		numbers[i] = int64(i)
	}
	steps := made.add(FromSliceIn(a.Env(), numbers, bins))
	inner := made.add(made.add(made.add(steps.Mul(width)).Add(begin)).Div(scale))
	return made.discard(Concat(0, inner, high.Reshape(1)), a)
}

// Histogram returns how many elements of a are in each of the bins between neighbouring edges, as int64. A bin has its lower edge
// and not its upper one; the last has both. Elements outside of all bins, and NaN, are not counted. Edges has one axis of two or
// more numbers, none less than the one before it; otherwise, and if one is NaN, the result is in error. Dtypes are promoted.
func (a *Array) Histogram(edges *Array) *Array {
	checkNotNil("Histogram", a, edges)
	defer named("Histogram", a, edges)
	if edges.Rank() != 1 || edges.Count() < 2 {
		fail("Histogram", fault.ErrShape, "the edges are not one line of two or more", a, edges)
	}
	bins := edges.Count() - 1
	var made temporaries
	bin := made.add(call(ops.SearchSorted.CalledBy("Histogram"), ops.SearchSortedParams{Right: true, Checked: true}, edges, a))
	counts := made.add(call(ops.Bincount.CalledBy("Histogram"), ops.BincountParams{Length: bins + 2}, bin))
	// The last bin has its upper edge, whose elements are counted behind it, with those that are above, and NaN.
	inside := made.add(made.add(a.LessEqual(made.add(edges.Index(-1)))).CountNonzero())
	below := made.add(made.add(counts.Index(Span(0, bins+1))).Sum())
	last := made.add(made.add(counts.Index(Span(bins, bins+1))).Add(made.add(inside.Sub(below))))
	first := made.add(counts.Index(Span(1, bins)))
	return made.discard(call(ops.Concat.CalledBy("Histogram"), ops.ConcatParams{}, first, last), a, edges)
}
