package cpu

import (
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/parallel"
)

// ScatterScratch returns the bytes of temporary memory that the kernel of scatter_add takes for count indices of an axis with
// the given number of slices.
func ScatterScratch(count, slices int) int {
	return demand(2*count*int(unsafe.Sizeof(count)) + (count+slices)*4)
}

// rowSums writes sums of rows, each once and past the caches, to an array of which most rows are zero.
type rowSums struct {
	*selection
	join  joiner
	bytes int     // of a row
	first []int32 // one more than the number of the first index of each row of the array, 0 if it has none
	next  []int32 // the same for the next index of the same row
}

// newRowSums returns nil unless the array consists of rows that can be written past the caches.
func newRowSums(a *device.Arguments, s *selection, join joiner) *rowSums {
	bytes := s.inner.count * s.array.DType.Size()
	total := bytes * s.slices
	if s.outer.count != 1 || s.count() == 0 || !newOrderedNest(s.array).operands[0].whole || !s.inner.operands[1].whole ||
		!streamable(s.array.Pointer.Host, bytes, bytes, total) || s.slices < 1024 || s.slices > 1<<30 || len(s.offsets) > 1<<30 {
		return nil
	}
	count := len(s.offsets)
	var lists []int32
	if a.Scratch.IsNil() {
		lists = make([]int32, count+s.slices)
	} else {
		lists = slice[int32](a.Scratch.Add(2*count*int(unsafe.Sizeof(count))).Host, count+s.slices)
	}
	return &rowSums{selection: s, join: join, bytes: bytes, next: lists[:count], first: lists[count:]}
}

func (r *rowSums) run(t *parallel.Thread) {
	clear(r.first)
	for i := len(r.offsets) - 1; i >= 0; i-- {
		row := r.offsets[i] / r.bytes
		r.next[i] = r.first[row]
		r.first[row] = int32(i + 1)
	}
	cost := light * float64(r.bytes) / 4 * (1 + float64(len(r.offsets))/float64(r.slices))
	t.ForCost(r.slices, cost, func(_ *parallel.Thread, lo, hi int) {
		sum := make([]byte, r.bytes)
		written := lo
		for row := lo; row < hi; row++ {
			if r.first[row] == 0 {
				continue
			}
			r.zeros(written, row)
			written = row + 1
			clear(sum)
			size := r.array.DType.Size()
			for i := r.first[row]; i != 0; i = r.next[i-1] {
				r.join.row(unsafe.Pointer(&sum[0]), size, unsafe.Add(r.selected.Pointer.Host, r.place(int(i-1))), size, r.inner.count)
			}
			streamRow(r.at(row), &sum[0], r.bytes)
		}
		r.zeros(written, hi)
		storeFence()
	})
}

// zeros clears the rows [lo, hi).
func (r *rowSums) zeros(lo, hi int) {
	if lo < hi {
		streamZeros(r.at(lo), (hi-lo)*r.bytes)
	}
}

func (r *rowSums) at(row int) *byte { return (*byte)(unsafe.Add(r.array.Pointer.Host, row*r.bytes)) }
