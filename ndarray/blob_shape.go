package ndarray

import (
	"slices"

	"github.com/weft-nd/weft/dtype"
)

// DType returns the element type.
func (b *Blob) DType() dtype.DType { return b.blob.DType() }

// Shape returns the number of elements along each axis, as a copy.
func (b *Blob) Shape() []int { return slices.Clone(b.blob.Shape()) }

// Axes returns the number of axes.
func (b *Blob) Axes() int { return b.blob.Axes() }

// Count returns the number of elements.
func (b *Blob) Count() int { return b.blob.Count() }

// CountBetween returns the number of elements of a slice along the axes from start up to, not including, end. It panics with
// *Error unless 0 ≤ start ≤ end ≤ Axes.
func (b *Blob) CountBetween(start, end int) int { return b.blob.CountBetween(start, end) }

// CanonicalAxis returns axis counted from the front; negative ones count from the end. It panics with *Error if there is no
// such axis.
func (b *Blob) CanonicalAxis(axis int) int { return b.blob.CanonicalAxis(axis) }

// ShapeString returns the shape and the count as Caffe prints them: "2 3 (6)".
func (b *Blob) ShapeString() string { return b.blob.ShapeString() }

// ShapeEquals reports whether b has that shape.
func (b *Blob) ShapeEquals(shape ...int) bool { return b.blob.ShapeEquals(shape...) }

// LegacyShapeEquals reports whether b has the shape that four sizes stand for: axes of size one in front may be missing. A
// blob of more than four axes has no such shape.
func (b *Blob) LegacyShapeEquals(number, channels, height, width int) bool {
	return b.blob.LegacyShapeEquals(number, channels, height, width)
}

// LegacyShape returns the size of an axis as if there were four, those that are missing having size one: axis 0 to 3 count
// from the front, where the last are missing, and -1 to -4 from the end, where the first are. It panics with *Error if axis
// is none of these, or b has more than four axes.
func (b *Blob) LegacyShape(axis int) int { return b.blob.LegacyShape(axis) }

// Number returns the size of the first of four axes; see LegacyShape.
func (b *Blob) Number() int { return b.blob.Number() }

// Channels returns the size of the second of four axes; see LegacyShape.
func (b *Blob) Channels() int { return b.blob.Channels() }

// Height returns the size of the third of four axes; see LegacyShape.
func (b *Blob) Height() int { return b.blob.Height() }

// Width returns the size of the last of four axes; see LegacyShape.
func (b *Blob) Width() int { return b.blob.Width() }

// LegacyOffset returns the row-major number of the element at index number n, channel c, row h and column w. It panics with
// *Error if one of them is out of range.
func (b *Blob) LegacyOffset(n, c, h, w int) int { return b.blob.LegacyOffset(n, c, h, w) }

// Offset returns the row-major number of the element at indices; those missing at the end are zero. It panics with *Error if
// there are more than axes, or one is negative or not less than its size.
func (b *Blob) Offset(indices ...int) int { return b.blob.Offset(indices...) }
