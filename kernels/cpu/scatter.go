package cpu

import (
	"math"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// scatter joins the selected slices to those of the array that the indices select. Every element of the array is joined to
// in the row-major order of the indices: threads share the axes before the indexed ones, then the slices of the array or
// their elements, never the indices.
func (s *selection) scatter(t *parallel.Thread, join joiner) {
	if s.count() == 0 {
		return
	}
	ranges, width := s.division(t.NumThreads())
	groups := (s.inner.count + width - 1) / width
	cost := float64(len(s.offsets)) * (1 + 2*light*float64(min(width, s.inner.count))/float64(ranges))
	t.ForCost(s.outer.count*ranges*groups, cost, func(_ *parallel.Thread, lo, hi int) {
		var outer cursor
		for unit := lo; unit < hi; unit++ {
			outer.seek(s.outer, unit/(ranges*groups))
			array, selected := unsafe.Add(s.array.Pointer.Host, outer.offsets[0]), unsafe.Add(s.selected.Pointer.Host, outer.offsets[1])
			part, begin := unit/groups%ranges, unit%groups*width
			first, end := s.lowest+s.extent*part/ranges, s.lowest+s.extent*(part+1)/ranges
			if ranges == 1 {
				first, end = math.MinInt, math.MaxInt
			}
			if s.inner.count == 1 && s.places == nil {
				join.points(array, 0, s.offsets, first, end, selected, s.step)
				continue
			}
			s.scatterSlices(array, selected, join, first, end, begin, min(begin+width, s.inner.count))
		}
	})
}

// division returns into how many ranges the slices of the array are divided, and how many elements of them are joined
// together, to share the work among threads. Each range looks at all indices.
func (s *selection) division(threads int) (ranges, width int) {
	switch {
	case threads == 1 || s.outer.count >= 4*threads:
		return 1, s.inner.count
	case s.slices >= 16*threads && s.inner.count == 1:
		return threads, 1 // Most of the work is to look at the indices.
	case s.slices >= 16*threads:
		return 2 * threads, s.inner.count
	}
	return 1, 64
}

// scatterSlices joins the elements [begin, end) of the slices whose offsets are in [lo, hi).
func (s *selection) scatterSlices(array, selected unsafe.Pointer, join joiner, lo, hi, begin, end int) {
	var start cursor
	start.seek(s.inner, begin)
	oneRow := end-begin <= start.rest
	for i, offset := range s.offsets {
		if offset < lo || offset >= hi {
			continue
		}
		to, from := unsafe.Add(array, offset), unsafe.Add(selected, s.place(i))
		if oneRow {
			join.row(unsafe.Add(to, start.offsets[0]), s.inner.stride(0), unsafe.Add(from, start.offsets[1]), s.inner.stride(1), end-begin)
			continue
		}
		s.rows(begin, end, func(toOffset, fromOffset, count int) {
			join.row(unsafe.Add(to, toOffset), s.inner.stride(0), unsafe.Add(from, fromOffset), s.inner.stride(1), count)
		})
	}
}

// scatterAdd adds Inputs[0] to a zero Outputs[0] where take would have read it.
func scatterAdd(t *parallel.Thread, a *device.Arguments) error {
	s := selectAlong(a, a.Outputs[0], a.Inputs[0], a.Inputs[1], int(a.Integers[0]), a.Integers[1])
	if err := s.resolve(t, nil); err != nil {
		return err
	}
	join := additions[a.Outputs[0].DType]
	if sums := newRowSums(a, s, join); sums != nil {
		sums.run(t)
		return nil
	}
	clearView(t, a.Outputs[0])
	s.scatter(t, join)
	return nil
}

var _ = register("scatter_add", forNumbers(scatterAdd)...)

// forNumbers makes an entry of the same kernel for every element type that is added.
func forNumbers(kernel Kernel) (entries []entry) {
	for _, e := range forAll(kernel) {
		if e.dtypes != dtype.Bool.String() {
			entries = append(entries, e)
		}
	}
	return entries
}

// scatterPoints copies Inputs[0] to Outputs[0], unless that is the same memory, and joins Inputs[2] to it where gatherPoints
// would have read by Inputs[1], by the reduction Integers[1]; Integers[0] axes are batches.
func scatterPoints(t *parallel.Thread, a *device.Arguments) error {
	shape, indices := indicesOfTuples(a.Inputs[1])
	s := selectPoints(a, a.Outputs[0], a.Inputs[2], shape, indices, int(a.Integers[0]))
	return s.joinTo(t, a.Inputs[0], a.Integers[1])
}

var _ = register("scatter_nd", forAll(scatterPoints)...)

// putPoints is scatterPoints with the values in Inputs[1], the indices of each axis in an input of their own behind, the reduction in
// Integers[0], and without batches.
func putPoints(t *parallel.Thread, a *device.Arguments) error {
	indices := a.Inputs[2:]
	s := selectPoints(a, a.Outputs[0], a.Inputs[1], indices[0].Shape, indices, 0)
	return s.joinTo(t, a.Inputs[0], a.Integers[0])
}

var _ = register("put_points", forAll(putPoints)...)

// joinTo copies base to the array, unless that is the same memory, and joins the selected slices to it.
func (s *selection) joinTo(t *parallel.Thread, base device.View, reduction int64) error {
	if err := s.resolve(t, nil); err != nil {
		return err
	}
	copyUnlessSame(t, s.array, base)
	s.scatter(t, joinerOf(s.array.DType, reduction))
	return nil
}

// copyUnlessSame copies src to dst, which are the same view or do not overlap.
func copyUnlessSame(t *parallel.Thread, dst, src device.View) {
	if dst.Pointer != src.Pointer || dst.Count() == 0 {
		copyView(t, dst, src)
	}
}
