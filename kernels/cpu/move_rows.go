package cpu

import (
	"fmt"
	"unsafe"
)

// gatherRows copies rows of length elements of size bytes, which are stride bytes apart, to dst, one row after the other; from one
// row to the next it is rowStride bytes.
func gatherRows(dst, src unsafe.Pointer, rowStride, stride, rows, length, size int) {
	switch bytes := length * size; {
	case rows == 1:
		move(dst, size, src, stride, length, size)
	case stride == size && rowStride == bytes:
		copy(slice[byte](dst, rows*bytes), slice[byte](src, rows*bytes))
	case stride == size && rowStride == 0:
		repeatRow(slice[byte](dst, rows*bytes), slice[byte](src, bytes))
	case stride == size && rowsCopied(bytes):
		copyEvenRows(dst, src, bytes, rowStride, rows, bytes)
	case stride == size && bytes > longestRow:
		for row := range rows {
			copy(slice[byte](unsafe.Add(dst, row*bytes), bytes), slice[byte](unsafe.Add(src, row*rowStride), bytes))
		}
	case stride == 0 && length < expandable && rows*length >= leastExpanded && hasShuffle():
		expandRows(dst, src, rowStride, rows, length, size)
	default:
		gatherShortRows(dst, src, rowStride, stride, rows, length, size)
	}
}

// scatterRows copies rows of length elements of size bytes, one row after the other from src on, to where elements are stride bytes apart;
// from one row to the next it is rowStride bytes.
func scatterRows(dst, src unsafe.Pointer, rowStride, stride, rows, length, size int) {
	bytes := length * size
	if stride == size && rows > 1 && rowsCopied(bytes) {
		copyEvenRows(dst, src, rowStride, bytes, rows, bytes)
		return
	}
	for row := range rows {
		move(unsafe.Add(dst, row*rowStride), stride, unsafe.Add(src, row*bytes), size, length, size)
	}
}

// leastExpanded is the number of elements below which shuffles are not worth their preparation.
const leastExpanded = 64

// repeatRow fills dst with row, again and again.
func repeatRow(dst, row []byte) {
	for done := copy(dst, row); done < len(dst); {
		done += copy(dst[done:], dst[:done])
	}
}

// expandRows writes length times the first element of each row.
func expandRows(dst, src unsafe.Pointer, rowStride, rows, length, size int) {
	const together = 128
	var starts [together + 4][2]uint64 // A vector more than there are elements.
	for row := 0; row < rows; row += together {
		part := min(rows-row, together)
		move(unsafe.Pointer(&starts), size, unsafe.Add(src, row*rowStride), rowStride, part, size)
		repeatEach(unsafe.Add(dst, row*length*size), unsafe.Pointer(&starts), part, length, size)
	}
}

func gatherShortRows(dst, src unsafe.Pointer, rowStride, stride, rows, length, size int) {
	switch size {
	case 1:
		gatherRowElements[uint8](dst, src, rowStride, stride, rows, length)
	case 2:
		gatherRowElements[uint16](dst, src, rowStride, stride, rows, length)
	case 4:
		gatherRowElements[uint32](dst, src, rowStride, stride, rows, length)
	case 8:
		gatherRowElements[uint64](dst, src, rowStride, stride, rows, length)
	case 16:
		gatherRowElements[[2]uint64](dst, src, rowStride, stride, rows, length)
	default:
		panic(fmt.Sprintf("cpu: elements of %d bytes", size))
	}
}

func gatherRowElements[T any](dst, src unsafe.Pointer, rowStride, stride, rows, length int) {
	to := slice[T](dst, rows*length)
	for at, row := 0, 0; row < rows; row++ {
		from := row * rowStride
		for i := range to[at : at+length] {
			to[at+i] = *(*T)(unsafe.Add(src, from))
			from += stride
		}
		at += length
	}
}
