package cpu

import (
	"math"
	"slices"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// AlongScratch returns the bytes of temporary memory that a kernel that selects along an axis takes for count indices.
func AlongScratch(count int) int { return demand(count * int(unsafe.Sizeof(count))) }

// lines relate an array to the elements of it that indices select along one axis. Array, selected and indices have the same
// axes, but the array has a length of its own along that one. A line is what lies along it.
type lines struct {
	others  *nest // over the other axes; operand 0 is the array, 1 the selected, 2 the offsets
	offsets []int // bytes along the axis of the array
	count   int   // indices in a line
	length  int   // elements of the array in a line
	step    int   // bytes from one selected element of a line to the next
	next    int   // from one offset of a line to the next
}

// How many lines are taken together where lines are nearer to one another than the elements of a line: the more there are, the
// less often a thread waits for another part of the memory; but of many lines so few that threads end together.
const (
	leastLines = 64
	mostLines  = 1024
)

// selectLines makes the relation by Integers of a, the axis and the mode. Indices may repeat along other axes. Where it is
// asked for, lost reports for each offset whether a later one of the same line is the same.
func selectLines(t *parallel.Thread, a *device.Arguments, array, selected, indices device.View, wantsLost bool) (l *lines, lost []bool, err error) {
	axis := int(a.Integers[0])
	once := indices
	once.Shape, once.Strides = append([]int{}, indices.Shape...), append([]int{}, indices.Strides...)
	for other, stride := range once.Strides {
		if stride == 0 && once.Shape[other] > 1 && other != axis {
			once.Shape[other] = 1
		}
	}
	l = &lines{
		offsets: temporary[int](a, once.Count()), count: selected.Shape[axis], length: array.Shape[axis],
		step: selected.Strides[axis] * selected.DType.Size(),
	}
	x := newTuples(array, axis, a.Integers[1], len(l.offsets), once)
	if wantsLost {
		x = x.numbers()
	}
	if wrong := x.offsets(t, l.offsets); wrong != nil {
		return nil, nil, wrong
	}
	places := device.View{DType: dtype.Int64, Shape: indices.Shape, Strides: make([]int, len(indices.Shape))}
	places.Pointer.Host = unsafe.Pointer(unsafe.SliceData(l.offsets))
	step := 1
	for other := len(once.Shape) - 1; other >= 0; other-- {
		if once.Shape[other] > 1 {
			places.Strides[other] = step
		}
		step *= once.Shape[other]
	}
	l.next = places.Strides[axis]
	if wantsLost {
		lost = l.overtaken()
		for i := range l.offsets {
			l.offsets[i] *= array.Strides[axis] * array.DType.Size()
		}
	}
	l.others = newNest(without(array, axis), without(selected, axis), without(places, axis))
	return l, lost, nil
}

// without returns view without an axis.
func without(view device.View, axis int) device.View {
	view.Shape = append(append([]int{}, view.Shape[:axis]...), view.Shape[axis+1:]...)
	view.Strides = append(append([]int{}, view.Strides[:axis]...), view.Strides[axis+1:]...)
	return view
}

// overtaken reports for each index whether a later one of the same line is the same.
func (l *lines) overtaken() []bool {
	last, lost := make([]int, l.length), make([]bool, len(l.offsets))
	if l.count == 0 {
		return lost
	}
	next := max(l.next, 1)
	for first := range l.offsets {
		if first/next%l.count != 0 {
			continue // not the beginning of a line
		}
		for i := range l.count {
			last[l.offsets[first+i*next]] = i
		}
		for i := range l.count {
			lost[first+i*next] = last[l.offsets[first+i*next]] != i
		}
	}
	return lost
}

// each lets join work on all lines. With split, a line may be shared among threads.
func (l *lines) each(t *parallel.Thread, join joiner, split bool) {
	total := l.others.count * l.count
	if total == 0 {
		return
	}
	inner := l.others.inner()
	width := 1
	if near := magnitude(l.others.stride(1)); inner > 1 && near < magnitude(l.step) {
		width = min(max(leastLines, min(inner/t.NumThreads(), mostLines)), inner)
	}
	groups, pieces := (inner+width-1)/width, 1
	units := l.others.count / inner * groups
	if split {
		pieces = min(max(1, 4*t.NumThreads()/units), l.count)
	}
	t.ForCost(units*pieces, float64(total)/float64(units*pieces), func(_ *parallel.Thread, lo, hi int) {
		var c cursor
		for unit := lo; unit < hi; unit++ {
			line := unit / pieces % groups * width
			c.seek(l.others, unit/pieces/groups*inner+line)
			piece := unit % pieces
			l.block(&c, join, min(width, inner-line), piece*l.count/pieces, (piece+1)*l.count/pieces)
		}
	})
}

// first returns the number of the first offset of the line at c.
func (l *lines) first(c *cursor) int {
	return int(uintptr(c.pointer(2))-uintptr(unsafe.Pointer(unsafe.SliceData(l.offsets)))) / dtype.Int64.Size()
}

// block lets join work on the elements [lo, hi) of neighbouring lines.
func (l *lines) block(c *cursor, join joiner, width, lo, hi int) {
	array, selected := c.pointer(0), c.pointer(1)
	first := l.first(c)
	if width == 1 {
		l.run(join, array, 0, unsafe.Add(selected, lo*l.step), l.step, first+lo*l.next, l.next, hi-lo)
		return
	}
	next := l.others.stride(2) / dtype.Int64.Size()
	for i := lo; i < hi; i++ {
		l.run(join, array, l.others.stride(0), unsafe.Add(selected, i*l.step), l.others.stride(1), first+i*l.next, next, width)
	}
}

// run lets join work on count elements, whose offsets are next apart from the first on.
func (l *lines) run(join joiner, array unsafe.Pointer, arrayStride int, selected unsafe.Pointer, stride, first, next, count int) {
	switch next {
	case 1:
		join.points(array, arrayStride, l.offsets[first:first+count], math.MinInt, math.MaxInt, selected, stride)
	case 0:
		join.row(unsafe.Add(array, l.offsets[first]), arrayStride, selected, stride, count)
	default:
		for i := range count {
			at := first + i*next
			join.points(unsafe.Add(array, i*arrayStride), 0, l.offsets[at:at+1], math.MinInt, math.MaxInt, unsafe.Add(selected, i*stride), 0)
		}
	}
}

// clear sets the selected elements to zero that are lost.
func (l *lines) clear(t *parallel.Thread, lost []bool) {
	if l.others.count == 0 || len(lost) == 0 {
		return
	}
	size := l.others.operands[1].size
	t.ForCost(l.others.count, float64(l.count), func(_ *parallel.Thread, lo, hi int) {
		var zero [2]uint64
		var c cursor
		for line := lo; line < hi; line++ {
			c.seek(l.others, line)
			first := l.first(&c)
			for i := range l.count {
				if lost[first+i*l.next] {
					move(unsafe.Add(c.pointer(1), i*l.step), size, unsafe.Pointer(&zero), size, 1, size)
				}
			}
		}
	})
}

// takeAlong selects the elements of Inputs[0] along the axis Integers[0] that Inputs[1] names; Integers[1] is the mode.
// Unless Integers[2] is zero, those elements are zero that a later index of the same line names, too.
func takeAlong(t *parallel.Thread, a *device.Arguments) error {
	array, selected, indices := a.Inputs[0], a.Outputs[0], a.Inputs[1]
	if _, inOrder := rowMajorCount(selected); inOrder && a.Integers[2] == 0 && !slices.Contains(indices.Strides, 0) {
		return takeInOrder(t, a, array, selected, indices)
	}
	l, lost, err := selectLines(t, a, array, selected, indices, a.Integers[2] != 0)
	if err != nil {
		return err
	}
	l.each(t, fetchings[array.DType.Size()], true)
	l.clear(t, lost)
	return nil
}

// takeInOrder is takeAlong for a result in row-major order: what indices are found to say is in the nearest cache when it is used.
func takeInOrder(t *parallel.Thread, a *device.Arguments, array, selected, indices device.View) error {
	axis, size, count := int(a.Integers[0]), array.DType.Size(), indices.Count()
	lines := array // where each begins, for each of its elements
	lines.Shape, lines.Strides = indices.Shape, slices.Clone(array.Strides)
	lines.Strides[axis] = 0
	n, fetch := newOrderedNest(lines), fetchings[size]
	x := newTuples(array, axis, a.Integers[1], count, indices)
	var atOnce func(lo, hi int) bool
	if plain := plainFetchBy(indices, size); plain != nil {
		atOnce = func(lo, hi int) bool {
			var c cursor
			c.seek(n, lo)
			for lo < hi {
				part, from := min(c.rest, hi-lo), indices.Pointer.Add(lo*indices.DType.Size())
				if plain(unsafe.Add(selected.Pointer.Host, lo*size), c.pointer(0), n.stride(0), from.Host, part, x.axes[0].length, x.axes[0].scale) < part {
					return false
				}
				c.advance(part)
				lo += part
			}
			return true
		}
	}
	wrong := x.visit(t, temporary[int](a, count), light, atOnce, func(offsets []int, lo int) {
		var c cursor
		c.seek(n, lo)
		for len(offsets) > 0 {
			part := min(c.rest, len(offsets))
			fetch.points(c.pointer(0), n.stride(0), offsets[:part], math.MinInt, math.MaxInt, unsafe.Add(selected.Pointer.Host, lo*size), size)
			c.advance(part)
			offsets, lo = offsets[part:], lo+part
		}
	})
	if wrong != nil {
		return wrong
	}
	return nil
}

var _ = register("take_along_axis", forAll(takeAlong)...)

// putAlong copies Inputs[0] to Outputs[0], unless that is the same memory, and joins Inputs[2] to it where takeAlong would
// have read by Inputs[1], by the reduction Integers[2]. Every element is joined to in the order of the indices.
func putAlong(t *parallel.Thread, a *device.Arguments) error {
	output, values := a.Outputs[0], a.Inputs[2]
	l, _, err := selectLines(t, a, output, values, a.Inputs[1], false)
	if err != nil {
		return err
	}
	copyUnlessSame(t, output, a.Inputs[0])
	l.each(t, joinerOf(output.DType, a.Integers[2]), false)
	return nil
}

var _ = register("put_along_axis", forAll(putAlong)...)
