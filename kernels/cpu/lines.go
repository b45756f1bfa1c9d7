package cpu

import (
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/parallel"
)

// inLines reports whether the elements of view follow one another in row-major order, and returns the address of the first.
func inLines(view device.View) (first unsafe.Pointer, whole bool) {
	_, whole = rowMajorCount(view)
	return view.Pointer.Host, whole
}

// readLines returns the elements of view, of which there are some, in row-major order: its own memory, or a copy in that of s.
func readLines[T any](t *parallel.Thread, s *scratch, view device.View) []T {
	if first, whole := inLines(view); whole {
		return slice[T](first, view.Count())
	}
	copied := linesAt(s.take(view.Count()*view.DType.Size()), view)
	copyView(t, copied, view)
	return slice[T](copied.Pointer.Host, view.Count())
}

// writeLines returns memory for the elements of view in row-major order: its own, or that of s. When they are there, finish
// copies them to view in the latter case.
func writeLines[T any](t *parallel.Thread, s *scratch, view device.View) (elements []T, finish func()) {
	if first, whole := inLines(view); whole {
		return slice[T](first, view.Count()), func() {}
	}
	written := linesAt(s.take(view.Count()*view.DType.Size()), view)
	return slice[T](written.Pointer.Host, view.Count()), func() { copyView(t, view, written) }
}

// linesAt returns the row-major view at p of the shape and type of like.
func linesAt(p device.Pointer, like device.View) device.View {
	view := device.View{Pointer: p, DType: like.DType, Shape: like.Shape, Strides: make([]int, len(like.Shape))}
	count := 1
	for axis := len(view.Shape) - 1; axis >= 0; axis-- {
		view.Strides[axis] = count
		count *= view.Shape[axis]
	}
	return view
}

// isDense reports whether the elements of each row of view follow one another, and the rows each other.
func isDense(view device.View) bool {
	last := len(view.Shape) - 1
	if last < 0 {
		return true
	}
	return (view.Strides[last] == 1 || view.Shape[last] == 1) && (last == 0 || view.Shape[last-1] == 1 || view.Strides[last-1] >= view.Shape[last])
}

// dense returns view, or a copy of it of which isDense holds.
func (s *scratch) dense(t *parallel.Thread, view device.View) device.View {
	if isDense(view) || view.Count() == 0 {
		return view
	}
	copied := linesAt(s.take(view.Count()*view.DType.Size()), view)
	copyView(t, copied, view)
	return copied
}

// denseResult is dense for a result, which finish copies to view.
func (s *scratch) denseResult(t *parallel.Thread, view device.View) (result device.View, finish func()) {
	if isDense(view) || view.Count() == 0 {
		return view, func() {}
	}
	result = linesAt(s.take(view.Count()*view.DType.Size()), view)
	return result, func() { copyView(t, view, result) }
}

// linesDemand is the scratch that readLines or writeLines takes for a view of so many elements; whole tells that its elements
// are in row-major order already.
func linesDemand(count, size int, whole bool) int {
	if whole {
		return 0
	}
	return (count*size + 63) / 64 * 64
}

// LinesScratch returns the bytes of temporary memory that a kernel takes which wants the elements of views in row-major order.
func LinesScratch(views ...device.View) int {
	bytes := 0
	for _, v := range views {
		_, whole := rowMajorCount(v)
		bytes += linesDemand(v.Count(), v.DType.Size(), whole)
	}
	return demand(bytes)
}

// eachLine calls body for all lines; threads share them, or, if they are few, each of them.
func eachLine(t *parallel.Thread, lines int, nanoseconds float64, body func(t *parallel.Thread, line int)) {
	if lines < 2*t.NumThreads() {
		for line := range lines {
			body(t, line)
		}
		return
	}
	t.ForCost(lines, nanoseconds, func(t *parallel.Thread, lo, hi int) {
		for line := lo; line < hi; line++ {
			body(t, line)
		}
	})
}

// lastAxis returns how many lines along its last axis view has, and how long they are.
func lastAxis(view device.View) (lines, length int) {
	last := len(view.Shape) - 1
	return part(view, 0, last).Count(), view.Shape[last]
}
