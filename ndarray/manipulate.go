package ndarray

import (
	"fmt"
	"math"
	"slices"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/ops"
	"github.com/weft-nd/weft/storage"
)

// MoveAxis returns a view with an axis moved to another place; the others keep their order.
func (a *Array) MoveAxis(from, to int) *Array {
	checkNotNil("MoveAxis", a)
	defer named("MoveAxis", a)
	return a.moveAxes(a.axis("MoveAxis", from, a.Rank()), 1, a.axis("MoveAxis", to, a.Rank()))
}

// MoveAxes returns a view with axis from[i] moved to place to[i], for each i; the others keep their order.
func (a *Array) MoveAxes(from, to []int) *Array {
	checkNotNil("MoveAxes", a)
	rank := a.Rank()
	if len(from) != len(to) {
		fail("MoveAxes", fault.ErrAxis, fmt.Sprintf("%d axes to %d places", len(from), len(to)), a)
	}
	order, free := slices.Repeat([]int{-1}, rank), make([]bool, rank)
	for i, axis := range from {
		axis, place := a.axis("MoveAxes", axis, rank), a.axis("MoveAxes", to[i], rank)
		if free[axis] || order[place] >= 0 {
			fail("MoveAxes", fault.ErrAxis, fmt.Sprintf("an axis or a place is named twice in %v to %v", from, to), a)
		}
		free[axis], order[place] = true, axis
	}
	next := 0
	for place, axis := range order {
		if axis >= 0 {
			continue
		}
		for free[next] {
			next++
		}
		order[place] = next
		next++
	}
	if rank == 0 {
		return a.Transpose()
	}
	return a.Transpose(order...)
}

// moveAxes moves count axes.
func (a *Array) moveAxes(from, count, to int) *Array {
	if from == to || count == 0 {
		return a
	}
	order := make([]int, a.Rank())
	for i := range order {
		order[i] = i
	}
	moved := slices.Clone(order[from : from+count])
	return a.Transpose(slices.Insert(slices.Delete(order, from, from+count), to, moved...)...)
}

// Stack returns the arrays, all of one shape, along a new axis of the result. Operands of different dtypes are promoted.
func Stack(axis int, arrays ...*Array) *Array {
	checkNotNil("Stack", arrays...)
	defer named("Stack", arrays...)
	expanded := make([]*Array, len(arrays))
	for i, a := range arrays {
		if !slices.Equal(a.tensor().Shape(), arrays[0].tensor().Shape()) {
			fail("Stack", fault.ErrShape, fmt.Sprintf("array %d has another shape than the first", i), arrays...)
		}
		expanded[i] = a.ExpandDims(axis)
	}
	return Concat(axis, expanded...)
}

// Unstack returns views of the parts of a along axis, without that axis.
func (a *Array) Unstack(axis int) []*Array {
	checkNotNil("Unstack", a)
	defer named("Unstack", a)
	axis = a.axis("Unstack", axis, a.Rank())
	parts := make([]*Array, a.parts("Unstack", a.Shape()[axis]))
	for i := range parts {
		parts[i] = a.along(axis, i)
	}
	return parts
}

// Split returns views of a cut along axis into parts of equal length. It panics with *Error if that is impossible.
func (a *Array) Split(parts, axis int) []*Array {
	checkNotNil("Split", a)
	defer named("Split", a)
	axis = a.axis("Split", axis, a.Rank())
	n := a.Shape()[axis]
	if parts < 1 || n%parts != 0 {
		fail("Split", fault.ErrShape, fmt.Sprintf("axis %d, of %d elements, has no %d equal parts", axis, n, parts), a)
	}
	sizes := make([]int, a.parts("Split", parts))
	for i := range sizes {
		sizes[i] = n / parts
	}
	return a.SplitSizes(axis, sizes...)
}

// SplitSizes returns views of a cut along axis into parts of the given lengths, which add up to that of the axis.
func (a *Array) SplitSizes(axis int, sizes ...int) []*Array {
	checkNotNil("SplitSizes", a)
	defer named("SplitSizes", a)
	axis = a.axis("SplitSizes", axis, a.Rank())
	n, start, parts := a.Shape()[axis], 0, make([]*Array, len(sizes))
	for i, size := range sizes {
		if size < 0 || size > n-start {
			fail("SplitSizes", fault.ErrShape, fmt.Sprintf("axis %d, of %d elements, has no parts of %v", axis, n, sizes), a)
		}
		parts[i] = a.along(axis, Span(start, start+size))
		start += size
	}
	if start != n {
		fail("SplitSizes", fault.ErrShape, fmt.Sprintf("axis %d has %d elements, the parts %v", axis, n, sizes), a)
	}
	return parts
}

// parts returns count, as many arrays as are to be made. It fails if memory does not hold their handles, of some 500 bytes: the
// runtime of Go would end the process.
func (a *Array) parts(method string, count int) int {
	if count > mostIndices()/64 {
		fail(method, fault.ErrOutOfMemory, fmt.Sprintf("memory does not hold %d arrays", count), a)
	}
	return count
}

// along indexes one axis.
func (a *Array) along(axis int, index any) *Array {
	values := slices.Repeat([]any{Whole}, axis)
	return a.Index(append(values, index)...)
}

// Flip returns a view with the order of the elements along the given axes reversed, of all if there are none. It panics with
// *Error if an axis is out of range or named twice.
func (a *Array) Flip(axes ...int) *Array {
	checkNotNil("Flip", a)
	defer named("Flip", a)
	index := make([]any, a.Rank())
	for axis := range index {
		index[axis] = Whole
		if len(axes) == 0 {
			index[axis] = SpanBy(Open, Open, -1)
		}
	}
	for _, axis := range a.differentAxes("Flip", axes) {
		index[axis] = SpanBy(Open, Open, -1)
	}
	return a.Index(index...)
}

// Roll returns a copy of a whose elements are shifted by shift places along each of the given axes; those that leave at one end
// come in at the other. Without axes all elements are shifted in row-major order.
func (a *Array) Roll(shift int, axes ...int) *Array {
	checkNotNil("Roll", a)
	defer named("Roll", a)
	if len(axes) == 0 {
		return a.Reshape(-1).Roll(shift, 0).Reshape(a.Shape()...)
	}
	return call(ops.Roll, ops.RollParams{Shifts: slices.Repeat([]int{shift}, len(axes)), Axes: slices.Clone(axes)}, a)
}

// RollEach is Roll by a number of places for each of the given axes, which are different.
func (a *Array) RollEach(shifts, axes []int) *Array {
	return call(ops.Roll, ops.RollParams{Shifts: slices.Clone(shifts), Axes: slices.Clone(axes)}, a)
}

// Repeat returns a with each element along axis repeated count times, one copy after the other.
func (a *Array) Repeat(count, axis int) *Array {
	checkNotNil("Repeat", a)
	defer named("Repeat", a)
	if count < 0 {
		fail("Repeat", fault.ErrParameter, fmt.Sprintf("%d repeats", count), a)
	}
	axis = a.axis("Repeat", axis, a.Rank())
	shape := a.Shape()
	repeated := slices.Insert(slices.Clone(shape), axis+1, count)
	shape[axis] *= count
	return a.ExpandDims(axis + 1).BroadcastTo(repeated...).Reshape(shape...)
}

// RepeatEach is Repeat with a number of times for each element along axis.
func (a *Array) RepeatEach(counts []int, axis int) *Array {
	checkNotNil("RepeatEach", a)
	defer named("RepeatEach", a)
	axis = a.axis("RepeatEach", axis, a.Rank())
	if n := a.Shape()[axis]; n != len(counts) {
		fail("RepeatEach", fault.ErrShape, fmt.Sprintf("%d counts for axis %d, which has %d elements", len(counts), axis, n), a)
	}
	for _, count := range counts {
		if count < 0 {
			fail("RepeatEach", fault.ErrParameter, fmt.Sprintf("%d repeats", count), a)
		}
	}
	indices := a.newIndices("RepeatEach", counts...)[:0]
	for i, count := range counts {
		for range count {
			indices = append(indices, int64(i))
		}
	}
	return a.Take(FromSliceIn(a.Env(), indices, len(indices)), axis)
}

// mostIndices returns how many indices memory can hold at all.
func mostIndices() int {
	if m, err := storage.ManagerOf(device.CPU(0)); err == nil && m.Limit() > 0 {
		return int(min(m.Limit(), math.MaxInt) / 8)
	}
	return math.MaxInt / 8
}

// newIndices returns as many indices as the sum of parts. It fails if there are more than an int counts, or than there is
// memory for.
func (a *Array) newIndices(operator string, parts ...int) []int64 {
	total, limit := 0, mostIndices()
	for _, part := range parts {
		if part > limit-total {
			fail(operator, fault.ErrOutOfMemory, fmt.Sprintf("an axis of %d + %d elements or more", total, part), a)
		}
		total += part
	}
	return make([]int64, total)
}

// Tile returns a repeated as a whole along each axis: repeats[i] times along axis i. If there are fewer repeats than axes they
// are for the last axes; if there are more, a gets new axes in front.
func (a *Array) Tile(repeats ...int) *Array {
	checkNotNil("Tile", a)
	defer named("Tile", a)
	shape := a.Shape()
	missing := len(repeats) - len(shape)
	shape = append(slices.Repeat([]int{1}, max(missing, 0)), shape...)
	repeats = append(slices.Repeat([]int{1}, max(-missing, 0)), repeats...)
	single, repeated, tiled := []int{}, []int{}, []int{}
	for axis, n := range shape {
		if repeats[axis] < 0 {
			fail("Tile", fault.ErrParameter, fmt.Sprintf("%d repeats", repeats[axis]), a)
		}
		single, repeated, tiled = append(single, 1, n), append(repeated, repeats[axis], n), append(tiled, repeats[axis]*n)
	}
	return a.Reshape(single...).BroadcastTo(repeated...).Reshape(tiled...)
}

// Pad returns a with before[i] elements in front of axis i and after[i] behind it, all of the given value. It panics with
// *Error unless there are numbers for each axis, or if the dtype of a cannot hold the value.
func (a *Array) Pad(value float64, before, after []int) *Array {
	return call(ops.Pad, ops.PadParams{Before: slices.Clone(before), After: slices.Clone(after), Value: value}, a)
}

// PadMode says how an array is continued beyond its ends.
type PadMode uint8

// The modes, with what stands around the elements a b c.
const (
	PadEdge      PadMode = iota // a a [a b c] c c
	PadReflect                  // c b [a b c] b a
	PadSymmetric                // b a [a b c] c b
	PadWrap                     // b c [a b c] a b
)

// padModes are their names among the parameters of pad_with.
var padModes = [...]string{PadEdge: "edge", PadReflect: "reflect", PadSymmetric: "symmetric", PadWrap: "wrap"}

// PadWith returns a continued by before[i] elements in front of axis i and after[i] behind it. It panics with *Error unless
// there are numbers for each axis, or if an axis to be continued has no elements.
func (a *Array) PadWith(mode PadMode, before, after []int) *Array {
	checkNotNil("PadWith", a)
	defer named("PadWith", a)
	if mode > PadWrap {
		fail("PadWith", fault.ErrParameter, fmt.Sprintf("there is no mode %d (legal: PadEdge, PadReflect, PadSymmetric, PadWrap)", mode), a)
	}
	if len(before) != a.Rank() || len(after) != a.Rank() {
		fail("PadWith", fault.ErrParameter, fmt.Sprintf("paddings of %d and %d axes given for %d", len(before), len(after), a.Rank()), a)
	}
	padded, p := a, ops.PadWithParams{Before: slices.Clone(before), After: slices.Clone(after), Mode: padModes[mode]}
	for axis, n := range a.Shape() {
		if before[axis] < 0 || after[axis] < 0 || n == 0 && before[axis]+after[axis] > 0 {
			fail("PadWith", fault.ErrParameter, fmt.Sprintf("axis %d, of %d elements, is not continued by %d and %d", axis, n, before[axis], after[axis]), a)
		}
		if max(before[axis], after[axis]) <= ops.Reach(p.Mode, n) {
			continue
		}
		p.Before[axis], p.After[axis] = 0, 0
		indices := a.newIndices("PadWith", before[axis], n, after[axis])
		for i := range indices {
			indices[i] = int64(mode.source(i-before[axis], n))
		}
		padded = padded.Take(FromSliceIn(a.Env(), indices, len(indices)), axis)
	}
	return call(ops.PadWith, p, padded)
}

// source returns which of n elements stands at place i.
func (m PadMode) source(i, n int) int {
	modulo := func(period int) int { return (i%period + period) % period }
	switch m {
	case PadEdge:
		return min(max(i, 0), n-1)
	case PadReflect:
		if n == 1 {
			return 0
		}
		place := modulo(2*n - 2)
		return min(place, 2*n-2-place)
	case PadSymmetric:
		place := modulo(2 * n)
		return min(place, 2*n-1-place)
	}
	return modulo(n)
}
