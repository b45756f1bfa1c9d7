package ndarray

import "github.com/weft-nd/weft/ops"

// Sort returns the elements of a along axis in ascending order, in an array of the same shape and dtype; negative axes count
// from the end. NaN comes last, NaN with a sign after others, and −0 before 0. All dtypes but complex ones have an order. It
// panics with *Error if a has no such axis.
func (a *Array) Sort(axis int) *Array { return call(ops.Sort, ops.SortParams{Axis: axis}, a) }

// SortDescending is Sort in the reverse order: NaN comes first.
func (a *Array) SortDescending(axis int) *Array {
	return call(ops.Sort, ops.SortParams{Axis: axis, Descending: true}, a)
}

// SortInto is Sort written to dst, which must have the shape and dtype of a and may be a.
func SortInto(dst, a *Array, axis int) { callInto(ops.Sort, ops.SortParams{Axis: axis}, dst, a) }

// ArgSort returns the int64 indices along axis of the elements of a in ascending order, in an array of the shape of a. It is
// stable: of equal elements, which −0 and 0 are and all NaN, the first comes first. NaN comes last.
func (a *Array) ArgSort(axis int) *Array { return call(ops.ArgSort, ops.SortParams{Axis: axis}, a) }

// ArgSortDescending is ArgSort with the largest elements first; of equal ones the first still comes first. NaN comes first.
func (a *Array) ArgSortDescending(axis int) *Array {
	return call(ops.ArgSort, ops.SortParams{Axis: axis, Descending: true}, a)
}

// TopK returns the k largest elements of a along axis, the largest first, and their int64 indices along it. Of equal elements
// the first comes first; NaN counts as larger than all numbers. It panics with *Error if there are fewer than k.
func (a *Array) TopK(k, axis int) (values, indices *Array) { return a.chosen("TopK", k, axis, false) }

// BottomK returns the k smallest elements of a along axis, the smallest first, and their int64 indices; see TopK.
func (a *Array) BottomK(k, axis int) (values, indices *Array) {
	return a.chosen("BottomK", k, axis, true)
}

func (a *Array) chosen(method string, k, axis int, smallest bool) (values, indices *Array) {
	checkNotNil(method, a)
	defer named(method, a)
	indices = call(ops.ArgTopK, ops.ArgTopKParams{K: k, Axis: axis, Smallest: smallest}, a)
	return call(ops.TakeAlongAxis, ops.TakeAlongAxisParams{Axis: axis, Mode: "clip"}, a, indices), indices // None is out of range.
}

// SearchSorted returns, for each of values, the int64 place in sorted before which it can be inserted so that sorted stays
// ascending: the number of elements that are less. Sorted has one axis and is ascending, NaN last; otherwise the places are
// arbitrary numbers from 0 to its length. Sort sorts an array that is not. Dtypes are promoted.
func SearchSorted(sorted, values *Array) *Array {
	return call(ops.SearchSorted, ops.SearchSortedParams{}, sorted, values)
}

// SearchSortedRight is SearchSorted with places behind equal elements: the number of elements that are less or equal.
func SearchSortedRight(sorted, values *Array) *Array {
	return call(ops.SearchSorted, ops.SearchSortedParams{Right: true}, sorted, values)
}
