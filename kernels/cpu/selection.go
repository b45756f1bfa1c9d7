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
	tuples          *tuples
	batch           int   // axes of the array before those that the tuples are of, along which these go as well
	outer, inner    *nest // over the axes before the indexed ones, and those of a slice; operand 0 is the array, 1 the selected
	offsets         []int // bytes to the slice of the array that each index selects, from resolve on
	places          []int // bytes to where each is among the selected; nil if step tells
	step            int   // bytes from one slice of the selected to the next
	lowest, extent  int   // offsets are in [lowest, lowest+extent)
	slices          int   // of the array
}

// SelectionScratch returns the bytes of temporary memory that a kernel that selects takes for count indices.
func SelectionScratch(count int) int { return demand(2 * count * int(unsafe.Sizeof(count))) }

// selectAlong makes the selection by indices of one axis, in whose place the selected array has the axes of indices.
func selectAlong(a *device.Arguments, array, selected, indices device.View, axis int, mode int64) *selection {
	count, behind := indices.Count(), axis+len(indices.Shape)
	s := newSelection(a, array, selected, newTuples(array, axis, mode, count, indices))
	s.locate(part(array, axis, axis+1), part(selected, axis, behind))
	s.outer = newOrderedNest(part(array, 0, axis), part(selected, 0, axis))
	s.inner = newOrderedNest(part(array, axis+1, len(array.Shape)), part(selected, behind, len(selected.Shape)))
	return s
}

// selectPoints makes the selection by tuples of the given indices, one view for each axis from batch on. The first batch axes of all are
// the same.
func selectPoints(a *device.Arguments, array, selected device.View, shape []int, indices []device.View, batch int) *selection {
	count := 1
	for _, n := range shape {
		count *= n
	}
	s, depth := newSelection(a, array, selected, newTuples(array, batch, modeRaise, count, indices...)), batch+len(indices)
	s.batch = batch
	s.locate(part(array, 0, depth), part(selected, 0, len(shape)))
	s.outer = newOrderedNest(part(array, 0, 0), part(selected, 0, 0))
	s.inner = newOrderedNest(part(array, depth, len(array.Shape)), part(selected, len(shape), len(selected.Shape)))
	return s
}

// indicesOfTuples returns the views of the indices for each axis, of the tuples along the last axis of indices, and the shape of each.
func indicesOfTuples(indices device.View) (shape []int, views []device.View) {
	last := len(indices.Shape) - 1
	one := part(indices, 0, last)
	for component := range indices.Shape[last] {
		one.Pointer = indices.Pointer.Add(component * indices.Strides[last] * indices.DType.Size())
		views = append(views, one)
	}
	return one.Shape, views
}

func newSelection(a *device.Arguments, array, selected device.View, x *tuples) *selection {
	memory := temporary[int](a, 2*x.count)
	return &selection{array: array, selected: selected, tuples: x, offsets: memory[:x.count], places: memory[x.count:]}
}

// resolve finds the offsets, and, where numbers is not nil, the numbers of the slices in the array.
func (s *selection) resolve(t *parallel.Thread, numbers []int) error {
	if wrong := s.tuples.offsets(t, s.offsets); wrong != nil {
		return wrong
	}
	if numbers != nil {
		if wrong := s.tuples.numbers().offsets(t, numbers); wrong != nil {
			return wrong
		}
	}
	if s.batch > 0 {
		s.addBatches(numbers)
	}
	return nil
}

// addBatches moves the offsets, and the numbers if there are any, to the batches that the indices are of.
func (s *selection) addBatches(numbers []int) {
	n := newOrderedNest(part(s.array, 0, s.batch))
	if n.count == 0 || len(s.offsets) == 0 {
		return
	}
	each, slices := len(s.offsets)/n.count, 1
	for _, axis := range s.tuples.axes {
		slices *= axis.length
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
