package ndarray

import (
	"fmt"
	"math"
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/ops"
	"github.com/weft-nd/weft/storage"
)

// Range is an index value that selects a part of an axis; see Span.
type Range struct{ start, stop, step int }

// Open as a bound of a Range is the end of the axis in that direction.
const Open = math.MinInt

// Span selects the indices from start up to but not including stop. Negative bounds count from the end; bounds outside the
// axis are moved to its ends, as in NumPy.
func Span(start, stop int) Range { return Range{start, stop, 1} }

// SpanBy selects start, start+step, … before stop. A negative step runs backwards: SpanBy(Open, Open, -1) reverses an axis.
func SpanBy(start, stop, step int) Range { return Range{start, stop, step} }

// Mark is an index value that stands for whole axes or for none.
type Mark uint8

// The marks.
const (
	Whole   Mark = iota // all of one axis
	Rest                // all of as many axes as the other index values leave; at the end it may be left out
	NewAxis             // a new axis of one element
)

// Index returns a view of a part of a. There is one index value for each axis: an int takes one element and removes the
// axis, a Range (Span, SpanBy) or Whole keeps it; Rest stands for all axes not named, and NewAxis adds one. Negative
// numbers count from the end. It panics with *Error if an int is out of range or there are too many values.
func (a *Array) Index(index ...any) *Array {
	checkNotNil("Index", a)
	defer named("Index", a)
	s := a.selection("Index", index)
	part := call(ops.Slice, ops.SliceParams{Spans: s.spans}, a)
	if slices.Equal(part.tensor().Shape(), s.shape) {
		return part
	}
	return part.Reshape(s.shape...)
}

// SetSlice writes value to the part of a that index selects, as Index does. Value broadcasts to it, and must have the dtype
// of a unless it is made by Weak.
func (a *Array) SetSlice(value *Array, index ...any) {
	checkNotNil("SetSlice", a, value)
	defer named("SetSlice", a, value)
	part := a.Index(index...)
	CopyInto(part, a.fitting("SetSlice", value, part.tensor().Shape()))
}

// WithSlice returns a copy of a with value in the part that index selects; see SetSlice. Tapes see through it.
func (a *Array) WithSlice(value *Array, index ...any) *Array {
	checkNotNil("WithSlice", a, value)
	defer named("WithSlice", a, value)
	s := a.selection("WithSlice", index)
	value = a.fitting("WithSlice", value, s.shape)
	if a.Detach() == a && value.Detach() == value {
		changed := a.Copy()
		CopyInto(changed.Index(index...), value)
		return changed
	}
	counts := make([]int, len(s.spans))
	for axis, span := range s.spans {
		counts[axis] = span.Count
	}
	place := ops.EmbedParams{Shape: a.Shape(), Spans: s.spans}
	mask := call(ops.Embed, place, full("WithSlice", ops.Scalar(a.Env(), 1, dtype.Bool), counts))
	return Where(mask, call(ops.Embed, place, value.Reshape(counts...)), a)
}

// fitting returns value broadcast to shape and, if it is weak, in the dtype and on the device of a.
func (a *Array) fitting(operator string, value *Array, shape []int) *Array {
	switch d := a.DType(); {
	case value.tensor().IsScalar():
		if problem := value.tensor().Unfit(d); problem != "" {
			fail(operator, fault.ErrParameter, problem, a, value)
		}
		value = value.In(a.Env())
		if value.DType() != d {
			value = value.Cast(d)
		}
	case value.DType() != d:
		fail(operator, fault.ErrDType, fmt.Sprintf("a value of %v does not go into an array of %v", value.DType(), d), a, value)
	}
	return value.BroadcastTo(shape...)
}

// selection is what index values select: a span of each axis, and the shape without the removed and with the new axes.
type selection struct {
	spans []storage.Span
	shape []int
}

func (a *Array) selection(operator string, index []any) selection {
	shape := a.tensor().Shape()
	index = a.spread(operator, index)
	s := selection{spans: make([]storage.Span, 0, len(shape)), shape: []int{}}
	for position, value := range index {
		if value == NewAxis {
			s.shape = append(s.shape, 1)
			continue
		}
		axis := len(s.spans)
		n := shape[axis]
		switch v := value.(type) {
		case int:
			if v < -n || v >= n {
				fail(operator, fault.ErrIndex, fmt.Sprintf("index %d is out of range for axis %d with %d elements", v, axis, n), a)
			}
			if v < 0 {
				v += n
			}
			s.spans = append(s.spans, storage.Span{Start: v, Count: 1, Step: 1})
		case Range:
			if v.step == 0 {
				fail(operator, fault.ErrIndex, fmt.Sprintf("the step along axis %d is zero", axis), a)
			}
			s.spans = append(s.spans, v.within(n))
			s.shape = append(s.shape, s.spans[axis].Count)
		case Mark:
			if v != Whole {
				fail(operator, fault.ErrMisuse, fmt.Sprintf("index value %d is no mark", position), a)
			}
			s.spans = append(s.spans, storage.Span{Count: n, Step: 1})
			s.shape = append(s.shape, n)
		default:
			fail(operator, fault.ErrMisuse, fmt.Sprintf("index value %d is a %T, want int, Range or Mark (for an array of indices see Take)", position, value), a)
		}
	}
	return s
}

// spread returns index with Rest replaced by as many Wholes as there are axes that it does not name.
func (a *Array) spread(operator string, index []any) []any {
	rank, named, rest := a.Rank(), 0, -1
	for i, value := range index {
		switch value {
		case Rest:
			if rest >= 0 {
				fail(operator, fault.ErrMisuse, "Rest is given twice", a)
			}
			rest = i
		case NewAxis:
		default:
			named++
		}
	}
	if named > rank {
		fail(operator, fault.ErrIndex, fmt.Sprintf("%d index values for %d axes", named, rank), a)
	}
	wholes := slices.Repeat([]any{Whole}, rank-named)
	if rest < 0 {
		return slices.Concat(index, wholes)
	}
	return slices.Concat(index[:rest], wholes, index[rest+1:])
}

// within returns the indices of r on an axis of n elements.
func (r Range) within(n int) storage.Span {
	// The first and the last place to be: one before the axis, and one behind it, are the ends of empty ranges.
	first, last := 0, n
	if r.step < 0 {
		first, last = n-1, -1
	}
	place := func(bound, open int) int {
		switch {
		case bound == Open:
			return open
		case bound < 0:
			bound += n
		}
		return min(max(bound, min(first, last)), max(first, last))
	}
	start, stop := place(r.start, first), place(r.stop, last)
	count := 0
	switch {
	case r.step > 0 && start < stop:
		count = (stop-start-1)/r.step + 1
	case r.step < 0 && start > stop:
		count = (start-stop-1)/-r.step + 1
	}
	return storage.Span{Start: start, Count: count, Step: r.step}
}
