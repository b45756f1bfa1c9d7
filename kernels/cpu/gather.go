package cpu

import (
	"fmt"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/parallel"
)

// indexError is an error for an index in the data; its cause is fault.ErrIndex.
type indexError struct{ text string }

func (e *indexError) Error() string { return e.text }

func (e *indexError) Unwrap() error { return fault.ErrIndex }

// contiguous returns the elements of view in row-major order: view's own memory, or a copy.
func contiguous[T any](view device.View) []T {
	n := newOrderedNest(view)
	if n.count == 0 {
		return nil
	}
	if n.operands[0].whole {
		return slice[T](n.operands[0].pointer, n.count)
	}
	elements := make([]T, n.count)
	n.gather(unsafe.Pointer(&elements[0]), 0, 0, n.count)
	return elements
}

// What is done with an index out of range.
const (
	modeRaise = iota // it is an error; negative ones count from the end
	modeWrap         // it is taken modulo the length of the axis
	modeClip         // the nearest legal one is taken; negative ones are out of range
)

// positions returns the indices in view as indices from the start of an axis of the given length.
func positions(view device.View, axis, length int, mode int64) ([]int, error) {
	indices := contiguous[int64](view)
	found := make([]int, len(indices))
	for i, given := range indices {
		index, limit := given, int64(length)
		switch {
		case mode == modeWrap && limit > 0:
			index %= limit
		case mode == modeClip:
			index = max(min(index, limit-1), 0)
		}
		if index < 0 {
			index += limit
		}
		if index < 0 || index >= limit {
			return nil, &indexError{fmt.Sprintf("index %d is out of range for axis %d with %d elements", given, axis, length)}
		}
		found[i] = int(index)
	}
	return found, nil
}

// selection relates an array, one of whose axes is indexed, to the array of what was selected, in which the axes of the
// indices take the place of that axis.
type selection struct {
	array, selected device.View
	outer, inner    *nest // over the axes before and behind; operand 0 is the array, operand 1 the selected
	arrayOffsets    []int // bytes to the slice that each index selects, in row-major order of the indices
	selectedOffsets []int // bytes to where it is among the selected
}

// newSelection makes a selection by indices; integers are the axis and the mode.
func newSelection(array, selected, indices device.View, integers []int64) (*selection, error) {
	axis := int(integers[0])
	found, err := positions(indices, axis, array.Shape[axis], integers[1])
	if err != nil {
		return nil, err
	}
	s := &selection{array: array, selected: selected, arrayOffsets: found, selectedOffsets: make([]int, len(found))}
	size, behind := array.DType.Size(), axis+len(indices.Shape)
	for i := range found {
		found[i] *= array.Strides[axis] * size
	}
	taken := part(selected, axis, behind)
	if n := newOrderedNest(taken); n.count > 0 {
		var c cursor
		c.seek(n, 0)
		for i := range s.selectedOffsets {
			s.selectedOffsets[i] = c.offsets[0]
			c.advance(1)
		}
	}
	s.outer = newOrderedNest(part(array, 0, axis), part(selected, 0, axis))
	s.inner = newOrderedNest(part(array, axis+1, len(array.Shape)), part(selected, behind, len(selected.Shape)))
	return s, nil
}

// part returns view with the axes [from, to) alone.
func part(view device.View, from, to int) device.View {
	view.Shape, view.Strides = view.Shape[from:to], view.Strides[from:to]
	return view
}

// take selects the parts of Inputs[0] along the axis Integers[0] that Inputs[1] names; Integers[1] is the mode.
func take(t *parallel.Thread, a *device.Arguments) error {
	s, err := newSelection(a.Inputs[0], a.Outputs[0], a.Inputs[1], a.Integers)
	if err != nil || a.Outputs[0].Count() == 0 {
		return err
	}
	size := a.Inputs[0].DType.Size()
	count := len(s.arrayOffsets)
	t.ForCost(s.outer.count*count, 4+light*float64(s.inner.count), func(_ *parallel.Thread, lo, hi int) {
		var outer, inner cursor
		outer.seek(s.outer, lo/count)
		for i := lo; i < hi; i++ {
			from := unsafe.Add(s.array.Pointer.Host, outer.offsets[0]+s.arrayOffsets[i%count])
			to := unsafe.Add(s.selected.Pointer.Host, outer.offsets[1]+s.selectedOffsets[i%count])
			inner.seek(s.inner, 0)
			for done := 0; done < s.inner.count; {
				row := inner.rest
				move(unsafe.Add(to, inner.offsets[1]), s.inner.stride(1),
					unsafe.Add(from, inner.offsets[0]), s.inner.stride(0), row, size)
				inner.advance(row)
				done += row
			}
			if i%count == count-1 {
				outer.advance(1)
			}
		}
	})
	return nil
}

var _ = register("take",
	entry{dtype.Float32.String(), take}, entry{dtype.Float64.String(), take},
	entry{dtype.Int64.String(), take}, entry{dtype.Bool.String(), take})

// scatterAdd adds Inputs[0] to a zero Outputs[0] where take would have read it. Every element is added to in the row-major
// order of the indices: threads share the axes before the indexed one and the elements behind it, never the indices.
func scatterAdd[T dtype.Real](t *parallel.Thread, a *device.Arguments) error {
	s, err := newSelection(a.Outputs[0], a.Inputs[0], a.Inputs[1], a.Integers)
	if err != nil {
		return err
	}
	clearView(t, a.Outputs[0])
	if a.Inputs[0].Count() == 0 {
		return nil
	}
	const width = 64
	groups := (s.inner.count + width - 1) / width
	cost := light * float64(len(s.arrayOffsets)*min(width, s.inner.count))
	t.ForCost(s.outer.count*groups, cost, func(_ *parallel.Thread, lo, hi int) {
		var outer cursor
		for unit := lo; unit < hi; unit++ {
			outer.seek(s.outer, unit/groups)
			begin := unit % groups * width
			addSlices[T](s, &outer, begin, min(begin+width, s.inner.count))
		}
	})
	return nil
}

// addSlices adds the elements [begin, end) of the slices that all indices select.
func addSlices[T dtype.Real](s *selection, outer *cursor, begin, end int) {
	var start, c cursor
	start.seek(s.inner, begin)
	for i, offset := range s.arrayOffsets {
		to := unsafe.Add(s.array.Pointer.Host, outer.offsets[0]+offset)
		from := unsafe.Add(s.selected.Pointer.Host, outer.offsets[1]+s.selectedOffsets[i])
		if end-begin <= start.rest {
			addStrided[T](unsafe.Add(to, start.offsets[0]), s.inner.stride(0),
				unsafe.Add(from, start.offsets[1]), s.inner.stride(1), end-begin)
			continue
		}
		c = start
		for at := begin; at < end; {
			row := min(c.rest, end-at)
			addStrided[T](unsafe.Add(to, c.offsets[0]), s.inner.stride(0),
				unsafe.Add(from, c.offsets[1]), s.inner.stride(1), row)
			c.advance(row)
			at += row
		}
	}
}

func addStrided[T dtype.Real](dst unsafe.Pointer, dstStride int, x unsafe.Pointer, stride, count int) {
	var element T
	if size := int(unsafe.Sizeof(element)); dstStride == size && stride == size {
		target := slice[T](dst, count)
		add(target, target, slice[T](x, count))
		return
	}
	for i := range count {
		*(*T)(unsafe.Add(dst, i*dstStride)) += *(*T)(unsafe.Add(x, i*stride))
	}
}

var _ = register("scatter_add",
	entry{dtype.Float32.String(), scatterAdd[float32]}, entry{dtype.Float64.String(), scatterAdd[float64]},
	entry{dtype.Int64.String(), scatterAdd[int64]})
