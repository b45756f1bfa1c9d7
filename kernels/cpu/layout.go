package cpu

import "github.com/weft-nd/weft/device"

// isRows reports whether the last two axes of view are a matrix stored by rows, possibly with gaps between them.
func isRows(view device.View) bool {
	rank := len(view.Shape)
	rows, columns := view.Shape[rank-2], view.Shape[rank-1]
	return (columns == 1 || view.Strides[rank-1] == 1) && (rows == 1 || view.Strides[rank-2] >= columns)
}

// swapped returns view with the last two axes exchanged.
func swapped(view device.View) device.View {
	last := len(view.Shape) - 1
	sizes := append(append(make([]int, 0, 2*last+2), view.Shape...), view.Strides...)
	view.Shape, view.Strides = sizes[:last+1:last+1], sizes[last+1:]
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

// newPacked returns row-major memory of the shape of view, with undefined contents. Axes of view, other than the last two,
// that repeat the same elements do so in the result.
func newPacked(s *scratch, view device.View) device.View {
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
	return device.View{Pointer: s.take(count * view.DType.Size()), DType: view.DType, Shape: view.Shape, Strides: strides}
}

// transfer is a copy of one view to another.
type transfer struct{ to, from device.View }

// packing returns row-major memory for a copy of view, and the copy that is to be made; repeated matrices are copied once.
func packing(s *scratch, view device.View) (result device.View, once transfer) {
	result = newPacked(s, view)
	once = transfer{result, view}
	once.to.Shape = append([]int{}, view.Shape...)
	for axis, stride := range result.Strides {
		if stride == 0 && view.Shape[axis] > 0 {
			once.to.Shape[axis] = 1
		}
	}
	once.from.Shape = once.to.Shape
	return result, once
}
