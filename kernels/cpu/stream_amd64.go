//go:build !noasm

package cpu

import "github.com/weft-nd/weft/kernels/cpu/internal/features"

// The functions of this file choose among the assembly for levels above features.Portable.

func addRow32(dst, x *float32, count int) {
	if features.Best >= features.AVX512 {
		addRowFloat32AVX512(dst, x, count)
	} else {
		addRowFloat32AVX2(dst, x, count)
	}
}

func addRow64(dst, x *float64, count int) {
	if features.Best >= features.AVX512 {
		addRowFloat64AVX512(dst, x, count)
	} else {
		addRowFloat64AVX2(dst, x, count)
	}
}

func streamRow(dst, src *byte, count int) {
	if features.Best >= features.AVX512 {
		streamRowAVX512(dst, src, count)
	} else {
		streamRowAVX2(dst, src, count)
	}
}

func streamZeros(dst *byte, count int) {
	if features.Best >= features.AVX512 {
		streamZerosAVX512(dst, count)
	} else {
		streamZerosAVX2(dst, count)
	}
}

func copyRows(dst, src *byte, offsets *int, count, stride, bytes int) {
	if features.Best >= features.AVX512 {
		copyRowsAVX512(dst, src, offsets, count, stride, bytes)
	} else {
		copyRowsAVX2(dst, src, offsets, count, stride, bytes)
	}
}
