package cpu

import (
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
)

// plainFetch writes the elements at src+i*step+indices[i]*scale to dst, one after the other, up to the first index that
// is not in [0, length), and returns how many those are.
type plainFetch func(dst, src unsafe.Pointer, step int, indices unsafe.Pointer, count, length, scale int) int

// plainFetches are by the size of elements and the type of indices; nil where indices are looked at first, and used then.
var plainFetches = [17][dtype.Count]plainFetch{
	1: plainFetchesOf[uint8](), 2: plainFetchesOf[uint16](), 4: plainFetchesOf[uint32](), 8: plainFetchesOf[uint64](), 16: plainFetchesOf[[2]uint64](),
}

func plainFetchesOf[T any]() [dtype.Count]plainFetch {
	return [dtype.Count]plainFetch{dtype.Int32: fetchPlain[T, int32], dtype.Int64: fetchPlain[T, int64]}
}

// plainFetchBy returns what fetches elements of size bytes by indices; nil if they do not lie one after the other, or
// there is nothing to do it.
func plainFetchBy(indices device.View, size int) plainFetch {
	if _, whole := rowMajorCount(indices); !whole {
		return nil
	}
	return plainFetches[size][indices.DType]
}

func fetchPlain[T any, I int32 | int64](dst, src unsafe.Pointer, step int, indices unsafe.Pointer, count, length, scale int) int {
	to, from := slice[T](dst, count), slice[I](indices, count)
	if step == 0 && scale == int(unsafe.Sizeof(to[0])) {
		elements := slice[T](src, length)
		for i, index := range from {
			if uint64(index) >= uint64(len(elements)) { // also a negative one
				return i
			}
			to[i] = elements[index]
		}
		return count
	}
	at := 0
	for i, index := range from {
		if uint64(index) >= uint64(length) {
			return i
		}
		to[i] = *(*T)(unsafe.Add(src, at+int(index)*scale))
		at += step
	}
	return count
}
