package ndarray

import (
	"fmt"
	"math"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/ops"
)

// Quantile returns the number below which the part q, from 0 to 1, of the elements of a along axis lie, the axis removed. Between
// two elements it is interpolated, as NumPy's method linear does. NaN among the elements makes it NaN. Integers become float64,
// floats of 16 bits float32. It panics with *Error if q is out of range, or there are no elements along axis.
func (a *Array) Quantile(q float64, axis int) *Array { return a.quantile("Quantile", q, axis) }

// Median returns the middle of the elements of a along axis, or the mean of both in the middle, the axis removed; see Quantile.
func (a *Array) Median(axis int) *Array { return a.quantile("Median", 0.5, axis) }

func (a *Array) quantile(operator string, q float64, axis int) *Array {
	checkNotNil(operator, a)
	defer named(operator, a)
	shape := a.Shape()
	if axis < -len(shape) || axis >= len(shape) {
		fail(operator, fault.ErrAxis, fmt.Sprintf("axis %d is out of range for %d axes", axis, len(shape)), a)
	}
	along := (axis + len(shape)) % len(shape)
	n := shape[along]
	if !(q >= 0 && q <= 1) || n == 0 {
		fail(operator, fault.ErrParameter, fmt.Sprintf("the quantile %v of %d elements (legal: from 0 to 1, which is 100 percent, of one element or more)", q, n), a)
	}
	var made temporaries
	given := a
	switch d := a.DType(); {
	case !d.IsFloat():
		a = made.add(a.Cast(dtype.Float64))
	case d.Size() < 4:
		a = made.add(a.Cast(dtype.Float32))
	}
	sorted := made.add(a.Sort(axis))
	index := make([]any, along+1)
	for before := range along {
		index[before] = Whole
	}
	at := func(i int) *Array {
		index[along] = i
		return sorted.Index(index...)
	}
	position := float64(q * float64(n-1)) // The conversion keeps processors from fusing it with the difference below.
	below := math.Floor(position)
	result := made.add(at(int(below)))
	if part := position - below; part > 0 {
		lower, upper := made.add(result.MulScalar(1-part)), made.add(made.add(at(int(below)+1)).MulScalar(part))
		result = made.add(lower.Add(upper))
	}
	last := made.add(at(n - 1))
	return made.discard(Where(made.add(last.Equal(last)), result, last), given)
}

// Digitize returns, for each element of a, the int64 number of the edges that are not above it: which of the bins, the one below
// the first edge being 0, it is in. Edges has one axis, and none is less than the one before it; otherwise, and if one is NaN, the result is in
// error. Dtypes are promoted.
func (a *Array) Digitize(edges *Array) *Array {
	checkNotNil("Digitize", a, edges)
	defer named("Digitize", a, edges)
	return call(ops.SearchSorted, ops.SearchSortedParams{Right: true, Checked: true}, edges, a)
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
	bin := made.add(call(ops.SearchSorted, ops.SearchSortedParams{Right: true, Checked: true}, edges, a))
	isLast := made.add(made.add(a.Equal(edges.Index(-1))).Cast(dtype.Int64))
	bin = made.add(bin.Sub(isLast)) // the last bin has its upper edge
	counts := call(ops.Bincount, ops.BincountParams{Length: bins + 2}, bin)
	return made.discard(counts.Index(Span(1, bins+1)), a, edges)
}
