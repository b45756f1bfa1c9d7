package cpu

import (
	"unsafe"

	"github.com/weft-nd/weft/dtype"
)

// onParts is a loop on complex numbers with parts T that does to these, one after the other in memory, what the loop of the given
// operator does, on so many operands.
func onParts[T dtype.Float](operator string, operands int) *inner {
	part, d := dtype.Of[T](), complexOf[T]()
	sizes := []int{d.Size(), d.Size(), d.Size()}
	return twice(d, operator+"/"+part.String(), sizes[:1+operands])
}

// twice is the loop on complex numbers, of which operands and result have the given sizes, that does to their parts what the one
// of the given name does.
func twice(d dtype.DType, name string, sizes []int) *inner {
	find := loopNamed(name)
	return &inner{dtypes: d.String(), nanoseconds: 2 * light, sizes: sizes, parts: find, plain: func(count int, p pointers) {
		find().plain(2*count, p)
	}}
}

// onPairs makes assembly for the parts of complex numbers assembly for these, whose operands have the given sizes. One that is the
// same for all elements is repeated in memory.
func onPairs(compute assembledLoop, sizes []int) assembledLoop {
	if compute == nil {
		return nil
	}
	return func(dst, x, y, z *byte, count, form, rows int, steps [maxOperands]int) {
		if form&^formStreams == 0 {
			compute(dst, x, y, z, 2*count, form, rows, steps)
			return
		}
		b := blockPool.Get().(*blocks)
		defer blockPool.Put(b)
		for row := range rows {
			at := func(start *byte, i int) unsafe.Pointer { return unsafe.Add(unsafe.Pointer(start), row*steps[i]) }
			onRepeated(compute, b, []unsafe.Pointer{at(dst, 0), at(x, 1), at(y, 2)}, count, form, sizes)
		}
	}
}

// onRepeated computes count elements on their parts, where an operand is the same for all, which is repeated in b.
func onRepeated(compute assembledLoop, b *blocks, p []unsafe.Pointer, count, form int, sizes []int) {
	const vector = 16 // more elements than one has
	for i, size := range sizes[1:] {
		if form>>i&1 == 1 {
			p[1+i] = expand(&b[i], p[1+i], min(count, blockSize), size)
		}
	}
	for {
		part := count
		if part > blockSize {
			part = blockSize - vector // leaves enough for a vector
		}
		compute((*byte)(p[0]), (*byte)(p[1]), (*byte)(p[2]), nil, 2*part, form&formStreams, 1, [maxOperands]int{})
		if count -= part; count == 0 { // no pointer may leave its memory
			return
		}
		for i, size := range sizes {
			if i == 0 || form>>(i-1)&1 == 0 {
				p[i] = unsafe.Add(p[i], part*size)
			}
		}
	}
}

// expand writes the element at from to memory, so many times, and returns the address of that.
func expand(to *[blockSize][2]uint64, from unsafe.Pointer, count, size int) unsafe.Pointer {
	dst := unsafe.Pointer(to)
	if size == 8 {
		repeat(slice[uint64](dst, count), *(*uint64)(from))
	} else {
		repeat(slice[[2]uint64](dst, count), *(*[2]uint64)(from))
	}
	return dst
}
