//go:build !amd64 || noasm

package gemm

// There is no assembly, so features.Best is features.Portable and these are never chosen.
var (
	avx512Float32, avx2Float32 *family[float32]
	avx512Float64, avx2Float64 *family[float64]
	avx512Int32, avx2Int32     *family[float32]
	avx512Int64, avx2Int64     *family[float64]
	avx512Int8, avx2Int8       *family[float32]
	avx512BFloat16             *family[float32]
	amxInt8, amxBFloat16       *amx
	assemblyLines              [4]integerLine
	assemblyRows               [2]integerRows
)
