package ndarray

import (
	"slices"

	"github.com/weft-nd/weft/ops"
)

// TakeInto is Take written to dst, which must have the shape and dtype of the result and is none of the operands.
func TakeInto(dst, a, indices *Array, axis int) {
	callInto(ops.Take, ops.TakeParams{Axis: axis, Mode: "raise"}, dst, a, indices)
}

// Embedding returns the rows of table (rows,…) that indices name: an array of the shape of indices followed by that of a row.
// Indices have any integer dtype; negative ones count from the end, and one out of range is an error of the result. The
// gradients of equal indices are added in the order of the indices, whatever the number of workers.
func Embedding(table, indices *Array) *Array {
	checkNotNil("Embedding", table, indices)
	return call(ops.Take.CalledBy("Embedding"), ops.TakeParams{Mode: "raise"}, table, indices)
}

// Scatter returns a copy of a with values in the parts along axis that indices name: a.Take(indices, axis) of the result is
// values, except that where an index occurs more than once the last of its values stay. Values have the dtype of a, unless made
// by Weak, and broadcast to the shape of that Take. Indices are as in Take.
func (a *Array) Scatter(indices, values *Array, axis int) *Array {
	return scattered("Scatter", a, indices, values, axis, ops.ReduceNone)
}

// ScatterInto is Scatter written to dst, which must have the shape and dtype of a. Dst may be a itself: then only the parts
// that indices name are touched.
func ScatterInto(dst, a, indices, values *Array, axis int) {
	scatterInto("ScatterInto", dst, a, indices, values, axis, ops.ReduceNone)
}

// ScatterAdd returns a copy of a with values added to the parts along axis that indices name. If an index occurs more than once
// all its values are added, in the order of the indices. See Scatter.
func (a *Array) ScatterAdd(indices, values *Array, axis int) *Array {
	return scattered("ScatterAdd", a, indices, values, axis, ReduceAdd)
}

// ScatterAddInto is ScatterAdd written to dst, which has the shape and dtype of a. It may be a itself: then only what the
// indices name is touched.
func ScatterAddInto(dst, a, indices, values *Array, axis int) {
	scatterInto("ScatterAddInto", dst, a, indices, values, axis, ReduceAdd)
}

// ScatterReduce returns a copy of a in which the parts along axis that indices name are combined with values by a reduction:
// with ReduceMax, the largest of a part and of all values that go there. See Scatter, and Reduction for the dtypes.
func (a *Array) ScatterReduce(reduction Reduction, indices, values *Array, axis int) *Array {
	checkReduction("ScatterReduce", reduction, a, indices, values)
	return scattered("ScatterReduce", a, indices, values, axis, reduction)
}

// ScatterReduceInto is ScatterReduce written to dst, which has the shape and dtype of a. It may be a itself: then only what the
// indices name is touched.
func ScatterReduceInto(dst, a *Array, reduction Reduction, indices, values *Array, axis int) {
	checkReduction("ScatterReduceInto", reduction, dst, a, indices, values)
	scatterInto("ScatterReduceInto", dst, a, indices, values, axis, reduction)
}

// scattered puts the axis in front, where scatter_nd has it.
func scattered(operator string, a, indices, values *Array, axis int, reduction Reduction) *Array {
	checkNotNil(operator, a, indices, values)
	defer named(operator, a, indices, values)
	axis = a.axis(operator, axis, a.Rank())
	result := call(ops.ScatterND.CalledBy(operator), ops.ScatterNDParams{Reduction: reduction},
		a.MoveAxis(axis, 0), indices.ExpandDims(-1), slicesInFront(a, indices, values, axis))
	return result.MoveAxis(0, axis)
}

func scatterInto(operator string, dst, a, indices, values *Array, axis int, reduction Reduction) {
	checkNotNil(operator, dst, a, indices, values)
	defer named(operator, a, indices, values)
	axis = a.axis(operator, axis, a.Rank())
	callInto(ops.ScatterND.CalledBy(operator), ops.ScatterNDParams{Reduction: reduction}, dst.MoveAxis(dst.axis(operator, axis, dst.Rank()), 0),
		a.MoveAxis(axis, 0), indices.ExpandDims(-1), slicesInFront(a, indices, values, axis))
}

// slicesInFront returns values, which broadcast to the shape of a.Take(indices, axis), with the axes of the indices in front.
func slicesInFront(a, indices, values *Array, axis int) *Array {
	if values.Rank() <= a.Rank()-axis-1 {
		return values
	}
	shape := slices.Concat(a.Shape()[:axis], indices.Shape(), a.Shape()[axis+1:])
	return values.BroadcastTo(shape...).moveAxes(axis, indices.Rank(), 0)
}

// TakeAlongAxis returns the elements of a that indices, which has as many axes, names along axis: result[i,j] =
// a[indices[i,j],j] for axis 0 of two. The other axes broadcast. Indices have any integer dtype; negative ones count from the
// end, and one out of range is an error of the result. It is NumPy's take_along_axis, PyTorch's gather.
func (a *Array) TakeAlongAxis(indices *Array, axis int) *Array {
	return call(ops.TakeAlongAxis, ops.TakeAlongAxisParams{Axis: axis, Mode: "raise"}, a, indices)
}

// PutAlongAxis returns a copy of a with values in place of the elements that a.TakeAlongAxis(indices, axis) reads; if an index
// occurs more than once the last value stays. Indices and values broadcast along the other axes of a; values have its dtype,
// unless made by Weak. It is NumPy's put_along_axis, PyTorch's scatter.
func (a *Array) PutAlongAxis(indices, values *Array, axis int) *Array {
	return call(ops.PutAlongAxis, ops.PutAlongAxisParams{Axis: axis, Mode: "raise", Reduction: ops.ReduceNone}, a, indices, values)
}

// PutAlongAxisInto is PutAlongAxis written to dst, which has the shape and dtype of a. It may be a itself: then only what the
// indices name is touched.
func PutAlongAxisInto(dst, a, indices, values *Array, axis int) {
	callInto(ops.PutAlongAxis, ops.PutAlongAxisParams{Axis: axis, Mode: "raise", Reduction: ops.ReduceNone}, dst, a, indices, values)
}

// AddAlongAxis is PutAlongAxis that adds values to what is there, in the order of the indices. PyTorch's scatter_add.
func (a *Array) AddAlongAxis(indices, values *Array, axis int) *Array {
	return call(ops.PutAlongAxis.CalledBy("AddAlongAxis"), ops.PutAlongAxisParams{Axis: axis, Mode: "raise", Reduction: ReduceAdd}, a, indices, values)
}

// AddAlongAxisInto is AddAlongAxis written to dst, as in PutAlongAxisInto.
func AddAlongAxisInto(dst, a, indices, values *Array, axis int) {
	callInto(ops.PutAlongAxis.CalledBy("AddAlongAxisInto"), ops.PutAlongAxisParams{Axis: axis, Mode: "raise", Reduction: ReduceAdd}, dst, a, indices, values)
}

// ReduceAlongAxis is PutAlongAxis that combines what is there with the values that go there by a reduction: with ReduceMax, the
// largest of them all stays. It is PyTorch's scatter_reduce; for include_self=False, first put the reduction's neutral element
// there with PutAlongAxis.
func (a *Array) ReduceAlongAxis(reduction Reduction, indices, values *Array, axis int) *Array {
	checkReduction("ReduceAlongAxis", reduction, a, indices, values)
	return call(ops.PutAlongAxis.CalledBy("ReduceAlongAxis"), ops.PutAlongAxisParams{Axis: axis, Mode: "raise", Reduction: reduction}, a, indices, values)
}

// ReduceAlongAxisInto is ReduceAlongAxis written to dst, as in PutAlongAxisInto.
func ReduceAlongAxisInto(dst, a *Array, reduction Reduction, indices, values *Array, axis int) {
	checkReduction("ReduceAlongAxisInto", reduction, dst, a, indices, values)
	callInto(ops.PutAlongAxis.CalledBy("ReduceAlongAxisInto"), ops.PutAlongAxisParams{Axis: axis, Mode: "raise", Reduction: reduction}, dst, a, indices, values)
}

// GatherND returns the parts of a that the tuples along the last axis of indices name: result[i,…] = a[indices[i,0],indices[i,1],…]
// for tuples of two. Indices have any integer dtype; negative ones count from the end, and one out of range is an error of
// the result.
func (a *Array) GatherND(indices *Array) *Array {
	return call(ops.GatherND, ops.GatherNDParams{}, a, indices)
}

// ScatterND returns a copy of a with values in the parts that a.GatherND(indices) reads; if a tuple occurs more than once the
// last values stay. Values broadcast to those parts and have the dtype of a, unless made by Weak.
func (a *Array) ScatterND(indices, values *Array) *Array {
	return call(ops.ScatterND, ops.ScatterNDParams{Reduction: ops.ReduceNone}, a, indices, values)
}

// ScatterNDAdd is ScatterND that adds values to what is there, in the order of the tuples.
func (a *Array) ScatterNDAdd(indices, values *Array) *Array {
	return call(ops.ScatterND.CalledBy("ScatterNDAdd"), ops.ScatterNDParams{Reduction: ReduceAdd}, a, indices, values)
}

// ScatterNDReduce is ScatterND that combines what is there with the values that go there by a reduction.
func (a *Array) ScatterNDReduce(reduction Reduction, indices, values *Array) *Array {
	checkReduction("ScatterNDReduce", reduction, a, indices, values)
	return call(ops.ScatterND.CalledBy("ScatterNDReduce"), ops.ScatterNDParams{Reduction: reduction}, a, indices, values)
}
