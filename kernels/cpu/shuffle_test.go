package cpu

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// surrounded is the memory of count elements of size bytes, with canaries around them.
func surrounded(count, size int) (memory []byte, first unsafe.Pointer) {
	const margin = 96
	memory = slices.Repeat([]byte{0xC5}, margin+count*size+margin)
	return memory, unsafe.Pointer(&memory[margin])
}

// TestRowsAreGatheredLikeElements compares rows of all sorts with their elements, one by one, at every level, and looks around
// what is written.
func TestRowsAreGatheredLikeElements(t *testing.T) {
	r := random()
	source := make([]byte, 400_000)
	for i := range source {
		source[i] = byte(r.Uint32())
	}
	src := unsafe.Pointer(&source[len(source)/2])
	for size := 1; size <= 16; size *= 2 {
		for _, length := range []int{1, 2, 3, 7, 10, 16, 31, 33, 63, 64, 70} {
			rows := 1 + r.IntN(1500/length)
			for _, stride := range []int{0, 1, 2, 5, -1} {
				for _, rowStride := range []int{0, 1, -1, length * stride} {
					want, to := surrounded(rows*length, size)
					for i := range rows * length {
						from := unsafe.Add(src, (i/length*rowStride+i%length*stride)*size)
						copy(slice[byte](unsafe.Add(to, i*size), size), slice[byte](from, size))
					}
					features.Each(func(level features.Level) {
						got, dst := surrounded(rows*length, size)
						gatherRows(dst, src, rowStride*size, stride*size, rows, length, size)
						require.True(t, slices.Equal(want, got), "%v: %d rows of %d elements of %d bytes, strides %d and %d", level, rows, length, size, rowStride, stride)
					})
				}
			}
		}
	}
}

// TestPickedElementsStayInTheirMemory picks from the start to the end of memory that is followed by a canary, whose value must not
// be among them, and from exactly as much memory as holds the elements.
func TestPickedElementsStayInTheirMemory(t *testing.T) {
	features.Each(func(level features.Level) {
		for size := 1; size <= 16; size *= 2 {
			for _, apart := range []int{1, 2, 3, 4, 5, -1, -2} {
				for count := range 300 {
					span := max(0, (count-1)*magnitude(apart)+1)
					source := make([]byte, span*size)
					for i := range source {
						source[i] = byte(i*7 + i>>8)
					}
					start := 0
					if apart < 0 && span > 0 {
						start = span - 1
					}
					want, to := surrounded(count, size)
					got, dst := surrounded(count, size)
					src := unsafe.Pointer(unsafe.SliceData(source))
					if span > 0 {
						src = unsafe.Pointer(&source[start*size])
					}
					for i := range count {
						copy(slice[byte](unsafe.Add(to, i*size), size), source[(start+i*apart)*size:][:size])
					}
					move(dst, size, src, apart*size, count, size)
					require.True(t, slices.Equal(want, got), "%v: %d elements of %d bytes, %d apart", level, count, size, apart)
				}
			}
		}
	})
}
