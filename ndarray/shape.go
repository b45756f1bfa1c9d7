package ndarray

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/ops"
)

// Reshape returns a with its elements, row-major, in another shape; one size may be -1 and follows from the others. It is
// a view where strides allow, else a copy. It panics with *Error if the counts differ.
func (a *Array) Reshape(shape ...int) *Array {
	if part := a.reshapedPart(shape); part != nil {
		return part
	}
	return call(ops.Reshape, ops.ReshapeParams{Shape: slices.Clone(shape)}, a)
}

// Transpose returns a view whose axis i is axis axes[i] of a; without axes their order is reversed. It panics with *Error
// unless axes is a permutation.
func (a *Array) Transpose(axes ...int) *Array {
	return call(ops.Transpose, ops.TransposeParams{Axes: slices.Clone(axes)}, a)
}

// T returns a view with the order of the axes reversed: the transpose of a matrix.
func (a *Array) T() *Array {
	if part := a.reversedPart(); part != nil {
		return part
	}
	return call(ops.Transpose, ops.TransposeParams{}, a)
}

// Diagonal returns a view of a diagonal of the matrices along two axes, that of the rows and that of the columns; the elements
// of the diagonal are along the last axis of the view. Offset is how many columns it is to the right of the main diagonal, or
// below that if negative. It panics with *Error unless the axes are different. It is numpy.diagonal, except that writes go
// through.
func (a *Array) Diagonal(offset, rows, columns int) *Array {
	return call(ops.Diagonal, ops.DiagonalParams{Offset: offset, Rows: rows, Columns: columns}, a)
}

// SlidingWindows returns a view of the windows of size elements along axis, step elements from one to the next: axis has an
// element for each window that fits, and a new last axis has the elements of the window. a.SlidingWindows(3, 1, -1).Mean(-1) is
// a moving average. Windows that overlap share memory: so the view must not be written to unless step is size or more, and the
// gradient of an element is the sum over its windows. It panics with *Error if axis has fewer elements than size, or size or
// step is not positive. NumPy's sliding_window_view, PyTorch's unfold.
func (a *Array) SlidingWindows(size, step, axis int) *Array {
	return call(ops.SlidingWindows, ops.SlidingWindowsParams{Size: size, Step: step, Axis: axis}, a)
}

// MatrixTranspose returns a view with the last two axes exchanged: the transposes of the matrices in them. It panics with *Error if
// there are fewer.
func (a *Array) MatrixTranspose() *Array {
	checkNotNil("MatrixTranspose", a)
	if rank := a.Rank(); rank < 2 {
		fail("MatrixTranspose", fault.ErrShape, fmt.Sprintf("%d axes, want two or more", rank), a)
	}
	return a.MoveAxis(-1, -2)
}

// BroadcastTo returns a view of a repeated to shape by NumPy's rule. It panics with *Error if a does not broadcast to it.
func (a *Array) BroadcastTo(shape ...int) *Array {
	if part := a.broadcastPart(shape); part != nil {
		return part
	}
	return call(ops.BroadcastTo, ops.BroadcastParams{Shape: slices.Clone(shape)}, a)
}

// Squeeze returns a view without the given axes, which must have one element each; without axes all such are removed. It panics with
// *Error if an axis is out of range or named twice.
func (a *Array) Squeeze(axes ...int) *Array {
	checkNotNil("Squeeze", a)
	defer named("Squeeze", a)
	shape := a.tensor().Shape()
	removed := a.differentAxes("Squeeze", axes)
	for _, axis := range removed {
		if n := shape[axis]; n != 1 {
			fail("Squeeze", fault.ErrShape, fmt.Sprintf("axis %d has %d elements", axis, n), a)
		}
	}
	kept := []int{}
	for axis, n := range shape {
		if n != 1 || len(axes) > 0 && !slices.Contains(removed, axis) {
			kept = append(kept, n)
		}
	}
	return a.Reshape(kept...)
}

// ExpandDims returns a view with a new axis of one element, which is the given axis of the result.
func (a *Array) ExpandDims(axis int) *Array {
	checkNotNil("ExpandDims", a)
	defer named("ExpandDims", a)
	return a.Reshape(slices.Insert(a.Shape(), a.axis("ExpandDims", axis, a.Rank()+1), 1)...)
}

// axis returns axis counted from the front, of rank.
func (a *Array) axis(operator string, axis, rank int) int {
	if axis < -rank || axis >= rank {
		fail(operator, fault.ErrAxis, fmt.Sprintf("axis %d is out of range for %d axes", axis, rank), a)
	}
	return (axis + rank) % rank
}

// differentAxes returns axes counted from the front, and fails if one is named twice.
func (a *Array) differentAxes(operator string, axes []int) []int {
	counted := make([]int, len(axes))
	for i, axis := range axes {
		counted[i] = a.axis(operator, axis, a.Rank())
		if slices.Contains(counted[:i], counted[i]) {
			fail(operator, fault.ErrAxis, fmt.Sprintf("axis %d is named twice in %v", counted[i], axes), a)
		}
	}
	return counted
}
