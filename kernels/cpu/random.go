package cpu

import (
	"iter"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/kernels/cpu/philox"
	"github.com/weft-nd/weft/parallel"
)

// source is where an operator takes its random bits from: Integers[0] is the key, Integers[1] the sequence.
type source struct{ key, sequence uint64 }

// words fills dst with the words of the element blocks from block on: dst[i] is lane i%4 of block+i/4. It is many times as
// fast as a call for each block.
func (s source) words(dst []uint32, block uint64, draw uint16) {
	philox.Words(dst, s.key, s.sequence, block, draw)
}

// pair returns the two 64-bit values of an element block.
func (s source) pair(block uint64, draw uint16) [2]uint64 {
	lanes := philox.Block(s.key, philox.Counter(s.sequence, block, draw))
	return [2]uint64{uint64(lanes[0])<<32 | uint64(lanes[1]), uint64(lanes[2])<<32 | uint64(lanes[3])}
}

// generator computes the elements of dst, whose first has the number first in row-major order, a multiple of blockSize.
type generator[T dtype.Float] func(dst []T, s source, first uint64, scalars []float64)

// generating is the kernel that fills Outputs[0] by inner.
func generating[T dtype.Float](inner generator[T], nanoseconds float64) entry {
	return entry{dtype.Of[T]().String(), func(t *parallel.Thread, a *device.Arguments) error {
		n := newOrderedNest(a.Outputs[0])
		if n.count == 0 {
			return nil
		}
		s := source{uint64(a.Integers[0]), uint64(a.Integers[1])}
		o := &n.operands[0]
		chunks := (n.count + blockSize - 1) / blockSize
		t.ForCost(chunks, nanoseconds*blockSize, func(_ *parallel.Thread, lo, hi int) {
			lo, hi = lo*blockSize, min(hi*blockSize, n.count)
			if o.whole {
				inner(slice[T](unsafe.Add(o.pointer, lo*o.size), hi-lo), s, uint64(lo), a.Scalars)
				return
			}
			var block [blockSize]T
			for ; lo < hi; lo += blockSize {
				count := min(blockSize, hi-lo)
				inner(block[:count], s, uint64(lo), a.Scalars)
				n.scatter(unsafe.Pointer(&block), 0, lo, count)
			}
		})
		return nil
	}}
}

// generated is the nanoseconds that an element takes, by assembly and in portable Go.
func generated(assembly, portable float64) float64 {
	if features.Best > features.Portable {
		return assembly
	}
	return portable
}

// longest is how many elements assembly makes in one go: the runtime cannot stop a goroutine before it is done.
const longest = 300 * philox.Batch

// batched calls fill for parts of dst, whose first element has the number first, a multiple of blockSize, with the states
// of their words: whole batches, for assembly. It returns how many elements, from the first one on, it has dealt with: none
// where there is no assembly, and otherwise less than a batch short of all, or of what lies before a multiple of 2^32 blocks.
func batched[T dtype.Float](dst []T, s source, first uint64, fill func(part []T, state philox.State)) (done int) {
	if features.Best == features.Portable {
		return 0
	}
	size := uint64(unsafe.Sizeof(*new(T)))
	block, perBlock, batch := first/(16/size), 16/size, int(4*philox.Batch/size)
	valid := int(min(uint64(len(dst)), (1<<32-block%(1<<32))*perBlock))
	for whole := valid / batch * batch; done < whole; {
		part := dst[done:min(whole, done+longest)]
		fill(part, philox.NewState(s.key, s.sequence, block+uint64(done)/perBlock, 0))
		done += len(part)
	}
	return done
}

// grain is a number of elements that the assembly that turns words into numbers makes a multiple of.
const grain = 32

// filled yields the elements of dst, whose first has the number first, a multiple of four, in pieces whose memory holds the
// words of the elements in order, for the caller to turn into numbers where they are, while they are in the cache. The
// length of a piece is a multiple of grain; the last may be a copy of which not all becomes part of dst.
func filled[T dtype.Float](dst []T, s source, first uint64) iter.Seq[[]T] {
	perBlock := 16 / int(unsafe.Sizeof(*new(T)))
	return func(yield func([]T) bool) {
		for done := 0; done < len(dst); {
			piece := dst[done:min(done+8*philox.Batch, len(dst))]
			piece = piece[:len(piece)/grain*grain]
			if len(piece) == 0 {
				piece = make([]T, grain)
			}
			s.words(wordsOf(piece), (first+uint64(done))/uint64(perBlock), 0)
			if !yield(piece) {
				return
			}
			done += copy(dst[done:], piece)
		}
	}
}

// wordsOf is the memory of x as words.
func wordsOf[T dtype.Float](x []T) []uint32 {
	return slice[uint32](unsafe.Pointer(unsafe.SliceData(x)), len(x)*int(unsafe.Sizeof(*new(T)))/4)
}

// bits64 is the 64-bit value of element i of those whose words these are.
func bits64(words []uint32, i int) uint64 { return uint64(words[2*i])<<32 | uint64(words[2*i+1]) }
