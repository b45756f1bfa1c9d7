//go:build !noasm

package convolution

var (
	avx512Float32 = &family[float32]{16, float32AVX512Sums, float32AVX512Patches, float32AVX512Dots, float32StripAVX512, float32StripGradientAVX512, false, float32InputAVX512, float32OutputAVX512, float32GradientAVX512, float32WeightsAVX512, float32FoldAVX512, float32AVX512Blends, float32PackAVX512, float32TurnAVX512, copyRowsAVX512, streamRowsAVX512, storeFence, fetchRows, float32AddRowsAVX512, float32MergeRowsAVX512, float32EvenRowsAVX512, 200, false}
	avx512Float64 = &family[float64]{8, float64AVX512Sums, float64AVX512Patches, float64AVX512Dots, float64StripAVX512, float64StripGradientAVX512, false, float64InputAVX512, float64OutputAVX512, float64GradientAVX512, float64WeightsAVX512, float64FoldAVX512, float64AVX512Blends, float64PackAVX512, float64TurnAVX512, copyRowsAVX512, streamRowsAVX512, storeFence, fetchRows, float64AddRowsAVX512, float64MergeRowsAVX512, float64EvenRowsAVX512, 100, false}
	avx2Float32   = &family[float32]{8, float32AVX2Sums, float32AVX2Patches, float32AVX2Dots, float32StripAVX2, float32StripGradientAVX2, true, float32InputAVX2, float32OutputAVX2, float32GradientAVX2, float32WeightsAVX2, float32FoldAVX2, float32AVX2Blends, nil, float32TurnAVX2, copyRowsAVX2, streamRowsAVX2, storeFence, fetchRows, float32AddRowsAVX2, float32MergeRowsAVX2, float32EvenRowsAVX2, 100, true}
	avx2Float64   = &family[float64]{4, float64AVX2Sums, float64AVX2Patches, float64AVX2Dots, float64StripAVX2, float64StripGradientAVX2, true, float64InputAVX2, float64OutputAVX2, float64GradientAVX2, float64WeightsAVX2, float64FoldAVX2, float64AVX2Blends, nil, float64TurnAVX2, copyRowsAVX2, streamRowsAVX2, storeFence, fetchRows, float64AddRowsAVX2, float64MergeRowsAVX2, float64EvenRowsAVX2, 50, true}
)
