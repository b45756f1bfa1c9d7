package distribution

import (
	"math"
	"math/bits"

	"github.com/weft-nd/weft/dtype"
)

// NarrowIntegers fills dst, at most BlockSize elements, with numbers from low to low + span by Lemire's unbiased method ("Fast random
// integer generation in an interval", ACM TOMACS 29(1), 2019) from the 32-bit values of the elements. Numbers wrap round in two's
// complement.
func NarrowIntegers[T dtype.Integer](dst []T, s Source, first, low, span uint64) {
	var words [BlockSize]uint32
	s.narrow(words[:len(dst)], first)
	if span == math.MaxUint32 {
		for i, word := range words[:len(dst)] {
			dst[i] = T(low + uint64(word))
		}
		return
	}
	limit := uint32(span) + 1
	biased := -limit % limit // products whose low half is below are one too many
	for i, word := range words[:len(dst)] {
		high, remainder := bits.Mul32(word, limit)
		for draw := uint16(1); remainder < biased; draw++ {
			high, remainder = bits.Mul32(s.word(first+uint64(i), draw), limit)
		}
		dst[i] = T(low + uint64(high))
	}
}

// WideIntegers is NarrowIntegers with 64-bit values.
func WideIntegers[T dtype.Integer](dst []T, s Source, first, low, span uint64) {
	var values [BlockSize]uint64
	s.wide(values[:len(dst)], first, 0)
	for i, value := range values[:len(dst)] {
		if span != math.MaxUint64 {
			value = s.within(value, first+uint64(i), span+1)
		}
		dst[i] = T(low + value)
	}
}
