package distribution

import (
	"iter"
	"unsafe"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/kernels/cpu/philox"
)

// longest is how many elements assembly makes in one go: the runtime cannot stop a goroutine before it is done.
const longest = 300 * philox.Batch

// batched calls fill for parts of dst, whose first element has the number first, a multiple of BlockSize, with the states
// of their words: whole batches, for assembly. It returns how many elements, from the first one on, it has dealt with: none
// where there is no assembly, and otherwise less than a batch short of all, or of what lies before a multiple of 2^32 blocks.
func batched[T dtype.Float](dst []T, s Source, first uint64, fill func(part []T, state philox.State)) (done int) {
	if features.Best == features.Portable {
		return 0
	}
	size := uint64(unsafe.Sizeof(*new(T)))
	block, perBlock, batch := first/(16/size), 16/size, int(4*philox.Batch/size)
	valid := int(min(uint64(len(dst)), (1<<32-block%(1<<32))*perBlock))
	for whole := valid / batch * batch; done < whole; {
		part := dst[done:min(whole, done+longest)]
		fill(part, philox.NewState(s.Key, s.Sequence, block+uint64(done)/perBlock, 0))
		done += len(part)
	}
	return done
}

// grain is a number of elements that the assembly that turns words into numbers makes a multiple of.
const grain = 32

// filled yields the elements of dst, whose first has the number first, a multiple of four, in pieces whose memory holds the
// words of the elements in order, for the caller to turn into numbers where they are, while they are in the cache. The
// length of a piece is a multiple of grain; the last may be a copy of which not all becomes part of dst.
func filled[T dtype.Float](dst []T, s Source, first uint64) iter.Seq[[]T] {
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
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(x))), len(x)*int(unsafe.Sizeof(*new(T)))/4)
}

// bits64 is the 64-bit value of element i of those whose words these are.
func bits64(words []uint32, i int) uint64 { return uint64(words[2*i])<<32 | uint64(words[2*i+1]) }
