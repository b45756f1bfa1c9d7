package ndarray

import (
	"fmt"

	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/ops"
)

// PoolParams describe the windows of a pooling: PoolParams{Kernel: []int{2, 2}} has windows of two by two elements
// beside one another. Stride, Padding and Dilation are one number for all axes, or one for each. Shape is not used
// here.
type PoolParams = ops.PoolParams

// MaxPool returns the maximum of each window over a, of shape (samples, channels, axes...) with as many axes as the window
// has, one to three. NaN is the maximum of a window that has one. The gradient goes to the first of equal elements. Integers become
// float64. It panics with *Error if the window does not fit.
func (a *Array) MaxPool(window PoolParams) *Array {
	y, positions := a.MaxPoolPositions(window)
	positions.tensor().Discard(fault.Here(1))
	return y
}

// MaxPoolPositions is MaxPool, and returns the int32 position of each maximum too: its row-major number among the elements of
// the same sample and channel.
func (a *Array) MaxPoolPositions(window PoolParams) (y, positions *Array) {
	results := ops.Invoke(ops.MaxPool, window, tensors([]*Array{a})...)
	return (*Array)(results[0]), (*Array)(results[1])
}

// AveragePool returns the mean of each window over a; see MaxPool. Sums are made in float64. Padding does not count unless
// window.CountPadding is set.
func (a *Array) AveragePool(window PoolParams) *Array { return call(ops.AveragePool, window, a) }

// GlobalMaxPool returns the maxima of a over all axes behind the second, which stay with one element.
func (a *Array) GlobalMaxPool() *Array {
	axes := a.planeAxes("GlobalMaxPool")
	defer named("GlobalMaxPool", a)
	return a.MaxKeepDims(axes...)
}

// GlobalAveragePool returns the means of a over all axes behind the second, which stay with one element.
func (a *Array) GlobalAveragePool() *Array {
	axes := a.planeAxes("GlobalAveragePool")
	defer named("GlobalAveragePool", a)
	return a.MeanKeepDims(axes...)
}

// planeAxes returns the axes behind the second, and fails in the user's line if there are none.
func (a *Array) planeAxes(operator string) (axes []int) {
	checkNotNil(operator, a)
	for axis := 2; axis < a.Rank(); axis++ {
		axes = append(axes, axis)
	}
	if len(axes) == 0 {
		fail(operator, fault.ErrShape, fmt.Sprintf("an array of shape %s has no axes behind samples and channels", fault.FormatShape(a.Shape())), a)
	}
	return axes
}
