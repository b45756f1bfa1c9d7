package cpu

import (
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/parallel"
)

// selection relates an array to the slices of it that indices select. The slices of the selected array follow one another
// in the row-major order of the indices.
type selection struct {
	array, selected device.View
	outer, inner    *nest // over the axes before the indexed ones, and those of a slice; operand 0 is the array, 1 the selected
	offsets         []int // bytes to the slice of the array that each index selects
	places          []int // bytes to where each is among the selected; nil if step tells
	step            int   // bytes from one slice of the selected to the next
	lowest, extent  int   // offsets are in [lowest, lowest+extent)
	slices          int   // of the array
}

// SelectionScratch returns the bytes of temporary memory that a kernel that selects takes for count indices.
func SelectionScratch(count int) int { return demand(2 * count * int(unsafe.Sizeof(count))) }

// selectAlong makes the selection by indices of one axis, in whose place the selected array has the axes of indices.
func selectAlong(t *parallel.Thread, a *device.Arguments, array, selected, indices device.View, axis int, mode int64) (*selection, error) {
	count := indices.Count()
	memory := temporary[int](a, 2*count)
	s := &selection{array: array, selected: selected, offsets: memory[:count], places: memory[count:]}
	if err := positions(t, s.offsets, indices, array, axis, mode, array.Strides[axis]*array.DType.Size()); err != nil {
		return nil, err
	}
	behind := axis + len(indices.Shape)
	s.locate(part(array, axis, axis+1), part(selected, axis, behind))
	s.outer = newOrderedNest(part(array, 0, axis), part(selected, 0, axis))
	s.inner = newOrderedNest(part(array, axis+1, len(array.Shape)), part(selected, behind, len(selected.Shape)))
	return s, nil
}

// selectPoints makes the selection by the tuples along the last axis of indices, each of which has an index for each axis
// from batch on. The first batch axes of all three are the same. With numbers, those of the slices are written there.
func selectPoints(t *parallel.Thread, a *device.Arguments, array, selected, indices device.View, batch int, numbers []int) (*selection, error) {
	last := len(indices.Shape) - 1
	tuples, depth := part(indices, 0, last), indices.Shape[last]
	count := tuples.Count()
	memory := temporary[int](a, 2*count)
	s := &selection{array: array, selected: selected, offsets: memory[:count], places: memory[count:]}
	if depth == 0 {
		clear(s.offsets)
	}
	for component := range depth {
		axis := batch + component
		one := tuples
		one.Pointer = indices.Pointer.Add(component * indices.Strides[last] * indices.DType.Size())
		stride, found := array.Strides[axis]*array.DType.Size(), s.offsets
		if component > 0 {
			found = s.places
		}
		if err := positions(t, found, one, array, axis, modeRaise, 1); err != nil {
			return nil, err
		}
		if numbers != nil {
			for i, index := range found {
				numbers[i] = numbers[i]*array.Shape[axis] + index
			}
		}
		t.ForCost(count, light, func(_ *parallel.Thread, lo, hi int) {
			offsets, found := s.offsets[lo:hi], found[lo:hi]
			if component == 0 {
				for i := range offsets {
					offsets[i] *= stride
				}
				return
			}
			for i, index := range found {
				offsets[i] += index * stride
			}
		})
	}
	if batch > 0 {
		s.addBatches(batch, array.Shape[batch:batch+depth], numbers)
	}
	s.locate(part(array, 0, batch+depth), part(selected, 0, last))
	s.outer = newOrderedNest(part(array, 0, 0), part(selected, 0, 0))
	s.inner = newOrderedNest(part(array, batch+depth, len(array.Shape)), part(selected, last, len(selected.Shape)))
	return s, nil
}

// addBatches moves the offsets, and the numbers if there are any, to the batches that the indices are of.
func (s *selection) addBatches(batch int, indexed []int, numbers []int) {
	n := newOrderedNest(part(s.array, 0, batch))
	if n.count == 0 || len(s.offsets) == 0 {
		return
	}
	each, slices := len(s.offsets)/n.count, 1
	for _, length := range indexed {
		slices *= length
	}
	var c cursor
	for b := range n.count {
		c.seek(n, b)
		for i := b * each; i < (b+1)*each; i++ {
			s.offsets[i] += c.offsets[0]
			if numbers != nil {
				numbers[i] += b * slices
			}
		}
	}
}

// locate finds where the selected slices are, and the bounds of the offsets, from the axes of the array that are indexed and
// those of the indices.
func (s *selection) locate(indexed, taken device.View) {
	s.slices = indexed.Count()
	size := s.array.DType.Size()
	s.extent = 1
	for axis, length := range indexed.Shape {
		reach := max(0, length-1) * indexed.Strides[axis] * size
		s.lowest += min(reach, 0)
		s.extent += magnitude(reach)
	}
	n := newOrderedNest(taken)
	if len(n.shape) == 1 {
		s.places, s.step = nil, n.stride(0)
		return
	}
	if n.count > 0 {
		var c cursor
		c.seek(n, 0)
		for i := range s.places {
			s.places[i] = c.offsets[0]
			c.advance(1)
		}
	}
}

// place returns the bytes to the slice number i among the selected.
func (s *selection) place(i int) int {
	if s.places == nil {
		return i * s.step
	}
	return s.places[i]
}

// count is how many elements the selected array has.
func (s *selection) count() int { return s.outer.count * len(s.offsets) * s.inner.count }

// part returns view with the axes [from, to) alone.
func part(view device.View, from, to int) device.View {
	view.Shape, view.Strides = view.Shape[from:to], view.Strides[from:to]
	return view
}
