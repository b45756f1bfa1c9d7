package ndarray

import (
	"slices"
	"unsafe"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/ops"
)

// MatMul returns the matrix product of a and b. The last two axes are matrices and those before broadcast; a 1-d
// operand is a row on the left and a column on the right, and its axis is missing in the result. Operands of different
// dtypes are promoted. Products of float16 and bfloat16 are summed in float32 and rounded once; those of int8 are
// int32, exact while they fit; other integers wrap round. Complex elements are multiplied as they are, without
// conjugation. It panics with *Error if the columns of a are not as many as the rows of b.
func (a *Array) MatMul(b *Array) *Array { return call(ops.MatMul, nil, a, b) }

// MatMulInto is MatMul written to dst, which must have the shape and dtype of the result.
func MatMulInto(dst, a, b *Array) { callInto(ops.MatMul, nil, dst, a, b) }

// Take returns the parts of a along axis that indices name, an array of any integer dtype: the axis is replaced by the axes
// of indices. Negative indices count from the end. An index out of range is an error of the result, found when it is
// computed.
func (a *Array) Take(indices *Array, axis int) *Array {
	return call(ops.Take, ops.TakeParams{Axis: axis, Mode: "raise"}, a, indices)
}

// Softmax returns exp(a) divided by its sum along axis, computed without overflow. Integers become float64.
func (a *Array) Softmax(axis int) *Array { return call(ops.Softmax, ops.SoftmaxParams{Axis: axis}, a) }

// LogSoftmax returns the logarithm of the softmax along axis, computed without overflow. Integers become float64.
func (a *Array) LogSoftmax(axis int) *Array {
	return call(ops.LogSoftmax, ops.SoftmaxParams{Axis: axis}, a)
}

// OneHot returns an array of element type d with a new last axis of depth elements: 1 at the index that a holds, 0
// elsewhere. The array a must be of an integer dtype; an index out of range is an error of the result.
func (a *Array) OneHot(depth int, d dtype.DType) *Array {
	return call(ops.OneHot, ops.OneHotParams{Depth: depth, DType: d}, a)
}

// Cast returns a copy of a with elements of type d. Real numbers become complex ones with an imaginary part of 0; it
// panics with *Error if a is complex and d is neither that nor bool: see Real, Imag and Abs. Floats become integers by
// truncation toward zero, saturated, NaN becoming 0; integers wrap round between each other; a float is the nearest
// one, the even one of two; anything becomes a bool by whether it is not zero. This is so on every processor.
func (a *Array) Cast(d dtype.DType) *Array { return call(ops.Cast, ops.CastParams{DType: d}, a) }

// CastInto is Cast to the dtype of dst, which must have the shape of src.
func CastInto(dst, src *Array) {
	checkNotNil("cast", dst)
	callInto(ops.Cast, ops.CastParams{DType: dst.DType()}, dst, src)
}

// Copy returns the elements of a in contiguous memory of their own.
func (a *Array) Copy() *Array { return call(ops.Copy, nil, a) }

// CopyInto writes the elements of src to dst, an array or a view of the same shape and dtype.
func CopyInto(dst, src *Array) { callInto(ops.Copy, nil, dst, src) }

// Concat returns the arrays one after another along axis; all other axes must agree. Operands of different dtypes are
// promoted.
func Concat(axis int, arrays ...*Array) *Array {
	return call(ops.Concat, ops.ConcatParams{Axis: axis}, arrays...)
}

// ConcatFlat returns all elements of the arrays, of any shapes, one after another along the only axis.
func ConcatFlat(arrays ...*Array) *Array {
	checkNotNil("ConcatFlat", arrays...)
	flat := make([]*Array, len(arrays))
	for i, a := range arrays {
		flat[i] = a.Reshape(-1)
	}
	return Concat(0, flat...)
}

// Clip returns a with elements below low replaced by low, then those above high by high; NaN where one of them is. Shapes
// broadcast, dtypes are promoted. One of the bounds may be nil: there is none then.
func (a *Array) Clip(low, high *Array) *Array {
	checkNotNil("Clip", a)
	switch {
	case low == nil && high == nil:
		fail("Clip", fault.ErrMisuse, "both bounds are nil", a)
	case low == nil:
		return a.Minimum(high)
	case high == nil:
		return a.Maximum(low)
	}
	return call(ops.Clamp, nil, a, low, high)
}

// ClipInto is Clip written to dst, which must have the shape and dtype of the result, and may be a. It takes both bounds.
func ClipInto(dst, a, low, high *Array) { callInto(ops.Clamp, nil, dst, a, low, high) }

// Tril returns a with zeros above the diagonal, counted upward from the main one, of the matrices in the last two axes.
func (a *Array) Tril(diagonal int) *Array {
	return call(ops.Tril, ops.TriangleParams{Diagonal: diagonal}, a)
}

// Triu returns a with zeros below the diagonal, counted upward from the main one, of the matrices in the last two axes.
func (a *Array) Triu(diagonal int) *Array {
	return call(ops.Triu, ops.TriangleParams{Diagonal: diagonal}, a)
}

// Where returns a where condition holds, else b, element by element; all three broadcast, a and b are promoted, condition
// is made bool.
func Where(condition, a, b *Array) *Array { return call(ops.Where, nil, condition, a, b) }

// WhereInto is Where written to dst, which must have the shape and dtype of the result.
func WhereInto(dst, condition, a, b *Array) { callInto(ops.Where, nil, dst, condition, a, b) }

// call calls an operator of one result.
func call(op *ops.Operator, params any, operands ...*Array) *Array {
	if len(operands) == 0 {
		fail(op.Name, fault.ErrMisuse, "there are no operands")
	}
	return (*Array)(ops.InvokeOne(op, params, tensors(operands)...))
}

// callInto calls an operator and writes its one result to dst.
func callInto(op *ops.Operator, params any, dst *Array, operands ...*Array) {
	if dst == nil {
		fail(op.Name, fault.ErrMisuse, "the destination is nil")
	}
	ops.InvokeInto(op, params, []*ops.Tensor{dst.tensor()}, tensors(operands)...)
}

// reduce calls a reduction over axes.
func reduce(op *ops.Operator, a *Array, axes []int, keepDims bool) *Array {
	return call(op, ops.ReduceParams{Axes: slices.Clone(axes), KeepDims: keepDims}, a)
}

func tensors(arrays []*Array) []*ops.Tensor {
	return unsafe.Slice((**ops.Tensor)(unsafe.Pointer(unsafe.SliceData(arrays))), len(arrays)) // Array is Tensor
}
