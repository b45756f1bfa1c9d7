package ndarray_test

import (
	"fmt"
	"slices"
	"strings"

	nd "github.com/weft-nd/weft/ndarray"
)

// decisions takes decisions from bytes, which a fuzzer varies; 0 when they are used up.
type decisions struct{ bytes []byte }

// of returns a number below n, which is at most 256.
func (d *decisions) of(n int) int {
	if len(d.bytes) == 0 {
		return 0
	}
	decided := int(d.bytes[0]) % n
	d.bytes = d.bytes[1:]
	return decided
}

// oneIn decides for something that is the case once in n times.
func (d *decisions) oneIn(n int) bool { return d.of(n) == n-1 }

func (d *decisions) shape(rank, longest int) []int {
	shape := make([]int, rank)
	for axis := range shape {
		if shape[axis] = d.of(longest + 1); shape[axis] == 0 && !d.oneIn(4) {
			shape[axis] = longest
		}
	}
	return shape
}

func (d *decisions) permutation(n int) []int {
	order := []int{}
	for i := range n {
		order = slices.Insert(order, d.of(i+1), i)
	}
	return order
}

// index returns index values, of which some are mistakes, for an array of the given shape.
func (d *decisions) index(shape []int) (index []any) {
	joint := d.shape(d.of(3), 3)
	axis, rested := 0, false
	for axis < len(shape) {
		switch d.of(13) {
		case 0, 1:
			index = append(index, d.number(shape[axis]))
		case 2, 3, 4:
			index = append(index, d.span(shape[axis]))
		case 5:
			index = append(index, nd.Whole)
		case 6:
			index = append(index, nd.NewAxis)
			axis--
		case 7:
			index = append(index, d.oneIn(3))
			axis--
		case 8, 9, 10:
			index = append(index, d.array(shape[axis], joint))
		case 11:
			rank := 1 + d.of(min(2, len(shape)-axis))
			index = append(index, d.mask(shape[axis:axis+rank]))
			axis += rank - 1
		default:
			if rested && !d.oneIn(8) {
				index = append(index, nd.Whole)
				break
			}
			index, rested = append(index, nd.Rest), true
			axis += d.of(len(shape)-axis+1) - 1
		}
		if axis++; d.oneIn(8) {
			break
		}
	}
	if d.oneIn(20) {
		index = append(index, 0)
	}
	return index
}

// number returns an index of n elements, which is seldom out of range.
func (d *decisions) number(n int) int {
	if n == 0 || d.oneIn(40) {
		return d.of(2*n+4) - n - 2
	}
	return d.of(2*n) - n
}

func (d *decisions) span(n int) span {
	s := span{d.of(2*n+4) - n - 2, d.of(2*n+4) - n - 2, 1 + d.of(3)}
	if d.oneIn(3) {
		s.start = nd.Open
	}
	if d.oneIn(3) {
		s.stop = nd.Open
	}
	if d.oneIn(3) {
		s.step = -s.step
	}
	if d.oneIn(60) {
		s.step = 0
	}
	return s
}

func (d *decisions) array(n int, joint []int) numbers {
	shape := slices.Clone(joint[d.of(len(joint)+1):])
	for axis := range shape {
		if d.oneIn(4) {
			shape[axis] = 1 + d.of(2)
		}
	}
	writable := len(shape) == 1 || len(shape) > 1 && !slices.Contains(shape, 0) // no text has the shape (0,1)
	v := numbers{shape: shape, known: writable && d.oneIn(2)}
	each(shape, func([]int) { v.values = append(v.values, d.number(n)) })
	return v
}

func (d *decisions) mask(shape []int) numbers {
	v := numbers{shape: slices.Clone(shape), mask: true, known: len(shape) == 1 && d.oneIn(2)}
	if d.oneIn(40) {
		v.shape[0]++
	}
	each(v.shape, func([]int) { v.values = append(v.values, d.of(2)) })
	return v
}

// given returns index as a call takes it: parts of what can be written as text are, if the decisions are so.
func (d *decisions) given(index []any) (values []any) {
	text := []string{}
	flush := func() {
		if len(text) > 0 {
			values, text = append(values, strings.Join(text, ", ")), nil
		}
	}
	for _, value := range index {
		if written := written(value); written != "" && d.oneIn(3) {
			text = append(text, written)
			continue
		}
		flush()
		switch v := value.(type) {
		case span:
			values = append(values, nd.SpanBy(v.start, v.stop, v.step))
		case numbers:
			values = append(values, d.givenNumbers(v))
		default:
			values = append(values, value)
		}
	}
	flush()
	return values
}

func (d *decisions) givenNumbers(v numbers) any {
	bools := make([]bool, len(v.values))
	for i, value := range v.values {
		bools[i] = value != 0
	}
	switch {
	case v.mask && v.known:
		return bools
	case v.mask:
		return d.stored(nd.FromSlice(bools, v.shape...))
	case v.known && len(v.shape) == 1:
		return v.values
	case v.known:
		return written(v)
	}
	signed := nd.FromSlice(v.values, v.shape...)
	if slices.ContainsFunc(v.values, func(i int) bool { return i < 0 }) {
		return d.stored(signed.Cast(signedTypes[d.of(len(signedTypes))]))
	}
	return d.stored(signed.Cast(unsignedTypes[d.of(len(unsignedTypes))]))
}

// stored returns a, in memory of another layout if the decisions are so.
func (d *decisions) stored(a *nd.Array) *nd.Array {
	if d.oneIn(3) {
		return a.T().Copy().T()
	}
	return a
}

// written returns value as Python writes it; empty if that is in an array.
func written(value any) string {
	bound := func(b int) string {
		if b == nd.Open {
			return ""
		}
		return fmt.Sprint(b)
	}
	switch v := value.(type) {
	case int:
		return fmt.Sprint(v)
	case span:
		return bound(v.start) + ":" + bound(v.stop) + ":" + fmt.Sprint(v.step)
	case nd.Mark:
		return []string{":", "...", "None"}[v]
	case bool:
		return map[bool]string{true: "True", false: "False"}[v]
	case numbers:
		if v.known {
			return writtenList(v.shape, v.values, v.mask)
		}
	}
	return ""
}

func writtenList(shape, values []int, mask bool) string {
	if len(shape) == 0 {
		if mask {
			return written(values[0] != 0)
		}
		return fmt.Sprint(values[0])
	}
	items := []string{}
	each := len(values) / max(shape[0], 1)
	for i := range shape[0] {
		items = append(items, writtenList(shape[1:], values[i*each:(i+1)*each], mask))
	}
	return "[" + strings.Join(items, ", ") + "]"
}
