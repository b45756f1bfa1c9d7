package cpu

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
)

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
	adds   bool  // to what is there before
}

// resolvers write the indices [lo, hi) of operand 0, counted from the start of the axis and multiplied by the scale, to found, or add them
// there, and return the number of the first that is out of range, math.MaxInt if none is.
var resolvers = [dtype.Count]func(n *nest, found []int, lo, hi int, x axisIndices) int{
	dtype.Int8: resolve[int8], dtype.Int16: resolve[int16], dtype.Int32: resolve[int32], dtype.Int64: resolve[int64],
	dtype.Uint8: resolve[uint8], dtype.Uint16: resolve[uint16], dtype.Uint32: resolve[uint32], dtype.Uint64: resolve[uint64],
}

func resolve[T dtype.Integer](n *nest, found []int, lo, hi int, x axisIndices) int {
	stride, length, scale, keep := n.stride(0), uint64(x.length), x.scale, 0
	if x.adds {
		keep = -1
	}
	var c cursor
	c.seek(n, lo)
	for lo < hi {
		count := min(c.rest, hi-lo)
		p := c.pointer(0)
		to := found[:count]
		for i := 0; i < count; i++ { // most are in rows, and in range
			if stride == int(unsafe.Sizeof(T(0))) {
				i += plainIndices(to[i:], slice[T](unsafe.Add(p, i*stride), count-i), length, scale, keep)
			}
			if i == count {
				break
			}
			index := *(*T)(unsafe.Add(p, i*stride))
			place, legal := int(index), uint64(index) < length
			if !legal {
				place, legal = placeOf(uint64(index), index < 0, length, x.mode)
			}
			if !legal {
				return lo + i
			}
			to[i] = to[i]&keep + place*scale
		}
		c.advance(count)
		lo += count
		found = found[count:]
	}
	return math.MaxInt
}

// plainIndices is resolve for indices up to the first that is not in [0, length); it returns how many those are. Bits of a negative one
// are those of a number beyond any length.
func plainIndices[T dtype.Integer](found []int, indices []T, length uint64, scale, keep int) int {
	found = found[:len(indices)]
	for i, index := range indices {
		if uint64(index) >= length {
			return i
		}
		found[i] = found[i]&keep + int(index)*scale
	}
	return len(indices)
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

// contiguous returns the elements of view in row-major order: view's own memory, or a copy.
func contiguous[T any](view device.View) []T {
	if count, whole := rowMajorCount(view); whole && count > 0 {
		return slice[T](view.Pointer.Host, count)
	}
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
