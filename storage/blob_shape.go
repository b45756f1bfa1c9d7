package storage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-nd/weft/fault"
)

// legacyAxes is how many axes blobs had when Caffe was young: number, channels, height and width.
const legacyAxes = 4

// Shape returns the shape. It must not be changed.
func (b *Blob) Shape() []int { return b.shape }

// Axes returns the number of axes.
func (b *Blob) Axes() int { return len(b.shape) }

// Count returns the number of elements: one without axes, none in the zero Blob.
func (b *Blob) Count() int {
	if b.data == nil {
		return 0
	}
	return Count(b.shape)
}

// CountBetween returns the number of elements of a slice along the axes from start up to, not including, end. Neither is
// negative; it panics with *fault.Error unless 0 ≤ start ≤ end ≤ Axes.
func (b *Blob) CountBetween(start, end int) int {
	if start < 0 || end < start || end > len(b.shape) {
		b.fail("Blob.CountBetween", fault.ErrAxis, fmt.Sprintf("there are no axes from %d to %d", start, end))
	}
	return Count(b.shape[start:end])
}

// CanonicalAxis returns axis counted from the front; negative ones count from the end. It panics with *fault.Error if there
// is no such axis.
func (b *Blob) CanonicalAxis(axis int) int {
	if axis < -len(b.shape) || axis >= len(b.shape) {
		b.fail("Blob.CanonicalAxis", fault.ErrAxis, fmt.Sprintf("axis %d is out of range for %d axes", axis, len(b.shape)))
	}
	if axis < 0 {
		axis += len(b.shape)
	}
	return axis
}

// ShapeString returns the shape and the count as Caffe prints them: "2 3 (6)".
func (b *Blob) ShapeString() string {
	var text strings.Builder
	for _, n := range b.shape {
		fmt.Fprintf(&text, "%d ", n)
	}
	fmt.Fprintf(&text, "(%d)", b.Count())
	return text.String()
}

// ShapeEquals reports whether b has that shape.
func (b *Blob) ShapeEquals(shape ...int) bool { return slices.Equal(b.shape, shape) }

// LegacyShapeEquals reports whether b has the shape that four sizes stand for, as old files give it: axes of size one in front
// may be missing. A blob of more than four axes has no such shape.
func (b *Blob) LegacyShapeEquals(number, channels, height, width int) bool {
	if len(b.shape) > legacyAxes {
		return false
	}
	for i, n := range []int{number, channels, height, width} {
		if b.LegacyShape(i-legacyAxes) != n {
			return false
		}
	}
	return true
}

// LegacyShape returns the size of an axis as if there were four, those that are missing having size one: axis 0 to 3 count
// from the front, where the last are missing, and -1 to -4 from the end, where the first are. It panics with *fault.Error if
// axis is none of these, or b has more than four axes.
func (b *Blob) LegacyShape(axis int) int {
	if axis < -legacyAxes || axis >= legacyAxes {
		b.fail("Blob.LegacyShape", fault.ErrAxis, fmt.Sprintf("axis %d is out of range for %d axes", axis, legacyAxes))
	}
	if len(b.shape) > legacyAxes {
		b.fail("Blob.LegacyShape", fault.ErrAxis, fmt.Sprintf("%d axes are more than number, channels, height and width", len(b.shape)))
	}
	if axis < -len(b.shape) || axis >= len(b.shape) {
		return 1
	}
	return b.shape[b.CanonicalAxis(axis)]
}

// Number returns the size of the first of four axes; see LegacyShape, also for what panics.
func (b *Blob) Number() int { return b.LegacyShape(0) }

// Channels returns the size of the second of four axes; see LegacyShape.
func (b *Blob) Channels() int { return b.LegacyShape(1) }

// Height returns the size of the third of four axes; see LegacyShape.
func (b *Blob) Height() int { return b.LegacyShape(2) }

// Width returns the size of the last of four axes; see LegacyShape.
func (b *Blob) Width() int { return b.LegacyShape(3) }

// LegacyOffset returns the number of the element at index number n, channel c, row h and column w, in row-major order. It
// panics with *fault.Error if one of them is out of range; Caffe lets an index equal its size.
func (b *Blob) LegacyOffset(n, c, h, w int) int {
	offset := 0
	for axis, i := range []int{n, c, h, w} {
		offset = b.advance("Blob.LegacyOffset", offset, axis, i, b.LegacyShape(axis))
	}
	return offset
}

// Offset returns the number of the element at indices, in row-major order; indices that are missing at the end are zero.
// It panics with *fault.Error if there are more than axes, or one is negative or not less than its size.
func (b *Blob) Offset(indices ...int) int {
	if len(indices) > len(b.shape) {
		b.fail("Blob.Offset", fault.ErrIndex, fmt.Sprintf("%d indices are more than the %d axes", len(indices), len(b.shape)))
	}
	offset := 0
	for axis, n := range b.shape {
		index := 0
		if axis < len(indices) {
			index = indices[axis]
		}
		offset = b.advance("Blob.Offset", offset, axis, index, n)
	}
	return offset
}

func (b *Blob) advance(operation string, offset, axis, index, size int) int {
	if index < 0 || index >= size {
		b.fail(operation, fault.ErrIndex, fmt.Sprintf("index %d is out of range for axis %d of size %d", index, axis, size))
	}
	return offset*size + index
}
