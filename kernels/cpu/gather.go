package cpu

import (
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// take selects the parts of Inputs[0] along the axis Integers[0] that Inputs[1] names; Integers[1] is the mode.
func take(t *parallel.Thread, a *device.Arguments) error {
	if takeFew(a) {
		return nil
	}
	return selectAlong(a, a.Inputs[0], a.Outputs[0], a.Inputs[1], int(a.Integers[0]), a.Integers[1]).gather(t)
}

var _ = register("take", forAll(take)...)

// fewTaken is up to how many indices a selection, of not more than so many bytes, is made without finding out first how it is best made.
const (
	fewTaken      = 256
	fewTakenBytes = 64 << 10
)

// takeFew is take for few indices, of four or eight bytes, none of which is negative or out of range, where all elements are in row-major
// order. It reports false, having done nothing, elsewhere.
func takeFew(a *device.Arguments) bool {
	array, selected, indices, axis := a.Inputs[0], a.Outputs[0], a.Inputs[1], int(a.Integers[0])
	first, count, plain := indicesInRow(indices)
	total, row := rowMajorCount(selected)
	if !plain || count > fewTaken || !row || total == 0 || total*selected.DType.Size() > fewTakenBytes {
		return false
	}
	if _, row = rowMajorCount(array); !row {
		return false
	}
	s := scratch{keeps: true}
	defer s.release()
	offsets := slice[int](s.take(count*int(unsafe.Sizeof(count))).Host, count)
	length, bytes := array.Shape[axis], array.DType.Size()
	for _, n := range array.Shape[axis+1:] {
		bytes *= n
	}
	found := 0
	if indices.DType.Size() == 8 {
		found = plainIndices(offsets, slice[int64](first, count), uint64(length), bytes, 0)
	} else {
		found = plainIndices(offsets, slice[int32](first, count), uint64(length), bytes, 0)
	}
	if found < count {
		return false
	}
	for i := range total * selected.DType.Size() / (count * bytes) {
		from, to := unsafe.Add(array.Pointer.Host, i*length*bytes), unsafe.Add(selected.Pointer.Host, i*count*bytes)
		if bytes == array.DType.Size() {
			fetchings[bytes].points(from, 0, offsets, 0, 0, to, bytes)
		} else {
			copySlicesAt(to, from, offsets, bytes, bytes)
		}
	}
	return true
}

// indicesInRow returns the first of signed indices of four or eight bytes that follow one another, and how many they are.
func indicesInRow(indices device.View) (first unsafe.Pointer, count int, plain bool) {
	if d := indices.DType; d != dtype.Int64 && d != dtype.Int32 {
		return nil, 0, false
	}
	count, plain = rowMajorCount(indices)
	return indices.Pointer.Host, count, plain
}

// copySlicesAt copies slices of so many bytes, at the given offsets, to where they are stride bytes apart.
func copySlicesAt(dst, src unsafe.Pointer, offsets []int, stride, bytes int) {
	if rowsCopied(bytes) {
		copyRowsAt(dst, src, offsets, stride, bytes)
		return
	}
	for i, offset := range offsets {
		copy(slice[byte](unsafe.Add(dst, i*stride), bytes), slice[byte](unsafe.Add(src, offset), bytes))
	}
}

// gatherPoints selects the parts of Inputs[0] that the tuples in Inputs[1] name; Integers[0] axes are batches. Unless
// Integers[1] is zero, those parts are zero that a later tuple of the same batch names, too.
func gatherPoints(t *parallel.Thread, a *device.Arguments) error {
	shape, indices := indicesOfTuples(a.Inputs[1])
	s := selectPoints(a, a.Inputs[0], a.Outputs[0], shape, indices, int(a.Integers[0]))
	if a.Integers[1] != 0 {
		return s.gatherLatest(t)
	}
	return s.gather(t)
}

var _ = register("gather_nd", forAll(gatherPoints)...)

// takePoints is gatherPoints with the indices of each axis in an input of their own, and without batches; Integers[0] tells whether to
// leave zeros.
func takePoints(t *parallel.Thread, a *device.Arguments) error {
	indices := a.Inputs[1:]
	s := selectPoints(a, a.Inputs[0], a.Outputs[0], indices[0].Shape, indices, 0)
	if a.Integers[0] != 0 {
		return s.gatherLatest(t)
	}
	return s.gather(t)
}

var _ = register("take_points", forAll(takePoints)...)

// gather copies the slices of the array to the selected.
func (s *selection) gather(t *parallel.Thread) error {
	if s.outer.count == 1 && s.inner.count == 1 && s.places == nil && s.batch == 0 {
		return s.gatherElements(t)
	}
	if err := s.resolve(t, nil); err != nil {
		return err
	}
	s.copySlices(t, nil)
	return nil
}

// gatherLatest is gather with zeros for what a later tuple names, too.
func (s *selection) gatherLatest(t *parallel.Thread) error {
	numbers := make([]int, len(s.offsets))
	if err := s.resolve(t, numbers); err != nil {
		return err
	}
	s.copySlices(t, overtaken(numbers, s.slices))
	return nil
}

// gatherElements is gather of slices of one element, in one pass over the indices.
func (s *selection) gatherElements(t *parallel.Thread) error {
	size := s.array.DType.Size()
	fetch := fetchings[size]
	var atOnce func(lo, hi int) bool
	if len(s.tuples.axes) == 1 && s.step == size {
		atOnce = s.fetchPlainly(s.tuples.axes[0])
	}
	wrong := s.tuples.visit(t, s.offsets, 2, atOnce, func(offsets []int, lo int) {
		fetch.points(s.array.Pointer.Host, 0, offsets, 0, 0, unsafe.Add(s.selected.Pointer.Host, lo*s.step), s.step)
	})
	if wrong != nil {
		return wrong
	}
	return nil
}

// fetchPlainly returns atOnce of visit for elements one after the other, or nil.
func (s *selection) fetchPlainly(axis axisIndices) func(lo, hi int) bool {
	fetch := plainFetchBy(axis.view, s.step)
	if fetch == nil {
		return nil
	}
	return func(lo, hi int) bool {
		indices := axis.view.Pointer.Add(lo * axis.view.DType.Size())
		return fetch(unsafe.Add(s.selected.Pointer.Host, lo*s.step), s.array.Pointer.Host, 0, indices.Host, hi-lo, axis.length, axis.scale) == hi-lo
	}
}

// overtaken reports for each number, which are below limit, whether it comes again.
func overtaken(numbers []int, limit int) []bool {
	last, lost := make([]int, limit), make([]bool, len(numbers))
	for i, number := range numbers {
		last[number] = i
	}
	for i, number := range numbers {
		lost[i] = last[number] != i
	}
	return lost
}

// copySlices copies the slices of the array to the selected, or zeros for those that are lost.
func (s *selection) copySlices(t *parallel.Thread, lost []bool) {
	if s.count() == 0 {
		return
	}
	count, run := len(s.offsets), s.gatherRun()
	if lost != nil {
		copyAll := run
		run = func(array, selected unsafe.Pointer, lo, hi int) {
			for i := lo; i < hi; i++ {
				if lost[i] {
					s.clearSlice(unsafe.Add(selected, s.place(i)))
				} else {
					copyAll(array, selected, i, i+1)
				}
			}
		}
	}
	t.ForCost(s.outer.count*count, 2+light*float64(s.inner.count), func(_ *parallel.Thread, lo, hi int) {
		var outer cursor
		for lo < hi {
			outer.seek(s.outer, lo/count)
			first := lo % count
			end := min(count, first+hi-lo)
			run(unsafe.Add(s.array.Pointer.Host, outer.offsets[0]), unsafe.Add(s.selected.Pointer.Host, outer.offsets[1]), first, end)
			lo += end - first
		}
	})
}

// gatherRun returns what copies the slices that the indices [lo, hi) select.
func (s *selection) gatherRun() func(array, selected unsafe.Pointer, lo, hi int) {
	if s.inner.count > 1 || s.places != nil {
		return s.gatherSlices
	}
	fetch := fetchings[s.array.DType.Size()]
	return func(array, selected unsafe.Pointer, lo, hi int) {
		fetch.points(array, 0, s.offsets[lo:hi], 0, 0, unsafe.Add(selected, lo*s.step), s.step)
	}
}

func (s *selection) gatherSlices(array, selected unsafe.Pointer, lo, hi int) {
	size := s.array.DType.Size()
	if s.inner.operands[0].whole && s.inner.operands[1].whole {
		bytes := s.inner.count * size
		if s.places == nil {
			copySlicesAt(unsafe.Add(selected, lo*s.step), array, s.offsets[lo:hi], s.step, bytes)
			return
		}
		for i := lo; i < hi; i++ {
			copy(slice[byte](unsafe.Add(selected, s.place(i)), bytes), slice[byte](unsafe.Add(array, s.offsets[i]), bytes))
		}
		return
	}
	for i := lo; i < hi; i++ {
		from, to := unsafe.Add(array, s.offsets[i]), unsafe.Add(selected, s.place(i))
		s.rows(0, s.inner.count, func(fromOffset, toOffset, count int) {
			move(unsafe.Add(to, toOffset), s.inner.stride(1), unsafe.Add(from, fromOffset), s.inner.stride(0), count, size)
		})
	}
}

func (s *selection) clearSlice(selected unsafe.Pointer) {
	var zero [2]uint64
	s.rows(0, s.inner.count, func(_, offset, count int) {
		move(unsafe.Add(selected, offset), s.inner.stride(1), unsafe.Pointer(&zero), 0, count, s.array.DType.Size())
	})
}

// rows calls body for the parts of rows that make up the elements [lo, hi) of a slice, with the bytes to them from its start
// in the array and among the selected.
func (s *selection) rows(lo, hi int, body func(arrayOffset, selectedOffset, count int)) {
	var c cursor
	c.seek(s.inner, lo)
	for lo < hi {
		count := min(c.rest, hi-lo)
		body(c.offsets[0], c.offsets[1], count)
		c.advance(count)
		lo += count
	}
}
