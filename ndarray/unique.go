package ndarray

import (
	"context"
	"fmt"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/ops"
)

// Different is the result of Unique.
type Different struct {
	Values  *Array // the different elements, ascending
	Indices *Array // int64: for each, where the first that equals it is in row-major order
	Counts  *Array // int64: for each, how many elements equal it
	Inverse *Array // int64, of the shape of the array: the place of each element among Values
}

// Unique finds the different elements of a, as unique_all of the array API standard: −0 and 0 are equal, and each NaN differs
// from all others. How many there are depends on the data, so it blocks until they are known, and returns the error that sticks
// to a, or the cause of ctx if that ends first. It panics with *Error if a holds complex numbers.
func Unique(ctx context.Context, a *Array) (Different, error) {
	checkNotNil("Unique", a)
	checkContext("Unique", ctx)
	defer named("Unique", a)
	found := ops.Invoke(ops.Unique, nil, a.reading().tensor())
	parts, err := firstOf(ctx, a, found[:3], found[4])
	if err != nil {
		found[3].Release()
		return Different{}, err
	}
	return Different{parts[0], parts[1], parts[2], (*Array)(found[3]).In(a.Env())}, nil
}

// firstOf returns as many of the first elements of what was found of a as the number says. All of that is released.
func firstOf(ctx context.Context, a *Array, found []*ops.Tensor, number *ops.Tensor) (first []*Array, err error) {
	count, err := values[int64](ctx, (*Array)(number))
	number.Release()
	for _, t := range found {
		if err == nil {
			first = append(first, (*Array)(t).Index(Span(0, int(count[0]))).Copy().In(a.Env()))
		}
		t.Release()
	}
	return first, err
}

// UniqueValues returns the different elements of a, ascending; see Unique for equality, waiting and errors.
func UniqueValues(ctx context.Context, a *Array) (*Array, error) {
	checkNotNil("UniqueValues", a)
	checkContext("UniqueValues", ctx)
	defer named("UniqueValues", a)
	values, counts, err := UniqueCounts(ctx, a)
	if err != nil {
		return nil, err
	}
	counts.Release()
	return values, nil
}

// UniqueCounts returns the different elements of a, ascending, and how many equal each; see Unique for equality, waiting and
// errors.
func UniqueCounts(ctx context.Context, a *Array) (values, counts *Array, err error) {
	checkNotNil("UniqueCounts", a)
	checkContext("UniqueCounts", ctx)
	defer named("UniqueCounts", a)
	found := ops.Invoke(ops.UniqueCounts, nil, a.reading().tensor())
	parts, err := firstOf(ctx, a, found[:2], found[2])
	if err != nil {
		return nil, nil, err
	}
	return parts[0], parts[1], nil
}

// UniqueInverse returns the different elements of a, ascending, and the place of each element of a among them; see Unique for
// equality, waiting and errors.
func UniqueInverse(ctx context.Context, a *Array) (values, inverse *Array, err error) {
	checkNotNil("UniqueInverse", a)
	d, err := Unique(ctx, a)
	if err != nil {
		return nil, nil, err
	}
	d.Indices.Release()
	d.Counts.Release()
	return d.Values, d.Inverse, nil
}

// Nonzero returns the int64 indices of the elements of a that are not zero, in row-major order, in an array of shape (axes,
// elements): each index is a column. How many there are depends on the data, so it blocks until they are known, and returns the
// error that sticks to a, or the cause of ctx if that ends first.
func Nonzero(ctx context.Context, a *Array) (*Array, error) {
	checkNotNil("Nonzero", a)
	checkContext("Nonzero", ctx)
	defer named("Nonzero", a)
	counted, err := values[int64](ctx, a.reading().CountNonzero())
	if err != nil {
		return nil, err
	}
	count := int(counted[0])
	found := ops.Invoke(ops.Nonzero, ops.NonzeroParams{Room: count}, a.reading().tensor())
	found[1].Discard(fault.Here(1))
	indices := (*Array)(found[0])
	if count == 0 {
		indices = indices.Index(Whole, Span(0, 0)).Copy()
	}
	return indices.In(a.Env()), nil
}

// Bincount returns how often each number from 0 to the largest occurs in x, as int64, extended by zeros to at least minLength
// elements. X is of an integer dtype and any shape. The length of the result depends on the data, so it blocks until they are
// ready, and returns the error that sticks to x, or the cause of ctx if that ends first. It returns an error, too, if a number
// is negative, or so large that there is no memory for the counts.
func Bincount(ctx context.Context, x *Array, minLength int) (*Array, error) {
	checkNotNil("Bincount", x)
	defer named("Bincount", x)
	length, err := binLength(ctx, "Bincount", x, minLength)
	if err != nil {
		return nil, err
	}
	return call(ops.Bincount, ops.BincountParams{Length: length}, x.Detach()), nil
}

// BincountWeighted is Bincount that adds, for each number, the element of weights in the same place instead of one, in
// row-major order. Weights have the shape of x; the result has their dtype, or float64 if they are integers. It is
// differentiable with respect to weights.
func BincountWeighted(ctx context.Context, x, weights *Array, minLength int) (*Array, error) {
	checkNotNil("BincountWeighted", x, weights)
	defer named("BincountWeighted", x, weights)
	if fault.FormatShape(x.Shape()) != fault.FormatShape(weights.Shape()) {
		fail("BincountWeighted", fault.ErrShape, "the weights have another shape than the numbers", x, weights)
	}
	length, err := binLength(ctx, "BincountWeighted", x, minLength)
	if err != nil {
		return nil, err
	}
	if !weights.DType().IsFloat() {
		weights = weights.Cast(dtype.Float64)
	}
	zeros := ZerosIn(weights.Env(), weights.DType(), length)
	return zeros.AddAlongAxis(x.Detach().Reshape(-1), weights.Reshape(-1), 0), nil
}

// binLength returns how long the result is. For weights, negative numbers would count from the end: they are an error here.
func binLength(ctx context.Context, operator string, x *Array, minLength int) (int, error) {
	checkContext(operator, ctx)
	most := mostIndices()
	if !x.DType().IsInteger() {
		fail(operator, fault.ErrDType, fmt.Sprintf("numbers of %v (legal: integers)", x.DType()), x)
	}
	if minLength < 0 || minLength > most {
		fail(operator, fault.ErrParameter, fmt.Sprintf("at least %d counts (legal: from 0 to %d)", minLength, most), x)
	}
	if x.Count() == 0 {
		return minLength, nil
	}
	extremes := Concat(0, x.reading().Min().Reshape(1), x.reading().Max().Reshape(1))
	refuse := func(reason error, number any, why string) (int, error) {
		return 0, &Error{
			Operator: operator, Detail: fmt.Sprintf("number %d %s", number, why), Cause: reason,
			Shapes: [][]int{x.Shape()}, DTypes: []dtype.DType{x.DType()}, Site: fault.Here(1),
		}
	}
	var largest uint64
	if x.DType().Kind() == dtype.KindUnsigned {
		found, err := values[uint64](ctx, extremes.Cast(dtype.Uint64))
		if err != nil {
			return 0, err
		}
		largest = found[1]
	} else {
		found, err := values[int64](ctx, extremes.Cast(dtype.Int64))
		if err != nil {
			return 0, err
		}
		if found[0] < 0 {
			return refuse(fault.ErrIndex, found[0], "is negative")
		}
		largest = uint64(found[1])
	}
	if largest >= uint64(most) {
		return refuse(fault.ErrOutOfMemory, largest, "has no place: memory does not hold as many counts")
	}
	return max(minLength, int(largest)+1), nil
}
