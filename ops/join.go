package ops

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/storage"
)

// Reduction says how values that an operator puts into an array are combined with what is there, and with other values that go
// to the same place. Values come in the order of their indices.
type Reduction string

// The reductions. Sums are of all numbers, products of bools too, where they are conjunctions; extremes are of bools and real numbers, NaN
// if one is.
const (
	ReduceNone = Reduction("none") // the last value stays
	ReduceAdd  = Reduction("add")  // the sum of what is there and the values
	ReduceMul  = Reduction("mul")  // the product
	ReduceMax  = Reduction("max")  // the largest
	ReduceMin  = Reduction("min")  // the smallest
)

// number returns the number by which kernels know r.
func (r Reduction) number() int64 {
	return int64(slices.Index([]Reduction{ReduceNone, ReduceAdd, ReduceMul, ReduceMax, ReduceMin}, r))
}

// addingUnless returns the reduction for places that are taken several times: the sum, or the last value if last is set.
func addingUnless(last bool) Reduction {
	if last {
		return ReduceNone
	}
	return ReduceAdd
}

// addable are the element types of which several are added where they come to one place.
var addable = slices.DeleteFunc(dtype.All(), func(d dtype.DType) bool { return d == dtype.Bool })

// checkJoined fails unless values, operand i, can be put into an array of the type of operand 0 by a reduction.
func (c *Call) checkJoined(i int, reduction Reduction) {
	d := c.Inputs[0].DType
	if c.Inputs[i].DType != d {
		c.Fail(fault.ErrDType, fmt.Sprintf("values of %v do not go into an array of %v", c.Inputs[i].DType, d))
	}
	switch reduction {
	case ReduceAdd:
		c.checkReduced("sums", addable)
	case ReduceMax, ReduceMin:
		c.checkReduced("extremes", reducible)
	}
}

// checkReduced fails unless the elements of operand 0 have such results.
func (c *Call) checkReduced(results string, accepts []dtype.DType) {
	if d := c.Inputs[0].DType; !slices.Contains(accepts, d) {
		c.Fail(fault.ErrDType, fmt.Sprintf("no %s of %v (accepted: %v)", results, d, accepts))
	}
}

// savesJoined returns what the gradient looks at of a call that joins values, operand i, to operand 0, with the indices.
func savesJoined(i int, reduction Reduction, indices Saved) Saved {
	switch reduction {
	case ReduceMul:
		return indices | SaveInput(0) | SaveInput(i)
	case ReduceMax, ReduceMin:
		return indices | SaveInput(0) | SaveInput(i) | SaveOutputs
	}
	return indices
}

// joining are the operators of a gradient whose call joined values to operand 0, with the indices of the call.
type joining struct {
	// read returns the parts of x, of the shape of operand 0, where the values went: zeros, if last is set, for those that
	// another went to later.
	read func(x Value, last bool) Value
	// put returns x with values, which broadcast to those parts, joined to it.
	put func(x, values Value, reduction Reduction) Value
}

// setJoined gives the gradients of operand 0, and of the values, operand i. That of an extreme is shared equally by all that are it.
func (r *Rule) setJoined(i int, reduction Reduction, j joining) {
	up := r.Upstream()
	switch reduction {
	case ReduceNone:
		r.Set(0, j.put(up, r.Constant(0, up), ReduceNone))
		r.Set(i, j.read(up, true))
	case ReduceAdd:
		r.Set(0, up)
		r.Set(i, j.read(up, false))
	case ReduceMul:
		x, values := r.Conj(r.Input(0)), r.Conj(r.Input(i))
		r.Set(0, r.Mul(up, j.put(r.BroadcastTo(r.Constant(1, up), x.Shape()), values, ReduceMul)))
		if r.Wants(i) {
			at := j.read(r.Mul(up, x), false)
			places := j.read(r.numbers(x.Shape()), false)
			r.Set(i, r.Mul(at, r.productsOfOthers(places, r.BroadcastTo(values, at.Shape()))))
		}
	default:
		x, values, y := r.Input(0), r.Input(i), r.Output()
		at := j.read(y, false)
		own, others := r.areExtreme(x, y), r.areExtreme(r.BroadcastTo(values, at.Shape()), at)
		share := r.Div(up, j.put(own, others, ReduceAdd))
		r.Set(0, r.Mul(own, share))
		r.Set(i, r.Mul(others, j.read(share, false)))
	}
}

// areExtreme returns ones where elements of x are those of extreme, and NaN where that is NaN, else zeros.
func (r *Rule) areExtreme(x, extreme Value) Value {
	return r.as(r.Apply("logical_or", nil, r.Apply("equal", nil, x, extreme), r.Apply("isnan", nil, x)))
}

// numbers returns the row-major numbers of the elements of an array of the given shape.
func (r *Rule) numbers(shape []int) Value {
	ones := r.BroadcastTo(r.emitter.Constant(1, dtype.Int64), []int{storage.Count(shape)})
	return r.Reshape(r.Apply("cumsum", ScanParams{Exclusive: true}, ones), shape)
}

// productsOfOthers returns, for each of the values, the product of the other ones at its place. There is no division, so that
// it is right for any number of zeros: with values sorted by places, products of neighbours at one place are combined in pairs,
// which doubles their length each time.
func (r *Rule) productsOfOthers(places, values Value) Value {
	shape, n := values.Shape(), storage.Count(values.Shape())
	line := []int{n}
	places, values = r.Reshape(places, line), r.Reshape(values, line)
	order := r.Apply("argsort", SortParams{}, places)
	pick := func(x, from Value) Value { return r.Apply("take", TakeParams{Mode: "raise"}, x, from) }
	places, values = pick(places, order), pick(values, order)
	before := r.productsBefore(places, values)
	behind := r.reversed(r.productsBefore(r.reversed(places), r.reversed(values)))
	return r.Reshape(pick(r.Mul(before, behind), r.Apply("argsort", SortParams{}, order)), shape)
}

// productsBefore returns, for each of the values, the product of those before it at the same place; places are in order.
func (r *Rule) productsBefore(places, values Value) Value {
	n := values.Shape()[0]
	if n == 0 {
		return values
	}
	part := func(x Value, start, count int) Value {
		return r.Apply("slice", SliceParams{[]storage.Span{{Start: start, Count: count, Step: 1}}}, x)
	}
	one := r.Constant(1, values)
	earlier := func(x Value, by int) Value { // one of another place stands for 1
		same := r.Apply("equal", nil, part(places, by, n-by), part(places, 0, n-by))
		return r.Apply("where", nil, same, part(x, 0, n-by), one)
	}
	for by := 1; by < n; by *= 2 {
		values = r.Apply("concat", ConcatParams{}, part(values, 0, by), r.Mul(part(values, by, n-by), earlier(values, by)))
	}
	ones := r.BroadcastTo(one, []int{1})
	if n == 1 {
		return ones
	}
	return r.Apply("concat", ConcatParams{}, ones, earlier(values, 1))
}

// reversed returns x, of one axis, from its end.
func (r *Rule) reversed(x Value) Value {
	n := x.Shape()[0]
	return r.Apply("slice", SliceParams{[]storage.Span{{Start: max(0, n-1), Count: n, Step: -1}}}, x)
}
