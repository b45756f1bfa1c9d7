package cpu

import "github.com/weft-nd/weft/dtype"

// nonzero counts the elements that are not zero; NaN is not.
func nonzero[T dtype.Number](_ *workspace, x []T, _ int) int64 {
	count := int64(0)
	for _, v := range x {
		if v != 0 {
			count++
		}
	}
	return count
}

// halvesNonzero counts the elements of float16 or bfloat16 that are neither 0 nor −0.
func halvesNonzero(_ *workspace, x []uint16, _ int) int64 {
	count := int64(0)
	for _, v := range x {
		if v<<1 != 0 {
			count++
		}
	}
	return count
}

func counted[T dtype.Number](d dtype.DType, leaf func(w *workspace, x []T, first int) int64, store results[int64]) entry {
	return entry{d.String(), reducer[T, int64]{fold: fold[T, int64]{leaf: leaf, join: plus[int64]}, store: store}.kernel}
}

// countings are the kernels of what follows from the number of elements that are not zero.
func countings[D any](finish func(nonzero int64, count int) D) []entry {
	store := storing(finish)
	return []entry{
		counted(dtype.Bool, nonzero[uint8], store), counted(dtype.Float16, halvesNonzero, store), counted(dtype.BFloat16, halvesNonzero, store),
		counted(dtype.Float32, nonzero[float32], store), counted(dtype.Float64, nonzero[float64], store),
		counted(dtype.Int8, nonzero[uint8], store), counted(dtype.Int16, nonzero[uint16], store),
		counted(dtype.Int32, nonzero[uint32], store), counted(dtype.Int64, nonzero[uint64], store),
		counted(dtype.Uint8, nonzero[uint8], store), counted(dtype.Uint16, nonzero[uint16], store),
		counted(dtype.Uint32, nonzero[uint32], store), counted(dtype.Uint64, nonzero[uint64], store),
		counted(dtype.Complex64, nonzero[complex64], store), counted(dtype.Complex128, nonzero[complex128], store),
	}
}

var (
	_ = register("count_nonzero", countings(same[int64])...)
	_ = register("any", countings(func(nonzero int64, _ int) bool { return nonzero > 0 })...)
	_ = register("all", countings(func(nonzero int64, count int) bool { return nonzero == int64(count) })...)
)
