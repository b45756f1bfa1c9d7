package cpu

import (
	"unsafe"

	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// Rows of so many bytes are copied by assembly: longer ones are left to copy.
const (
	shortestRow = 64
	longestRow  = 4096
)

// rowsCopied reports whether rows of the given length are copied by assembly.
func rowsCopied(bytes int) bool {
	return features.Best > features.Portable && bytes >= shortestRow && bytes <= longestRow
}

// rowsAhead is how many rows copyRows looks ahead.
const rowsAhead = 4

// copyRowsAt copies the rows of bytes bytes, for which rowsCopied holds, at src+offsets[i] to dst+i*stride.
func copyRowsAt(dst, src unsafe.Pointer, offsets []int, stride, bytes int) {
	if whole := len(offsets) - rowsAhead; whole > 0 {
		copyRows((*byte)(dst), (*byte)(src), &offsets[0], whole, stride, bytes)
		dst, offsets = unsafe.Add(dst, whole*stride), offsets[whole:]
	}
	if len(offsets) > 0 {
		var last [2 * rowsAhead]int
		copy(last[copy(last[:], offsets):], offsets)
		copyRows((*byte)(dst), (*byte)(src), &last[0], len(offsets), stride, bytes)
	}
}

// copyEvenRows copies rows that are srcStride and dstStride apart.
func copyEvenRows(dst, src unsafe.Pointer, dstStride, srcStride, count, bytes int) {
	var offsets [64 + rowsAhead]int
	for i := range offsets[:min(len(offsets), count+rowsAhead)] {
		offsets[i] = i * srcStride
	}
	for done := 0; done < count; done += 64 {
		to, from := unsafe.Add(dst, done*dstStride), unsafe.Add(src, done*srcStride)
		copyRows((*byte)(to), (*byte)(from), &offsets[0], min(count-done, 64), dstStride, bytes)
	}
}
