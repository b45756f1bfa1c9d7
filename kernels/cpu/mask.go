package cpu

import (
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/parallel"
)

// maskChunk is how many elements of a mask are looked at in one piece.
const maskChunk = 1 << 13

// allTrue is eight elements of a mask that are true.
const allTrue = 0x0101010101010101

// masking relates an array to the parts of it where a mask is true.
type masking struct {
	array, selected device.View
	axis            int    // the first one that the mask is of; that of the parts among the selected
	mask            []byte // of the elements, row-major
	starts          []int  // for each chunk of the mask, how many elements are true before it; and how many there are
}

// MaskScratch returns the bytes of temporary memory that a kernel takes that relates array to selected, the parts of it where mask is
// true, which follow one another along axis, to read them, to write them, or to reduce others by them.
func MaskScratch(array, mask, selected device.View, axis int, reduces bool) int {
	s := scratch{dry: true}
	if !contiguousShape(mask) {
		s.take(mask.Count())
	}
	if !inOnePiece(array, mask, selected, axis, reduces) {
		s.take(2 * mask.Count() * int(unsafe.Sizeof(0)))
	}
	return demand(s.bytes)
}

// inOnePiece reports whether the elements that a mask is for are all of those of array, one after the other, and so are the selected
// if they are not one for all, and no others are to be reduced by them.
func inOnePiece(array, mask, selected device.View, axis int, reduces bool) bool {
	return !reduces && array.Count() == mask.Count() && contiguousShape(array) && (selected.Strides[axis] == 0 || contiguousShape(selected))
}

// contiguousShape reports whether the elements of v are one after the other, row-major.
func contiguousShape(v device.View) bool {
	n := newOrderedNest(v)
	return n.count == 0 || n.operands[0].whole
}

// newMasking looks at the mask. The selected have an axis for its true elements: if that has one element, which is for all, and
// repeats is set, it becomes as long as there are; otherwise another length is an error.
func newMasking(t *parallel.Thread, s *scratch, array, selected, mask device.View, axis int, repeats bool) (*masking, error) {
	m := &masking{array: array, selected: selected, axis: axis}
	if n := newOrderedNest(mask); n.count > 0 {
		if n.operands[0].whole {
			m.mask = slice[byte](n.operands[0].pointer, n.count)
		} else {
			m.mask = slice[byte](s.take(n.count).Host, n.count)
			n.gather(unsafe.Pointer(&m.mask[0]), 0, 0, n.count)
		}
	}
	if !m.count(t) {
		m.mask = zerosAndOnes(m.mask)
		m.count(t)
	}
	total, wanted := m.starts[len(m.starts)-1], selected.Shape[axis]
	if repeats && wanted == 1 && total != 1 {
		m.selected.Shape, m.selected.Strides = append([]int{}, selected.Shape...), append([]int{}, selected.Strides...)
		m.selected.Shape[axis], m.selected.Strides[axis] = total, 0
	} else if total != wanted {
		return nil, dataErrorf(fault.ErrShape, "the mask is true in %d elements, there are %d", total, wanted)
	}
	return m, nil
}

func (m *masking) chunk(i int) []byte { return m.mask[i*maskChunk : min((i+1)*maskChunk, len(m.mask))] }

// count sets m.starts. It reports false if elements of the mask are neither 0 nor 1: memory that is not weft's may hold such bools.
func (m *masking) count(t *parallel.Thread) (isPlain bool) {
	var others atomic.Bool
	chunks := (len(m.mask) + maskChunk - 1) / maskChunk
	m.starts = make([]int, chunks+1)
	t.ForCost(chunks, maskChunk/16, func(_ *parallel.Thread, lo, hi int) {
		for i := lo; i < hi; i++ {
			count, isPlain := trueIn(m.chunk(i))
			if m.starts[i+1] = count; !isPlain {
				others.Store(true)
			}
		}
	})
	for i := range chunks {
		m.starts[i+1] += m.starts[i]
	}
	return !others.Load()
}

// trueIn returns how many elements of mask are true, if all are 0 or 1, and whether they are.
func trueIn(mask []byte) (count int, isPlain bool) {
	all := uint64(0)
	for len(mask) >= 8 {
		eight := *(*uint64)(unsafe.Pointer(&mask[0]))
		count += bits.OnesCount64(eight)
		all |= eight
		mask = mask[8:]
	}
	for _, set := range mask {
		count += int(set)
		all |= uint64(set)
	}
	return count, all&^allTrue == 0
}

// zerosAndOnes returns a copy of mask in which what is not zero is 1.
func zerosAndOnes(mask []byte) []byte {
	plain := make([]byte, len(mask))
	for i, set := range mask {
		if set != 0 {
			plain[i] = 1
		}
	}
	return plain
}

// eachChunk calls body for the chunks of the mask that are true anywhere, with the number of the first element of the mask, and of the
// first true one.
func (m *masking) eachChunk(t *parallel.Thread, body func(mask []byte, first, start, end int)) {
	t.ForCost(len(m.starts)-1, maskChunk, func(_ *parallel.Thread, lo, hi int) {
		for i := lo; i < hi; i++ {
			if start, end := m.starts[i], m.starts[i+1]; start < end {
				body(m.chunk(i), i*maskChunk, start, end)
			}
		}
	})
}

// selection returns the selection by the true elements of the mask.
func (m *masking) selection(t *parallel.Thread, s *scratch, rank int) *selection {
	count := m.starts[len(m.starts)-1]
	memory := slice[int](s.take(2*len(m.mask)*int(unsafe.Sizeof(0))).Host, 2*count)
	found := &selection{array: m.array, selected: m.selected, offsets: memory[:count], places: memory[count:]}
	masked := part(m.array, m.axis, m.axis+rank)
	n := newOrderedNest(masked)
	m.eachChunk(t, func(mask []byte, first, start, end int) {
		var c cursor
		c.seek(n, first)
		offsets, stride := found.offsets[start:end], n.stride(0)
		for len(mask) > 0 {
			row := mask[:min(len(mask), c.rest)]
			for i, set := range row {
				if set != 0 {
					offsets[0] = c.offsets[0] + i*stride
					offsets = offsets[1:]
				}
			}
			c.advance(len(row))
			mask = mask[len(row):]
		}
		if len(offsets) > 0 {
			panic("cpu: a mask changed while it was used")
		}
	})
	found.locate(masked, part(m.selected, m.axis, m.axis+1))
	found.outer = newOrderedNest(part(m.array, 0, m.axis), part(m.selected, 0, m.axis))
	found.inner = newOrderedNest(part(m.array, m.axis+rank, len(m.array.Shape)), part(m.selected, m.axis+1, len(m.selected.Shape)))
	return found
}

// maskTake writes the parts of Inputs[0] where Inputs[1], for its axes from Integers[0] on, is true to Outputs[0].
func maskTake(t *parallel.Thread, a *device.Arguments) error {
	s := &scratch{memory: a.Scratch}
	m, err := newMasking(t, s, a.Inputs[0], a.Outputs[0], a.Inputs[1], int(a.Integers[0]), false)
	if err != nil {
		return err
	}
	if inOnePiece(m.array, a.Inputs[1], m.selected, m.axis, false) {
		size := m.array.DType.Size()
		m.eachChunk(t, func(mask []byte, first, start, end int) {
			takeMasked(size, m.selected.Pointer.Host, start, end, unsafe.Add(m.array.Pointer.Host, first*size), mask)
		})
		return nil
	}
	m.selection(t, s, len(a.Inputs[1].Shape)).copySlices(t, nil)
	return nil
}

var _ = register("mask_take", forAll(maskTake)...)

// maskPut copies Inputs[0] to Outputs[0], unless that is the same memory, and joins Inputs[2] to its parts where Inputs[1], for its axes
// from Integers[0] on, is true, by the reduction Integers[1].
func maskPut(t *parallel.Thread, a *device.Arguments) error {
	s, output := &scratch{memory: a.Scratch}, a.Outputs[0]
	m, err := newMasking(t, s, output, a.Inputs[2], a.Inputs[1], int(a.Integers[0]), true)
	if err != nil {
		return err
	}
	copyUnlessSame(t, output, a.Inputs[0])
	if inOnePiece(output, a.Inputs[1], m.selected, m.axis, a.Integers[1] != 0) {
		size, repeated := output.DType.Size(), m.selected.Strides[m.axis] == 0
		m.eachChunk(t, func(mask []byte, first, start, end int) {
			putMasked(size, unsafe.Add(output.Pointer.Host, first*size), mask, m.selected.Pointer.Host, start, end, repeated)
		})
		return nil
	}
	m.selection(t, s, len(a.Inputs[1].Shape)).scatter(t, joinerOf(output.DType, a.Integers[1]))
	return nil
}

var _ = register("mask_put", forAll(maskPut)...)
