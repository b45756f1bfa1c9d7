package cpu

import (
	"math/bits"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/kernels/cpu/philox"
	"github.com/weft-nd/weft/parallel"
)

// drawing runs inner over the elements of Outputs[0] and all inputs, which have its shape, in row-major order: count of
// them at a time, at most blockSize, from the element number first on, a multiple of blockSize. The random bits are those
// of Integers[0] and Integers[1].
func drawing(t *parallel.Thread, a *device.Arguments, nanoseconds float64, inner func(s source, first uint64, count int, p pointers)) {
	var views [maxOperands]device.View
	operands := copy(views[:], a.Outputs[:1])
	operands += copy(views[operands:], a.Inputs)
	n := newOrderedNest(views[:operands]...)
	if n.count == 0 {
		return
	}
	s := source{uint64(a.Integers[0]), uint64(a.Integers[1])}
	chunks := (n.count + blockSize - 1) / blockSize
	t.ForCost(chunks, nanoseconds*blockSize, func(_ *parallel.Thread, lo, hi int) {
		b := blockPool.Get().(*blocks)
		defer blockPool.Put(b)
		for at := lo * blockSize; at < min(hi*blockSize, n.count); at += blockSize {
			count := min(blockSize, n.count-at)
			var p pointers
			for i := range n.operands {
				o := &n.operands[i]
				if o.whole {
					p[i] = unsafe.Add(o.pointer, at*o.size)
					continue
				}
				p[i] = unsafe.Pointer(&b[i])
				if i > 0 {
					n.gather(p[i], i, at, count)
				}
			}
			inner(s, uint64(at), count, p)
			if !n.operands[0].whole {
				n.scatter(p[0], 0, at, count)
			}
		}
	})
}

// narrow fills dst with the 32-bit values of the elements from first on, a multiple of four.
func (s source) narrow(dst []uint32, first uint64, draw uint16) { s.words(dst, first/4, draw) }

// wide fills dst with the 64-bit values of the elements from first on, a multiple of two.
func (s source) wide(dst []uint64, first uint64, draw uint16) {
	if len(dst) == 0 {
		return
	}
	words := slice[uint32](unsafe.Pointer(&dst[0]), 2*len(dst))
	s.words(words, first/2, draw)
	for i := range dst {
		dst[i] = uint64(words[2*i])<<32 | uint64(words[2*i+1])
	}
}

// each calls body with the 64-bit values of the elements below count, one after the other.
func (s source) each(count int, body func(element int, value uint64)) {
	var values [blockSize]uint64
	for first := 0; first < count; first += blockSize {
		part := values[:min(blockSize, count-first)]
		s.wide(part, uint64(first), 0)
		for i, value := range part {
			body(first+i, value)
		}
	}
}

// word returns the 32-bit value of an element.
func (s source) word(element uint64, draw uint16) uint32 {
	return philox.Block(s.key, philox.Counter(s.sequence, element/4, draw))[element%4]
}

// within returns a uniform number below limit by Lemire's unbiased method; value is the first draw of element.
func (s source) within(value, element, limit uint64) uint64 {
	high, low := bits.Mul64(value, limit)
	if low < limit {
		for draw := uint16(1); low < -limit%limit; draw++ {
			high, low = bits.Mul64(s.value(element, draw), limit)
		}
	}
	return high
}

// numbers gives the 64-bit values of one element after the other, draw after draw from base on. Those of the first two
// draws of a block of elements are computed together.
type numbers struct {
	source
	base    uint16
	element uint64
	draw    uint16 // behind base

	first  uint64 // number of the first element of the block
	count  int    // elements of the block; 0 where there is none
	filled int    // draws that values has
	values [2][blockSize]uint64
}

// begin makes the next value the first draw of an element, which is in the block if there is one.
func (n *numbers) begin(element uint64) { n.element, n.draw = element, 0 }

// next returns the value of the next draw.
func (n *numbers) next() uint64 {
	draw := n.draw
	n.draw++
	if n.count == 0 || int(draw) >= len(n.values) {
		return n.value(n.element, n.base+draw)
	}
	if int(draw) >= n.filled {
		n.wide(n.values[draw][:n.count], n.first, n.base+draw)
		n.filled = int(draw) + 1
	}
	return n.values[draw][n.element-n.first]
}

// fraction returns the next value as a multiple of 2^-53 in [0, 1).
func (n *numbers) fraction() float64 { return float64(n.next()>>11) * 0x1p-53 }

// middle returns the next value as an odd multiple of 2^-53: in (0, 1), and symmetric about 1/2.
func (n *numbers) middle() float64 { return (float64(n.next()>>12) + 0.5) * 0x1p-52 }

// counting fills dst, the elements of a block, by draw.
func counting(dst []int64, s source, first uint64, draw func(n *numbers, i int) int64) {
	n := numbers{source: s, first: first, count: len(dst)}
	n.fill(dst, draw)
}

// fill fills dst, the elements of the block, by draw.
func (n *numbers) fill(dst []int64, draw func(n *numbers, i int) int64) {
	for i := range dst {
		n.begin(n.first + uint64(i))
		dst[i] = draw(n, i)
	}
}
