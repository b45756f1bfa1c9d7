package cpu

import (
	"fmt"
	"unsafe"
)

// slice returns the count elements at p.
func slice[T any](p unsafe.Pointer, count int) []T { return unsafe.Slice((*T)(p), count) }

// move copies count elements of size bytes from src to dst; strides are in bytes.
func move(dst unsafe.Pointer, dstStride int, src unsafe.Pointer, srcStride, count, size int) {
	if dstStride == size && srcStride == size {
		copy(slice[byte](dst, count*size), slice[byte](src, count*size))
		return
	}
	if dstStride == size && srcStride != 0 {
		done := pick(dst, src, srcStride, count, size)
		if done == count {
			return
		}
		dst, src, count = unsafe.Add(dst, done*size), unsafe.Add(src, done*srcStride), count-done
	}
	switch size {
	case 1:
		moveElements[uint8](dst, dstStride, src, srcStride, count)
	case 2:
		moveElements[uint16](dst, dstStride, src, srcStride, count)
	case 4:
		moveElements[uint32](dst, dstStride, src, srcStride, count)
	case 8:
		moveElements[uint64](dst, dstStride, src, srcStride, count)
	case 16:
		moveElements[[2]uint64](dst, dstStride, src, srcStride, count)
	default:
		panic(fmt.Sprintf("cpu: elements of %d bytes", size))
	}
}

func moveElements[T any](dst unsafe.Pointer, dstStride int, src unsafe.Pointer, srcStride, count int) {
	var element T
	if dstStride == int(unsafe.Sizeof(element)) {
		if srcStride == 0 {
			repeat(slice[T](dst, count), *(*T)(src))
		} else {
			gatherElements(slice[T](dst, count), src, srcStride)
		}
		return
	}
	to, from := 0, 0
	for range count {
		*(*T)(unsafe.Add(dst, to)) = *(*T)(unsafe.Add(src, from))
		to += dstStride
		from += srcStride
	}
}

func gatherElements[T any](dst []T, src unsafe.Pointer, stride int) {
	if stride == 0 {
		repeat(dst, *(*T)(src))
		return
	}
	from := 0
	for i := range dst {
		dst[i] = *(*T)(unsafe.Add(src, from))
		from += stride
	}
}

// gather copies the elements [lo, lo+count) of operand i, in the order of the nest, to the contiguous block.
func (n *nest) gather(block unsafe.Pointer, i, lo, count int) {
	n.gatherFrom(block, n.operands[i].pointer, i, lo, count)
}

// gatherFrom is gather with another address of the first element.
func (n *nest) gatherFrom(block, first unsafe.Pointer, i, lo, count int) {
	size, stride, length := n.operands[i].size, n.stride(i), n.inner()
	var c cursor
	c.seek(n, lo)
	for done := 0; done < count; {
		to, from := unsafe.Add(block, done*size), unsafe.Add(first, c.offsets[i])
		if axis := len(n.shape) - 2; axis >= 0 && c.rest == length && length <= count-done {
			rows := min((count-done)/length, n.shape[axis]-c.index[axis])
			gatherRows(to, from, n.operands[i].strides[axis], stride, rows, length, size)
			done += rows * length
			c.advanceRows(rows)
			continue
		}
		part := min(c.rest, count-done)
		move(to, size, from, stride, part, size)
		done += part
		c.advance(part)
	}
}

// scatter copies the contiguous block to the elements [lo, lo+count) of operand i.
func (n *nest) scatter(block unsafe.Pointer, i, lo, count int) {
	n.scatterTo(n.operands[i].pointer, block, i, lo, count)
}

// scatterTo is scatter with another address of the first element.
func (n *nest) scatterTo(first, block unsafe.Pointer, i, lo, count int) {
	size, stride, length := n.operands[i].size, n.stride(i), n.inner()
	var c cursor
	c.seek(n, lo)
	for done := 0; done < count; {
		to, from := unsafe.Add(first, c.offsets[i]), unsafe.Add(block, done*size)
		if axis := len(n.shape) - 2; axis >= 0 && c.rest == length && length <= count-done {
			rows := min((count-done)/length, n.shape[axis]-c.index[axis])
			scatterRows(to, from, n.operands[i].strides[axis], stride, rows, length, size)
			done += rows * length
			c.advanceRows(rows)
			continue
		}
		part := min(c.rest, count-done)
		move(to, stride, from, size, part, size)
		done += part
		c.advance(part)
	}
}
