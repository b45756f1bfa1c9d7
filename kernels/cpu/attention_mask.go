package cpu

import (
	"math"
	"unsafe"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/gemm"
)

// attentionMask is the mask of one head: a row for each time of what it may see, bools, or numbers that are added to the scores. There is
// none if it is zero.
type attentionMask[T gemm.Float] struct {
	d    dtype.DType
	rows gemm.Matrix
}

// isAdded reports whether the mask has numbers.
func (m *attentionMask[T]) isAdded() bool { return m.rows.Start != nil && m.d != dtype.Bool }

// row returns where the row of a time begins, and the bytes from one element to the next.
func (m *attentionMask[T]) row(time int) (first unsafe.Pointer, step int) {
	size := m.d.Size()
	return unsafe.Add(m.rows.Start, time*m.rows.RowStride*size), m.rows.ColumnStride * size
}

// read copies the numbers of a time to dst.
func (m *attentionMask[T]) read(dst []T, time int) {
	first, step := m.row(time)
	if step == m.d.Size() {
		copy(dst, slice[T](first, len(dst)))
		return
	}
	for i := range dst {
		dst[i] = *(*T)(unsafe.Add(first, i*step))
	}
}

// hide sets the scores of a time to −Inf where bools are false.
func (m *attentionMask[T]) hide(scores []T, time int) {
	if m.rows.Start == nil || m.d != dtype.Bool {
		return
	}
	first, step := m.row(time)
	if step != 1 {
		for i := range scores {
			if !*(*bool)(unsafe.Add(first, i*step)) {
				scores[i] = T(math.Inf(-1))
			}
		}
		return
	}
	seen, start := slice[bool](first, len(scores)), unsafe.Pointer(unsafe.SliceData(scores))
	if dtype.Of[T]() == dtype.Float32 {
		replaceUnseen(slice[uint32](start, len(scores)), seen, math.Float32bits(float32(math.Inf(-1))))
	} else {
		replaceUnseen(slice[uint64](start, len(scores)), seen, math.Float64bits(math.Inf(-1)))
	}
}

// replaceUnseen writes by where seen is false, without a branch.
func replaceUnseen[B uint32 | uint64](bits []B, seen []bool, by B) {
	bits = bits[:len(seen)]
	for i, kept := range seen {
		v := bits[i]
		if !kept {
			v = by
		}
		bits[i] = v
	}
}
