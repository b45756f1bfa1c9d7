package storage

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
)

// View sees a part of the memory of a Synced as a strided array. Views are values; a View keeps its memory alive. Shape and
// Strides must not be changed.
type View struct {
	Synced  *Synced
	DType   dtype.DType
	Offset  int   // elements from the start of the memory to the element whose indices are all zero
	Shape   []int // elements along each axis
	Strides []int // elements from one index to the next along each axis; zero repeats, negative runs backwards
}

// NewView returns the row-major view of all of s, with a copy of shape.
func NewView(s *Synced, d dtype.DType, shape []int) View {
	own, strides := newSizes(len(shape))
	copy(own, shape)
	setRowMajor(strides, shape)
	return View{Synced: s, DType: d, Shape: own, Strides: strides}
}

// setRowMajor makes strides those of a contiguous array of the given shape.
func setRowMajor(strides, shape []int) {
	step := 1
	for axis := len(shape) - 1; axis >= 0; axis-- {
		strides[axis] = step
		step *= shape[axis]
	}
}

// RowMajor returns the strides of a contiguous array of the given shape, last axis fastest.
func RowMajor(shape []int) []int {
	strides := make([]int, len(shape))
	setRowMajor(strides, shape)
	return strides
}

// ShapeProblem returns what is wrong with the shape of an array of element type d: a negative size, or more bytes than an int
// counts, sizes of zero left aside, because strides are made of the others. It is empty for a legal shape.
func ShapeProblem(d dtype.DType, shape []int) string {
	total, over := uint64(d.Size()), false
	for _, n := range shape {
		if n < 0 {
			return fmt.Sprintf("negative size in shape %s", fault.FormatShape(shape))
		}
		if n > 1 {
			high, low := bits.Mul64(total, uint64(n))
			total, over = low, over || high > 0
		}
	}
	if over || total > math.MaxInt {
		return fmt.Sprintf("shape %s has more bytes than there are addresses", fault.FormatShape(shape))
	}
	return ""
}

// Count returns the number of elements of an array of the given shape.
func Count(shape []int) int {
	count := 1
	for _, n := range shape {
		count *= n
	}
	return count
}

// Count returns the number of elements.
func (v View) Count() int { return Count(v.Shape) }

// Row returns the number of elements of v, and whether they follow one another in row-major order without gaps.
func (v *View) Row() (count int, row bool) {
	count, row = 1, true
	for axis := len(v.Shape) - 1; axis >= 0; axis-- {
		n := v.Shape[axis]
		row = row && (v.Strides[axis] == count || n == 1)
		count *= n
	}
	return count, row || count == 0
}

// IsContiguous reports whether the elements follow one another in row-major order without gaps.
func (v View) IsContiguous() bool {
	_, row := v.Row()
	return row
}

// Extent returns the bounds of the elements of v, in bytes from the start of the memory: [lo, hi).
func (v View) Extent() (lo, hi int) {
	if v.Count() == 0 {
		return 0, 0
	}
	first, last := v.Offset, v.Offset
	for axis, n := range v.Shape {
		span := (n - 1) * v.Strides[axis]
		first, last = first+min(span, 0), last+max(span, 0)
	}
	size := v.DType.Size()
	return first * size, (last + 1) * size
}

// CoversAll reports whether every byte of the memory belongs to exactly one element of v, in whatever order.
func (v View) CoversAll() bool { return v.covers(v.Synced.Bytes()) }

// CoversExtent reports whether every byte of Extent, of which there are some, belongs to exactly one element of v, in whatever order.
func (v View) CoversExtent() bool {
	lo, hi := v.Extent()
	return hi > lo && v.covers(hi-lo)
}

// covers is CoversAll of so many bytes, those of the extent of v or more.
func (v View) covers(bytes int) bool {
	count := v.Count()
	if count*v.DType.Size() != bytes {
		return false
	}
	for step := 1; step < count; {
		axis := v.axisOfStep(step)
		if axis < 0 {
			return false
		}
		step *= v.Shape[axis]
	}
	return true
}

// axisOfStep returns an axis of more than one element whose stride is step, in either direction; -1 if there is none.
func (v View) axisOfStep(step int) int {
	for axis := len(v.Shape) - 1; axis >= 0; axis-- {
		if stride := v.Strides[axis]; v.Shape[axis] != 1 && (stride == step || stride == -step) {
			return axis
		}
	}
	return -1
}

// newSizes returns memory for the shape and the strides of a view.
func newSizes(rank int) (shape, strides []int) {
	sizes := make([]int, 2*rank)
	return sizes[:rank:rank], sizes[rank:]
}

// Permute returns v with its axes in the given order, a permutation of 0 to rank-1.
func (v View) Permute(axes []int) View {
	shape, strides := newSizes(len(axes))
	for i, axis := range axes {
		shape[i], strides[i] = v.Shape[axis], v.Strides[axis]
	}
	v.Shape, v.Strides = shape, strides
	return v
}

// WithAxis returns v with a new axis of one element before the given one.
func (v View) WithAxis(axis int) View {
	shape, strides := newSizes(len(v.Shape) + 1)
	copy(shape, v.Shape[:axis])
	copy(strides, v.Strides[:axis])
	shape[axis], strides[axis] = 1, 1
	copy(shape[axis+1:], v.Shape[axis:])
	copy(strides[axis+1:], v.Strides[axis:])
	v.Shape, v.Strides = shape, strides
	return v
}

// Broadcast returns v repeated to shape by NumPy's rule; shape must be one that v broadcasts to.
func (v View) Broadcast(shape []int) View {
	own, strides := newSizes(len(shape))
	copy(own, shape)
	lead := len(shape) - len(v.Shape)
	for axis, n := range v.Shape {
		if n != 1 || shape[lead+axis] == 1 {
			strides[lead+axis] = v.Strides[axis]
		}
	}
	v.Shape, v.Strides = own, strides
	return v
}

// Parts returns the real parts of v, whose elements are complex, or the imaginary ones: a view of every other number.
func (v View) Parts(imaginary bool) View {
	v.DType, v.Offset = v.DType.RealPart(), 2*v.Offset
	if imaginary {
		v.Offset++
	}
	strides := make([]int, len(v.Strides))
	for axis, stride := range v.Strides {
		strides[axis] = 2 * stride
	}
	v.Strides = strides
	return v
}

// Span selects indices of one axis: Start, Start+Step, … , Count of them.
type Span struct {
	Start, Count, Step int
}

// Slice returns the part of v that spans select, one for each axis; they must lie within v.
func (v View) Slice(spans []Span) View {
	shape, strides := newSizes(len(spans))
	for axis, s := range spans {
		if s.Count > 0 {
			v.Offset += s.Start * v.Strides[axis]
		}
		shape[axis], strides[axis] = s.Count, s.Step*v.Strides[axis]
	}
	v.Shape, v.Strides = shape, strides
	return v
}

// Reshape returns v with another shape of the same count, if strides can express it without a copy.
func (v View) Reshape(shape []int) (reshaped View, ok bool) {
	own, strides := newSizes(len(shape))
	copy(own, shape)
	if v.Count() == 0 || v.IsContiguous() {
		setRowMajor(strides, shape)
		v.Shape, v.Strides = own, strides
		return v, true
	}
	// Old and new axes are matched in groups of equal count; within a group the old axes must be contiguous to one another.
	old, oldStrides := withoutOnes(v.Shape, v.Strides)
	o, n := 0, 0
	for n < len(shape) {
		if shape[n] == 1 {
			n++
			continue
		}
		oStart, nStart := o, n
		oCount, nCount := old[o], shape[n]
		o, n = o+1, n+1
		for oCount != nCount {
			if oCount < nCount {
				oCount *= old[o]
				o++
			} else {
				nCount *= shape[n]
				n++
			}
		}
		for axis := oStart; axis+1 < o; axis++ {
			if oldStrides[axis] != old[axis+1]*oldStrides[axis+1] {
				return View{}, false
			}
		}
		step := oldStrides[o-1]
		for axis := n - 1; axis >= nStart; axis-- {
			strides[axis] = step
			step *= shape[axis]
		}
	}
	v.Shape, v.Strides = own, strides
	return v, true
}

// withoutOnes returns shape and strides without the axes of one element.
func withoutOnes(shape, strides []int) (keptShape, keptStrides []int) {
	for axis, n := range shape {
		if n != 1 {
			keptShape, keptStrides = append(keptShape, n), append(keptStrides, strides[axis])
		}
	}
	return keptShape, keptStrides
}
