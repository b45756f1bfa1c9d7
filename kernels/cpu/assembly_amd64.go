//go:build !noasm

package cpu

import "github.com/weft-nd/weft/kernels/cpu/internal/features"

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
