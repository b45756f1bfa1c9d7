package cpu

import (
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/parallel"
)

// isRows reports whether the last two axes of view are a matrix stored by rows, possibly with gaps between them.
func isRows(view device.View) bool {
	rank := len(view.Shape)
	rows, columns := view.Shape[rank-2], view.Shape[rank-1]
	return (columns == 1 || view.Strides[rank-1] == 1) && (rows == 1 || view.Strides[rank-2] >= columns)
}

// swapped returns view with the last two axes exchanged.
func swapped(view device.View) device.View {
	last := len(view.Shape) - 1
	view.Shape = append([]int{}, view.Shape...)
	view.Strides = append([]int{}, view.Strides...)
	view.Shape[last-1], view.Shape[last] = view.Shape[last], view.Shape[last-1]
	view.Strides[last-1], view.Strides[last] = view.Strides[last], view.Strides[last-1]
	return view
}

// leading returns view without its last two axes.
func leading(view device.View) device.View {
	rank := len(view.Shape)
	view.Shape, view.Strides = view.Shape[:rank-2], view.Strides[:rank-2]
	return view
}

// newPacked returns new row-major memory of the shape of view. Axes of view, other than the last two, that repeat the same
// elements do so in the result.
func newPacked(view device.View) device.View {
	rank := len(view.Shape)
	strides := make([]int, rank)
	count := 1
	for axis := rank - 1; axis >= 0; axis-- {
		if axis < rank-2 && view.Strides[axis] == 0 {
			continue
		}
		strides[axis] = count
		count *= view.Shape[axis]
	}
	memory := make([]uint64, (count*view.DType.Size()+7)/8)
	return device.View{
		Pointer: device.Pointer{Host: unsafe.Pointer(unsafe.SliceData(memory))},
		DType:   view.DType, Shape: view.Shape, Strides: strides,
	}
}

// packed returns a row-major copy of view; repeated matrices are copied once.
func packed(t *parallel.Thread, view device.View) device.View {
	result := newPacked(view)
	once, from := result, view
	once.Shape = append([]int{}, view.Shape...)
	for axis, stride := range result.Strides {
		if stride == 0 {
			once.Shape[axis] = 1
		}
	}
	from.Shape = once.Shape
	copyView(t, once, from)
	return result
}
