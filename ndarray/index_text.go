package ndarray

import (
	"math"
	"slices"
	"strings"

	"github.com/weft-nd/weft/fault"
)

// indexValue is one index value: an int, bool, Range, Mark, *Array or list, and where it was written if that is in a text.
type indexValue struct {
	value  any
	text   string
	column int
}

// list is an array of indices, or a mask, whose elements are known at the call.
type list struct {
	shape   []int
	numbers []int // those of a mask are 0 and 1
	mask    bool
}

// textReader reads index values as Python writes them between brackets.
type textReader struct {
	operator string
	array    *Array
	text     string
	at       int // bytes read
	depth    int // of the list that is read
}

// maxDepth is how deep lists may be in lists.
const maxDepth = 32

// readIndex returns the index values in text.
func readIndex(operator string, a *Array, text string) (values []indexValue) {
	r := &textReader{operator: operator, array: a, text: text}
	for r.skip(); r.at < len(text); r.skip() {
		column := r.at
		values = append(values, indexValue{r.value(), text, column})
		if r.skip(); r.at < len(text) && !r.accept(",") {
			r.fail("want a comma")
		}
	}
	return values
}

// fail panics with a mistake at the place that is read.
func (r *textReader) fail(detail string) {
	failAt(r.operator, fault.ErrParameter, detail, r.text, r.at, r.array)
}

func (r *textReader) skip() {
	r.at = len(r.text) - len(strings.TrimLeft(r.text[r.at:], " \t\n"))
}

// accept reads token if it comes next.
func (r *textReader) accept(token string) bool {
	r.skip()
	if !strings.HasPrefix(r.text[r.at:], token) {
		return false
	}
	r.at += len(token)
	return true
}

func (r *textReader) value() any {
	switch {
	case r.accept("..."):
		return Rest
	case r.accept("["):
		return r.list()
	}
	if word := r.word(); word != "" {
		switch word {
		case "None", "newaxis":
			return NewAxis
		case "True", "False":
			return word == "True"
		}
		r.at -= len(word)
		r.fail("want a number, a slice, ..., None, True, False or a list")
	}
	start, given := r.number()
	if !r.accept(":") {
		if !given {
			r.fail("want an index value")
		}
		return start
	}
	part := Range{start: start, stop: Open, step: 1}
	if !given {
		part.start = Open
	}
	if stop, given := r.number(); given {
		part.stop = stop
	}
	if r.accept(":") {
		if step, given := r.number(); given {
			part.step = step
		}
	}
	return part
}

// word reads letters.
func (r *textReader) word() string {
	start := r.at
	for r.at < len(r.text) && (r.text[r.at]|0x20 >= 'a' && r.text[r.at]|0x20 <= 'z') {
		r.at++
	}
	return r.text[start:r.at]
}

// number reads an integer if one comes next. One that an int does not hold is the nearest that does.
func (r *textReader) number() (value int, given bool) {
	r.skip()
	start, negative := r.at, false
	if negative = r.accept("-"); !negative {
		r.accept("+")
	}
	digits := r.at
	for r.at < len(r.text) && r.text[r.at] >= '0' && r.text[r.at] <= '9' {
		digit := int(r.text[r.at] - '0')
		if value > (math.MaxInt-digit)/10 {
			value = math.MaxInt
		} else {
			value = 10*value + digit
		}
		r.at++
	}
	if r.at == digits {
		if r.at > start {
			r.fail("want a digit")
		}
		return 0, false
	}
	if negative {
		value = -value
	}
	return value, true
}

// list reads what follows an opening bracket: elements, or lists of equal shape.
func (r *textReader) list() (l list) {
	if r.depth++; r.depth > maxDepth {
		r.fail("want no more than 32 lists in one another")
	}
	defer func() { r.depth-- }()
	count, masks := 0, 0
	for !r.accept("]") {
		if count > 0 && !r.accept(",") {
			r.fail("want a comma or a closing bracket")
		}
		if count > 0 && r.accept("]") {
			break
		}
		r.skip()
		start := r.at
		element := r.element()
		if count > 0 && (!slices.Equal(element.shape, l.shape) || element.mask != l.mask && len(element.numbers) > 0) {
			r.at = start
			r.fail("this differs in shape or kind from the first element of its list")
		}
		l.shape, l.numbers = element.shape, append(l.numbers, element.numbers...)
		if count++; element.mask {
			masks++
		}
		l.mask = masks > 0
	}
	l.shape = slices.Insert(slices.Clone(l.shape), 0, count)
	return l
}

func (r *textReader) element() list {
	if r.accept("[") {
		return r.list()
	}
	if word := r.word(); word == "True" {
		return list{numbers: []int{1}, mask: true}
	} else if word == "False" {
		return list{numbers: []int{0}, mask: true}
	} else if r.at -= len(word); word != "" {
		r.fail("want a number, True or False")
	}
	number, given := r.number()
	if !given {
		r.fail("want a number, True or False")
	}
	return list{numbers: []int{number}}
}
