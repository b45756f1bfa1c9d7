package cpu

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// joiner reads elements, writes them or reduces others by them: one of x for one of dst.
type joiner interface {
	// row does it for count elements; strides are in bytes.
	row(dst unsafe.Pointer, dstStride int, x unsafe.Pointer, stride, count int)
	// points does it for the elements at x+i*stride and those at dst+i*dstStride+offsets[i], where that offset is in [lo,
	// hi), or lo is math.MinInt.
	points(dst unsafe.Pointer, dstStride int, offsets []int, lo, hi int, x unsafe.Pointer, stride int)
}

// fetching reads elements of type T: it writes those of dst to x.
type fetching[T any] struct{}

func (fetching[T]) row(dst unsafe.Pointer, dstStride int, x unsafe.Pointer, stride, count int) {
	var element T
	move(x, stride, dst, dstStride, count, int(unsafe.Sizeof(element)))
}

func (fetching[T]) points(dst unsafe.Pointer, dstStride int, offsets []int, _, _ int, x unsafe.Pointer, stride int) {
	var element T
	if dstStride == 0 && stride == int(unsafe.Sizeof(element)) {
		to := slice[T](x, len(offsets))
		for i, offset := range offsets {
			to[i] = *(*T)(unsafe.Add(dst, offset))
		}
		return
	}
	for i, offset := range offsets {
		*(*T)(unsafe.Add(x, i*stride)) = *(*T)(unsafe.Add(dst, i*dstStride+offset))
	}
}

// assignment writes elements of type T.
type assignment[T any] struct{}

func (assignment[T]) row(dst unsafe.Pointer, dstStride int, x unsafe.Pointer, stride, count int) {
	var element T
	move(dst, dstStride, x, stride, count, int(unsafe.Sizeof(element)))
}

func (assignment[T]) points(dst unsafe.Pointer, dstStride int, offsets []int, lo, hi int, x unsafe.Pointer, stride int) {
	if lo == math.MinInt {
		for i, offset := range offsets {
			*(*T)(unsafe.Add(dst, i*dstStride+offset)) = *(*T)(unsafe.Add(x, i*stride))
		}
		return
	}
	// Which are in the range is chance, which a branch would not foresee: they are collected first.
	var places, numbers [256]int
	for first := 0; first < len(offsets); first += len(places) {
		count := uint(0)
		for i, offset := range offsets[first:min(first+len(places), len(offsets))] {
			places[count&255], numbers[count&255] = offset, first+i
			count += uint(^(offset-lo)&(offset-hi)) >> (bits.UintSize - 1)
		}
		for i, number := range numbers[:count] {
			*(*T)(unsafe.Add(dst, number*dstStride+places[i])) = *(*T)(unsafe.Add(x, number*stride))
		}
	}
}

// addition adds elements of type T.
type addition[T dtype.Real | complex64 | complex128] struct{}

func (addition[T]) row(dst unsafe.Pointer, dstStride int, x unsafe.Pointer, stride, count int) {
	for i := range count {
		*(*T)(unsafe.Add(dst, i*dstStride)) += *(*T)(unsafe.Add(x, i*stride))
	}
}

func (addition[T]) points(dst unsafe.Pointer, dstStride int, offsets []int, lo, hi int, x unsafe.Pointer, stride int) {
	for i, offset := range offsets {
		if offset >= lo && offset < hi {
			*(*T)(unsafe.Add(dst, i*dstStride+offset)) += *(*T)(unsafe.Add(x, i*stride))
		}
	}
}

// vectorAddition adds by assembly where there is some.
type vectorAddition[T dtype.Float] struct {
	addition[T]
	add func(dst, x *T, count int)
}

func (v vectorAddition[T]) row(dst unsafe.Pointer, dstStride int, x unsafe.Pointer, stride, count int) {
	var element T
	if size := int(unsafe.Sizeof(element)); features.Best > features.Portable && dstStride == size && stride == size {
		v.add((*T)(dst), (*T)(x), count)
		return
	}
	v.addition.row(dst, dstStride, x, stride, count)
}

// halfAddition adds 16-bit floats; each sum is rounded.
type halfAddition[T interface{ Float32() float32 }] struct{ rounded func(float32) T }

func (h halfAddition[T]) row(dst unsafe.Pointer, dstStride int, x unsafe.Pointer, stride, count int) {
	for i := range count {
		h.add(unsafe.Add(dst, i*dstStride), unsafe.Add(x, i*stride))
	}
}

func (h halfAddition[T]) points(dst unsafe.Pointer, dstStride int, offsets []int, lo, hi int, x unsafe.Pointer, stride int) {
	for i, offset := range offsets {
		if offset >= lo && offset < hi {
			h.add(unsafe.Add(dst, i*dstStride+offset), unsafe.Add(x, i*stride))
		}
	}
}

func (h halfAddition[T]) add(dst, x unsafe.Pointer) {
	*(*T)(dst) = h.rounded((*(*T)(dst)).Float32() + (*(*T)(x)).Float32())
}

// loopJoiner joins rows by the loop of an operator where that is assembly.
type loopJoiner struct {
	joiner
	size int
	find func() *inner
}

func byLoop(operator string, d dtype.DType, j joiner) loopJoiner {
	return loopJoiner{j, d.Size(), loopNamed(operator + d.String())}
}

func (l loopJoiner) row(dst unsafe.Pointer, dstStride int, x unsafe.Pointer, stride, count int) {
	if r := l.find().runner(); dstStride == l.size && stride == l.size && r.vector != nil && count >= r.least {
		r.run(count, pointers{dst, dst, x}, 0)
		return
	}
	l.joiner.row(dst, dstStride, x, stride, count)
}

var additions = [dtype.Count]joiner{
	dtype.Int8: byLoop("add/", dtype.Int8, addition[int8]{}), dtype.Int16: byLoop("add/", dtype.Int16, addition[int16]{}),
	dtype.Int32: byLoop("add/", dtype.Int32, addition[int32]{}), dtype.Int64: byLoop("add/", dtype.Int64, addition[int64]{}),
	dtype.Uint8: byLoop("add/", dtype.Uint8, addition[uint8]{}), dtype.Uint16: byLoop("add/", dtype.Uint16, addition[uint16]{}),
	dtype.Uint32: byLoop("add/", dtype.Uint32, addition[uint32]{}), dtype.Uint64: byLoop("add/", dtype.Uint64, addition[uint64]{}),
	dtype.Float16: byLoop("add/", dtype.Float16, halfAddition[dtype.F16]{dtype.ToF16}), dtype.BFloat16: byLoop("add/", dtype.BFloat16, halfAddition[dtype.BF16]{dtype.ToBF16}),
	dtype.Float32: vectorAddition[float32]{add: addRow32}, dtype.Float64: vectorAddition[float64]{add: addRow64},
	dtype.Complex64: addition[complex64]{}, dtype.Complex128: addition[complex128]{},
}

// fetchings and assignments are by the size of elements.
var (
	fetchings = [17]joiner{
		1: fetching[uint8]{}, 2: fetching[uint16]{}, 4: fetching[uint32]{}, 8: fetching[uint64]{}, 16: fetching[[2]uint64]{},
	}
	assignments = [17]joiner{
		1: assignment[uint8]{}, 2: assignment[uint16]{}, 4: assignment[uint32]{}, 8: assignment[uint64]{}, 16: assignment[[2]uint64]{},
	}
)
