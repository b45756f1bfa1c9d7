package cpu

import (
	"fmt"
	"math"
	"sync/atomic"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/parallel"
)

// indexError is an error for an index in the data; its cause is fault.ErrIndex.
type indexError struct{ text string }

func (e *indexError) Error() string { return e.text }

func (e *indexError) Unwrap() error { return fault.ErrIndex }

// What is done with an index out of range.
const (
	modeRaise = iota // it is an error; negative ones count from the end
	modeWrap         // it is taken modulo the length of the axis
	modeClip         // the nearest legal one is taken; negative ones are out of range
	modeExact        // it is an error, and so are negative ones
)

// axisIndices are indices, of any integer type, of an axis.
type axisIndices struct {
	view   device.View
	length int   // elements of the axis
	mode   int64 // what is done with those out of range
	scale  int   // what the found ones are multiplied by
}

// resolve writes the indices, counted from the start of the axis and multiplied by the scale, to found, in row-major order. Where one is out of range
// it returns the first such as text.
func (x axisIndices) resolve(t *parallel.Thread, found []int) (outOfRange string, failed bool) {
	n := newOrderedNest(x.view)
	if n.count == 0 {
		return "", false
	}
	resolve := resolvers[x.view.DType]
	var first atomic.Int64
	first.Store(math.MaxInt64)
	t.ForCost(n.count, 1, func(_ *parallel.Thread, lo, hi int) {
		bad := int64(resolve(n, found, lo, hi, x))
		for known := first.Load(); bad < known && !first.CompareAndSwap(known, bad); known = first.Load() {
		}
	})
	if first.Load() == math.MaxInt64 {
		return "", false
	}
	var c cursor
	c.seek(n, int(first.Load()))
	return integerText(x.view.DType, c.pointer(0)), true
}

// resolvers resolve the indices [lo, hi) of operand 0 and return the number of the first that is out of range, math.MaxInt64
// if none is.
var resolvers = [dtype.Count]func(n *nest, found []int, lo, hi int, x axisIndices) int{
	dtype.Int8: resolve[int8], dtype.Int16: resolve[int16], dtype.Int32: resolve[int32], dtype.Int64: resolve[int64],
	dtype.Uint8: resolve[uint8], dtype.Uint16: resolve[uint16], dtype.Uint32: resolve[uint32], dtype.Uint64: resolve[uint64],
}

func resolve[T dtype.Integer](n *nest, found []int, lo, hi int, x axisIndices) int {
	stride, length, scale := n.stride(0), uint64(x.length), x.scale
	var c cursor
	c.seek(n, lo)
	for lo < hi {
		count := min(c.rest, hi-lo)
		p := c.pointer(0)
		to := found[lo : lo+count]
		for i := range to {
			index := *(*T)(unsafe.Add(p, i*stride))
			if index >= 0 && uint64(index) < length {
				to[i] = int(index) * scale
				continue
			}
			place, legal := placeOf(uint64(index), index < 0, length, x.mode)
			if !legal {
				return lo + i
			}
			to[i] = place * scale
		}
		c.advance(count)
		lo += count
	}
	return math.MaxInt
}

// placeOf returns the place that an index which is not in [0, length) stands for. Its bits are those of an int64 where it
// is negative.
func placeOf(bits uint64, negative bool, length uint64, mode int64) (place int, legal bool) {
	switch {
	case length == 0 || mode == modeExact:
		return 0, false
	case mode == modeWrap && negative:
		return (int(int64(bits)%int64(length)) + int(length)) % int(length), true
	case mode == modeWrap:
		return int(bits % length), true
	case mode == modeClip && negative:
		return 0, true
	case mode == modeClip:
		return int(length) - 1, true
	}
	place = int(int64(bits) + int64(length))
	return place, negative && place >= 0
}

// integerText returns the integer of type d at p.
func integerText(d dtype.DType, p unsafe.Pointer) string {
	switch d {
	case dtype.Int8:
		return fmt.Sprint(*(*int8)(p))
	case dtype.Int16:
		return fmt.Sprint(*(*int16)(p))
	case dtype.Int32:
		return fmt.Sprint(*(*int32)(p))
	case dtype.Int64:
		return fmt.Sprint(*(*int64)(p))
	case dtype.Uint8:
		return fmt.Sprint(*(*uint8)(p))
	case dtype.Uint16:
		return fmt.Sprint(*(*uint16)(p))
	case dtype.Uint32:
		return fmt.Sprint(*(*uint32)(p))
	default:
		return fmt.Sprint(*(*uint64)(p))
	}
}

// positions is resolve for the given axis of an array; the error tells the index that is out of range.
func positions(t *parallel.Thread, found []int, indices device.View, array device.View, axis int, mode int64, scale int) error {
	length := array.Shape[axis]
	if index, failed := (axisIndices{indices, length, mode, scale}).resolve(t, found); failed {
		return &indexError{fmt.Sprintf("index %s is out of range for axis %d with %d elements", index, axis, length)}
	}
	return nil
}

// contiguous returns the elements of view in row-major order: view's own memory, or a copy.
func contiguous[T any](view device.View) []T {
	n := newOrderedNest(view)
	if n.count == 0 {
		return nil
	}
	if n.operands[0].whole {
		return slice[T](n.operands[0].pointer, n.count)
	}
	elements := make([]T, n.count)
	n.gather(unsafe.Pointer(&elements[0]), 0, 0, n.count)
	return elements
}
