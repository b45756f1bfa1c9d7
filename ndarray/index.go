package ndarray

import (
	"math"
	"slices"

	"github.com/weft-nd/weft/ops"
	"github.com/weft-nd/weft/storage"
)

// Range is an index value that selects a part of an axis; see Span.
type Range struct{ start, stop, step int }

// Open, as a bound of a Range, stands for the end of the axis in that direction.
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

// Index returns the part of a that index values select, by NumPy's rules. These are the values:
//
//   - an int takes one element of an axis and removes the axis; a Range (Span, SpanBy) or Whole keeps it; Rest stands for all axes
//     not named, and NewAxis adds one. With these alone the result is a view.
//   - an array of any integer dtype, or an []int, takes the elements of an axis that it names. Several are broadcast, and name
//     elements together. The axes of the indices are in the result where those of the array were, or in front if other values than
//     ints are between them. The result is a copy.
//   - a []bool is a mask: it takes the elements of an axis where it is true. A bool is a mask of no axes. The number of
//     elements that a mask in an array selects is known when its contents are: MaskSelect waits for them.
//   - a string holds any number of values as Python writes them, lists of numbers and of True and False included:
//     a.Index("1:5, ..., ::-2") is a.Index(Span(1, 5), Rest, SpanBy(Open, Open, -2)).
//
// Negative numbers count from the end. It panics with *Error if an int is out of range, there are too many values, or a string
// cannot be read, which the error points at. An index out of range in an array is an error of the result.
func (a *Array) Index(index ...any) *Array {
	if part := a.basicPart(index); part != nil {
		return part
	}
	return a.selection("Index", index).read("Index", a)
}

// view returns the part of a that the picks choose from.
func (s *selection) view(a *Array) *Array {
	part := call(ops.Slice, ops.SliceParams{Spans: s.spans}, a)
	if slices.Equal(part.tensor().Shape(), s.shape) {
		return part
	}
	return part.Reshape(s.shape...)
}

// read returns what s selects of a.
func (s *selection) read(operator string, a *Array) *Array {
	defer named(operator, a)
	part := s.view(a)
	switch {
	case len(s.picks) == 0:
		return part
	case s.masked():
		s.failMasked(operator, a)
	case len(s.picks) == 1:
		by := s.picks[0]
		taken := call(ops.Take.CalledBy(operator), ops.TakeParams{Axis: by.axis, Mode: "raise"}, part, by.array)
		return taken.moveAxes(by.axis, by.array.Rank(), s.place)
	}
	operands := append([]*Array{s.front(part)}, s.indices(operator, a)...)
	picked := call(ops.TakePoints.CalledBy(operator), ops.TakePointsParams{}, operands...)
	return picked.moveAxes(0, picked.Rank()-len(s.shape)+len(s.picks), s.place)
}

// front returns part with the axes that are picked from in front.
func (s *selection) front(part *Array) *Array {
	if order := s.order(); !slices.IsSorted(order) {
		return part.Transpose(order...)
	}
	return part
}

// back undoes front.
func (s *selection) back(part *Array) *Array {
	order := s.order()
	if slices.IsSorted(order) {
		return part
	}
	inverse := make([]int, len(order))
	for i, axis := range order {
		inverse[axis] = i
	}
	return part.Transpose(inverse...)
}

// order returns the axes of the view, those that are picked from first.
func (s *selection) order() (axes []int) {
	for _, p := range s.picks {
		axes = append(axes, p.axis)
	}
	for axis := range s.shape {
		if !slices.Contains(axes, axis) {
			axes = append(axes, axis)
		}
	}
	return axes
}

// indices returns the arrays of indices, which must broadcast.
func (s *selection) indices(operator string, a *Array) (indices []*Array) {
	s.joint(operator, a)
	for _, p := range s.picks {
		indices = append(indices, p.array)
	}
	return indices
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
