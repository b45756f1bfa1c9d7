package distribution

import (
	"math/bits"
	"unsafe"

	"github.com/weft-nd/weft/kernels/cpu/philox"
)

// Source is where random bits come from: the blocks of one key and one sequence of package philox.
type Source struct{ Key, Sequence uint64 }

// BlockSize is how many elements functions make at most where they say so, a multiple of those that a block of Philox has.
const BlockSize = 512

// words fills dst with the words of the element blocks from block on: dst[i] is lane i%4 of block+i/4. It is many times as
// fast as a call for each block.
func (s Source) words(dst []uint32, block uint64, draw uint16) {
	philox.Words(dst, s.Key, s.Sequence, block, draw)
}

// pair returns the two 64-bit values of an element block.
func (s Source) pair(block uint64, draw uint16) [2]uint64 {
	lanes := philox.Block(s.Key, philox.Counter(s.Sequence, block, draw))
	return [2]uint64{uint64(lanes[0])<<32 | uint64(lanes[1]), uint64(lanes[2])<<32 | uint64(lanes[3])}
}

// narrow fills dst with the 32-bit values of the first draw of the elements from first on, a multiple of four.
func (s Source) narrow(dst []uint32, first uint64) { s.words(dst, first/4, 0) }

// wide fills dst with the 64-bit values of the elements from first on, a multiple of two.
func (s Source) wide(dst []uint64, first uint64, draw uint16) {
	if len(dst) == 0 {
		return
	}
	words := unsafe.Slice((*uint32)(unsafe.Pointer(&dst[0])), 2*len(dst))
	s.words(words, first/2, draw)
	for i := range dst {
		dst[i] = uint64(words[2*i])<<32 | uint64(words[2*i+1])
	}
}

// each calls body with the 64-bit values of the elements below count, one after the other.
func (s Source) each(count int, body func(element int, value uint64)) {
	var values [BlockSize]uint64
	for first := 0; first < count; first += BlockSize {
		part := values[:min(BlockSize, count-first)]
		s.wide(part, uint64(first), 0)
		for i, value := range part {
			body(first+i, value)
		}
	}
}

// word returns the 32-bit value of an element.
func (s Source) word(element uint64, draw uint16) uint32 {
	return philox.Block(s.Key, philox.Counter(s.Sequence, element/4, draw))[element%4]
}

// within returns a uniform number below limit by Lemire's unbiased method; value is the first draw of element.
func (s Source) within(value, element, limit uint64) uint64 {
	high, low := bits.Mul64(value, limit)
	if low < limit {
		for draw := uint16(1); low < -limit%limit; draw++ {
			high, low = bits.Mul64(s.value(element, draw), limit)
		}
	}
	return high
}

// value returns the 64-bit value of an element.
func (s Source) value(element uint64, draw uint16) uint64 { return s.pair(element/2, draw)[element%2] }
