//go:build !noasm

package cpu

import (
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// The functions of this file choose among the assembly for levels above features.Portable.

// hasShuffle reports whether there is assembly that shuffles elements.
func hasShuffle() bool { return features.Best >= features.AVX2 }

func shuffleVectors(size int, dst, src, orders *byte, offsets *int, period, stride, step, count int) {
	switch {
	case size < 4 && features.Best < features.AVX512:
		shuffleBytesAVX2(dst, src, orders, offsets, period, stride, step, count)
	case size == 1:
		shuffleBytesAVX512(dst, src, orders, offsets, period, stride, step, count)
	case size == 2:
		shuffleWordsAVX512(dst, src, orders, offsets, period, stride, step, count)
	case features.Best >= features.AVX512:
		shuffleDoublewordsAVX512(dst, src, orders, offsets, period, stride, step, count)
	default:
		shuffleDoublewordsAVX2(dst, src, orders, offsets, period, stride, step, count)
	}
}

// compressElements writes some of the elements of so many bytes whose byte of mask is not zero, from the first on, to dst, and returns
// how many it has read and written.
func compressElements(size int, dst, x, mask *byte, count, room int) (read, written int) {
	switch {
	case features.Best < features.AVX512:
		return 0, 0
	case size == 1:
		return compressBytesAVX512(dst, x, mask, count, room)
	case size == 2:
		return compressWordsAVX512(dst, x, mask, count, room)
	case size == 4:
		return compressDoublewordsAVX512(dst, x, mask, count, room)
	case size == 8:
		return compressQuadwordsAVX512(dst, x, mask, count, room)
	}
	return 0, 0
}

// compressNumbers is compressElements for the numbers of the bytes, from first on.
func compressNumbers(dst *int64, mask *byte, count, room, first int) (read, written int) {
	if features.Best < features.AVX512 {
		return 0, 0
	}
	return findTrueAVX512(dst, mask, count, room, first)
}

// cumulativeExtreme replaces some of count elements d at x, from the first on, by the largest or smallest of those up to them, and
// returns how many it has done.
func cumulativeExtreme(d dtype.DType, largest bool, x *byte, count int) (done int) {
	if features.Best < features.AVX512 {
		return 0
	}
	switch d {
	case dtype.Float32:
		return either(largest, cumulativeMaxFloat32AVX512, cumulativeMinFloat32AVX512)(x, count)
	case dtype.Float64:
		return either(largest, cumulativeMaxFloat64AVX512, cumulativeMinFloat64AVX512)(x, count)
	case dtype.Int64:
		return either(largest, cumulativeMaxInt64AVX512, cumulativeMinInt64AVX512)(x, count)
	case dtype.Uint64:
		return either(largest, cumulativeMaxUint64AVX512, cumulativeMinUint64AVX512)(x, count)
	}
	return 0
}

func either[F any](first bool, a, b F) F {
	if first {
		return a
	}
	return b
}
