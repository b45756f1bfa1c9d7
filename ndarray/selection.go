package ndarray

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/storage"
)

// selection is what index values select: a view, and then what arrays pick from its axes.
type selection struct {
	spans []storage.Span // one for each axis of the array
	shape []int          // of the view: without the axes that an int removes, with the new ones
	picks []pick         // by axis
	place int            // which axis of the result is the first of those of the picks
}

// pick is an array of indices of an axis of the view, or a mask of as many axes as it has.
type pick struct {
	array *Array
	axis  int
	from  indexValue
}

// selection returns what index selects of a.
func (a *Array) selection(operator string, index []any) *selection {
	checkNotNil(operator, a)
	b := &selectionBuilder{operator: operator, array: a, first: -1}
	b.spans = make([]storage.Span, 0, a.Rank())
	b.shape = make([]int, 0, a.Rank()+len(index))
	values := b.readAll(index)
	for position, v := range values {
		b.position = position
		b.add(v)
	}
	for len(b.spans) < a.Rank() {
		b.whole()
	}
	if b.advanced > 0 && b.last-b.first+1 != b.advanced {
		b.place = 0
	}
	return &b.selection
}

// selectionBuilder makes a selection, value by value.
type selectionBuilder struct {
	selection
	operator              string
	array                 *Array
	rest                  int // axes that Rest stands for
	position              int // of the value that is added
	first, last, advanced int // positions of the first and last int, array or mask, and their number
}

// stranger is the name of the type of a value that is no index value.
type stranger string

// readAll returns the values in index, those in strings among them, and finds how many axes Rest stands for. It keeps nothing of index
// itself, arrays are copied as handles: so callers need no memory of the heap for it.
func (b *selectionBuilder) readAll(index []any) []indexValue {
	values := make([]indexValue, 0, len(index))
	for position, value := range index {
		switch v := value.(type) {
		case string:
			values = append(values, readIndex(b.operator, b.array, v)...)
		case []int:
			values = append(values, indexValue{value: list{shape: []int{len(v)}, numbers: v}, column: position})
		case []bool:
			values = append(values, indexValue{value: maskList(v), column: position})
		case int:
			values = append(values, indexValue{value: v, column: position})
		case Range:
			values = append(values, indexValue{value: v, column: position})
		case Mark:
			values = append(values, indexValue{value: v, column: position})
		case bool:
			values = append(values, indexValue{value: v, column: position})
		case *Array:
			checkNotNil(b.operator, v)
			handle := *v
			values = append(values, indexValue{value: &handle, column: position})
		default:
			values = append(values, indexValue{value: stranger(fmt.Sprint(reflect.TypeOf(value))), column: position})
		}
	}
	named, rests := 0, 0
	for _, v := range values {
		if v.value == Rest {
			if rests++; rests > 1 {
				b.fail(v, fault.ErrMisuse, "Rest (...) is given twice")
			}
		}
		if named += b.axesOf(v); named > b.array.Rank() {
			b.fail(v, fault.ErrIndex, fmt.Sprintf("index values for %d axes or more, of %d", named, b.array.Rank()))
		}
	}
	b.rest = b.array.Rank() - named
	return values
}

func maskList(mask []bool) list {
	l := list{shape: []int{len(mask)}, numbers: make([]int, len(mask)), mask: true}
	for i, set := range mask {
		if set {
			l.numbers[i] = 1
		}
	}
	return l
}

// axesOf returns how many axes v is an index of. It fails unless v is an index value.
func (b *selectionBuilder) axesOf(v indexValue) int {
	switch value := v.value.(type) {
	case int, Range:
		return 1
	case bool:
		return 0
	case Mark:
		switch value {
		case Whole:
			return 1
		case Rest, NewAxis:
			return 0
		}
		b.fail(v, fault.ErrMisuse, fmt.Sprintf("index value %d is no mark", v.column))
	case list:
		if value.mask {
			return len(value.shape)
		}
		return 1
	case *Array:
		switch {
		case value.DType() == dtype.Bool:
			return value.Rank()
		case value.DType().IsInteger():
			return 1
		}
		b.fail(v, fault.ErrDType, fmt.Sprintf("index value %d holds %v, want integers or bools", v.column, value.DType()))
	}
	b.fail(v, fault.ErrMisuse, fmt.Sprintf("index value %d is a %v, want an int, Range, Mark, bool, []int, []bool, string or array", v.column, v.value))
	return 0
}

// fail panics with a mistake in v.
func (b *selectionBuilder) fail(v indexValue, reason error, detail string) {
	if v.text != "" {
		failAt(b.operator, reason, detail, v.text, v.column, b.array)
	}
	fail(b.operator, reason, detail, b.array)
}

func (b *selectionBuilder) add(v indexValue) {
	switch value := v.value.(type) {
	case int:
		b.advance()
		b.spans = append(b.spans, storage.Span{Start: b.checked(v, value, len(b.spans)), Count: 1, Step: 1})
	case Range:
		if value.step == 0 {
			b.fail(v, fault.ErrIndex, fmt.Sprintf("the step along axis %d is zero", len(b.spans)))
		}
		span := value.within(b.length())
		b.spans, b.shape = append(b.spans, span), append(b.shape, span.Count)
	case Mark:
		switch value {
		case NewAxis:
			b.shape = append(b.shape, 1)
		case Whole:
			b.whole()
		case Rest:
			for range b.rest {
				b.whole()
			}
		}
	case bool:
		b.advance()
		b.addPick(v, make([]int, b.count(value)), nil)
		b.shape = append(b.shape, 1)
	case list:
		b.advance()
		b.addList(v, value)
	case *Array:
		b.advance()
		b.addArray(v, value)
	}
}

// advance counts a value that is an int, array or mask.
func (b *selectionBuilder) advance() {
	if b.first < 0 {
		b.first, b.place = b.position, len(b.shape)
	}
	b.last = b.position
	b.advanced++
}

func (b *selectionBuilder) count(mask bool) int {
	if mask {
		return 1
	}
	return 0
}

// length returns that of the axis that the next value is for.
func (b *selectionBuilder) length() int { return b.array.tensor().Shape()[len(b.spans)] }

// whole keeps an axis as it is.
func (b *selectionBuilder) whole() {
	n := b.length()
	b.spans, b.shape = append(b.spans, storage.Span{Count: n, Step: 1}), append(b.shape, n)
}

// checked returns index, of an axis of the array, counted from the front.
func (b *selectionBuilder) checked(v indexValue, index, axis int) int {
	n := b.array.tensor().Shape()[axis]
	if index < -n || index >= n {
		b.fail(v, fault.ErrIndex, fmt.Sprintf("index %d is out of range for axis %d with %d elements", index, axis, n))
	}
	if index < 0 {
		index += n
	}
	return index
}

// addPick adds indices of the axis that the next value is for; shape is theirs, nil if they are a row.
func (b *selectionBuilder) addPick(v indexValue, indices []int, shape []int) {
	if shape == nil {
		shape = []int{len(indices)}
	}
	b.picks = append(b.picks, pick{FromSliceIn(b.array.Env(), indices, shape...), len(b.shape), v})
}

func (b *selectionBuilder) addList(v indexValue, l list) {
	if !l.mask {
		indices := make([]int, len(l.numbers))
		for i, index := range l.numbers {
			indices[i] = b.checked(v, index, len(b.spans))
		}
		b.addPick(v, indices, l.shape)
		b.whole()
		return
	}
	b.checkMask(v, l.shape)
	for axis, rest := 0, len(l.numbers); axis < len(l.shape); axis++ {
		indices := []int{}
		rest /= max(l.shape[axis], 1)
		for i, set := range l.numbers {
			if set != 0 {
				indices = append(indices, i/rest%l.shape[axis])
			}
		}
		b.addPick(v, indices, nil)
		b.whole()
	}
}

func (b *selectionBuilder) addArray(v indexValue, array *Array) {
	switch {
	case array.DType() != dtype.Bool:
		b.picks = append(b.picks, pick{array, len(b.shape), v})
		b.whole()
		return
	case array.Rank() == 0:
		b.fail(v, fault.ErrMisuse, fmt.Sprintf("index value %d is a mask of no axes in an array, want a bool", v.column))
	}
	b.checkMask(v, array.tensor().Shape())
	b.picks = append(b.picks, pick{array, len(b.shape), v})
	for range array.Rank() {
		b.whole()
	}
}

// checkMask fails unless a mask of the given shape has that of the axes that it is for.
func (b *selectionBuilder) checkMask(v indexValue, shape []int) {
	start := len(b.spans)
	if masked := b.array.tensor().Shape()[start : start+len(shape)]; !slices.Equal(masked, shape) {
		b.fail(v, fault.ErrShape, fmt.Sprintf("a mask of shape %s does not fit the axes from %d on, of shape %s",
			fault.FormatShape(shape), start, fault.FormatShape(masked)))
	}
}

// masked reports whether a mask is among the picks.
func (s *selection) masked() bool {
	return slices.ContainsFunc(s.picks, func(p pick) bool { return p.array.DType() == dtype.Bool })
}

// joint returns the shape to which the arrays of indices broadcast.
func (s *selection) joint(operator string, a *Array) []int {
	joint := []int{}
	for _, p := range s.picks {
		shape := p.array.tensor().Shape()
		wider := make([]int, max(len(joint), len(shape)))
		for i := range wider {
			m, n := fromEnd(joint, i), fromEnd(shape, i)
			if m != n && m != 1 && n != 1 {
				detail := fmt.Sprintf("arrays of indices of shapes %s and %s do not broadcast", fault.FormatShape(joint), fault.FormatShape(shape))
				(&selectionBuilder{operator: operator, array: a}).fail(p.from, fault.ErrShape, detail)
			}
			if m == 1 {
				m = n
			}
			wider[len(wider)-1-i] = m
		}
		joint = wider
	}
	return joint
}

// fromEnd returns the size of axis i from the end, 1 where shape has none.
func fromEnd(shape []int, i int) int {
	if i >= len(shape) {
		return 1
	}
	return shape[len(shape)-1-i]
}
