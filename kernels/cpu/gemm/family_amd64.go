//go:build !noasm

package gemm

import (
	"golang.org/x/sys/cpu"

	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

var (
	heightsAVX512, heightsAVX2 = &[widths]int{8, 14, 6, 1}, &[widths]int{12, 6, 2, 1}

	rowsFloat32AVX512 = &[sources]rowKernels{
		{float32RowAVX512, float32StripAVX512, float32LineAVX2, nil},
		{float32RowOfFloat16AVX512, float32StripOfFloat16AVX512, float32LineOfFloat16AVX512, packRowsOfFloat16AVX512},
		{float32RowOfBfloat16AVX512, float32StripOfBfloat16AVX512, float32LineOfBfloat16AVX512, packRowsOfBfloat16AVX512},
	}
	rowsFloat64AVX512 = &[sources]rowKernels{{float64RowAVX512, float64StripAVX512, float64LineAVX2, nil}}
	rowsFloat32AVX2   = &[sources]rowKernels{{float32RowAVX2, float32StripAVX2, float32LineAVX2, nil}}
	rowsFloat64AVX2   = &[sources]rowKernels{{float64RowAVX2, float64StripAVX2, float64LineAVX2, nil}}

	avx512Float32 = &family[float32]{
		&[widths]kernel{float32Tile1AVX512, float32Tile2AVX512, float32Tile4AVX512, float32Tile8AVX512},
		heightsAVX512, float32FoursAVX512, turnedKernel{float32TurnedAVX512, 14}, 16, 200, false, packRowsAVX512, float32TurnAVX512, float32LimitAVX512, rowsFloat32AVX512, float32DotAVX2,
		finishing{float32AddAVX512, float32SpreadAVX512, float32RectifyAVX512}, nil, nil, false, avx2Float32,
	}
	avx512Float64 = &family[float64]{
		&[widths]kernel{float64Tile1AVX512, float64Tile2AVX512, float64Tile4AVX512, float64Tile8AVX512},
		heightsAVX512, nil, turnedKernel{float64TurnedAVX512, 14}, 8, 100, false, packRowsAVX512, float64TurnAVX512, float64LimitAVX512, rowsFloat64AVX512, float64DotAVX2,
		finishing{float64AddAVX512, float64SpreadAVX512, float64RectifyAVX512}, nil, nil, false, avx2Float64,
	}
	avx2Float32 = &family[float32]{
		&[widths]kernel{float32Tile1AVX2, float32Tile2AVX2, float32Tile4AVX2, float32Tile8AVX2},
		heightsAVX2, nil, turnedKernel{float32TurnedAVX2, 6}, 8, 100, true, packRowsAVX2, float32TurnAVX2, float32LimitAVX2, rowsFloat32AVX2, float32DotAVX2,
		finishing{float32AddAVX2, float32SpreadAVX2, float32RectifyAVX2}, nil, nil, false, nil,
	}
	avx2Float64 = &family[float64]{
		&[widths]kernel{float64Tile1AVX2, float64Tile2AVX2, float64Tile4AVX2, float64Tile8AVX2},
		heightsAVX2, nil, turnedKernel{float64TurnedAVX2, 10}, 4, 50, true, packRowsAVX2, float64TurnAVX2, float64LimitAVX2, rowsFloat64AVX2, float64DotAVX2,
		finishing{float64AddAVX2, float64SpreadAVX2, float64RectifyAVX2}, nil, nil, false, nil,
	}

	avx512Int32 = &family[float32]{
		kernels: &[widths]kernel{int32Tile1AVX512, int32Tile2AVX512}, heights: heightsWords, lanes: 16, rate: 60, pack: packRowsAVX512, turn: float32TurnAVX512, integers: true, narrower: avx2Int32,
	}
	avx512Int64 = &family[float64]{
		kernels: &[widths]kernel{int64Tile1AVX512, int64Tile2AVX512}, heights: heightsWords, lanes: 8, rate: 30, pack: packRowsAVX512, turn: float64TurnAVX512, integers: true,
	}
	avx2Int32 = &family[float32]{
		kernels: &[widths]kernel{int32Tile1AVX2, int32Tile2AVX2}, heights: heightsPairs, lanes: 8, rate: 30, sliding: true, pack: packRowsAVX2, turn: float32TurnAVX2, integers: true,
	}
	avx2Int64 = portableInt64 // AVX2 has no instruction that multiplies them.

	avx512Int8 = ifVNNI(&family[float32]{
		kernels: &[widths]kernel{quadsTile1AVX512, quadsTile2AVX512}, heights: heightsWords, lanes: 16, rate: 800,
		words: &words{packer: packer{perWord: 4, size: 1, lanes: 16, interleave: interleaveFoursAVX512, turn: float32TurnAVX512, copy: quadsFlipAVX512}, totals: quadsTotalsAVX512},
	}, avx2Int8)
	avx2Int8 = &family[float32]{
		kernels: &[widths]kernel{pairsTile1AVX2, pairsTile2AVX2}, heights: heightsPairs, lanes: 8, rate: 150, sliding: true,
		words: &words{packer: packer{perWord: 2, size: 1, lanes: 8, widen: wordsWidenAVX2, interleave: interleavePairsAVX2, turn: float32TurnAVX2}},
	}
	avx512BFloat16 = &family[float32]{
		kernels: &[widths]kernel{halvesTile1AVX512, halvesTile2AVX512}, heights: heightsWords, lanes: 16, rate: 400,
		words: &words{packer: packer{perWord: 2, size: 2, lanes: 16, interleave: interleavePairsAVX512, turn: float32TurnAVX512, copy: wordsCopyAVX512}, round: halvesRoundAVX512},
	}
	heightsWords, heightsPairs = &[widths]int{8, 14}, &[widths]int{5, 5}

	amxInt8     = &amx{packer{perWord: 4, size: 1, lanes: 16, interleave: interleaveFoursAVX512, turn: float32TurnAVX512, copy: wordsCopyAVX512, whole: true}, 4000, int8MultiplyAMX, nil}
	amxBFloat16 = &amx{packer{perWord: 2, size: 2, lanes: 16, interleave: interleavePairsAVX512, turn: float32TurnAVX512, copy: wordsCopyAVX512, whole: true}, 2000, bfloat16MultiplyAMX, halvesRoundAVX512}
)

// ifVNNI chooses the family for AVX-512: not all processors with that have VNNI.
func ifVNNI(with, without *family[float32]) *family[float32] {
	if cpu.X86.HasAVX512VNNI {
		return with
	}
	return without
}

// On Zen 4 the rates are about half of what they are on others.
func init() {
	if features.Zen4 {
		for _, f := range []*family[float32]{avx512Float32, avx512Int8, avx512BFloat16} {
			f.rate *= 0.55
		}
		avx512Float64.rate *= 0.55
	}
}

var assemblyLines = [4]integerLine{int8LineAVX2, int16LineAVX2, int32LineAVX2, int64LineAVX2}

var assemblyRows = [2]integerRows{int8RowsAVX2, int16RowsAVX2}
