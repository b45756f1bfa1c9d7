package ndarray

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
)

// bytesOf returns the memory of data.
func bytesOf[T dtype.Element](data []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), len(data)*dtype.Of[T]().Size())
}

// elementsOf returns data as elements of type T.
func elementsOf[T dtype.Element](data []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(data))), len(data)/dtype.Of[T]().Size())
}

// countOf returns the number of elements of an array of the given shape; ok is false if a size is negative, or if the
// array would have more bytes than an int counts.
func countOf(d dtype.DType, shape []int) (count int, ok bool) {
	limit := math.MaxInt / d.Size()
	count, empty := 1, false
	for _, n := range shape {
		if n < 0 {
			return 0, false
		}
		empty = empty || n == 0
		if n > 0 && count > limit/n {
			return 0, false
		}
		count *= max(n, 1)
	}
	if empty {
		return 0, true
	}
	return count, true
}

// checkShape fails unless shape is that of an array of element type d, and returns its count.
func checkShape(operator string, d dtype.DType, shape []int) int {
	if d == dtype.Invalid || int(d) >= dtype.Count {
		fail(operator, fault.ErrDType, "no element type")
	}
	count, ok := countOf(d, shape)
	if !ok {
		fail(operator, fault.ErrShape, fmt.Sprintf("no array has shape %s: a size is negative, or the sizes are too large", fault.FormatShape(shape)))
	}
	return count
}
