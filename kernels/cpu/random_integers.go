package cpu

import (
	"math"
	"math/bits"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// narrowIntegers makes numbers from low to low + span by Lemire's unbiased method ("Fast random integer generation in an
// interval", ACM TOMACS 29(1), 2019) from the 32-bit values of the elements. Numbers wrap round in two's complement.
func narrowIntegers[T dtype.Integer](dst []T, s source, first, low, span uint64) {
	var words [blockSize]uint32
	s.narrow(words[:len(dst)], first, 0)
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

// wideIntegers is narrowIntegers with 64-bit values.
func wideIntegers[T dtype.Integer](dst []T, s source, first, low, span uint64) {
	var values [blockSize]uint64
	s.wide(values[:len(dst)], first, 0)
	for i, value := range values[:len(dst)] {
		if span != math.MaxUint64 {
			value = s.within(value, first+uint64(i), span+1)
		}
		dst[i] = T(low + value)
	}
}

// integers is the kernel that fills Outputs[0] with numbers from Integers[2] to Integers[3], both included.
func integers[T dtype.Integer](inner func(dst []T, s source, first, low, span uint64), nanoseconds float64) entry {
	return entry{dtype.Of[T]().String(), func(t *parallel.Thread, a *device.Arguments) error {
		low, span := uint64(a.Integers[2]), uint64(a.Integers[3])-uint64(a.Integers[2])
		drawing(t, a, nanoseconds, func(s source, first uint64, count int, p pointers) {
			inner(slice[T](p[0], count), s, first, low, span)
		})
		return nil
	}}
}

var _ = register("randint",
	integers(narrowIntegers[int8], 3), integers(narrowIntegers[int16], 3), integers(narrowIntegers[int32], 3), integers(wideIntegers[int64], 6),
	integers(narrowIntegers[uint8], 3), integers(narrowIntegers[uint16], 3), integers(narrowIntegers[uint32], 3), integers(wideIntegers[uint64], 6))
