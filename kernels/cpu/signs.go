package cpu

import "github.com/weft-nd/weft/dtype"

// The highest bits of floats are their signs, also those of zero and NaN: copysign moves them, and signbit reads them.

// signed registers the loops for floats of type d, as integers of their size.
func signed[U, S dtype.Integer](d dtype.DType) struct{} {
	of := d.String()
	copies, tells := binaryLoop(copySign[U], light), unaryLoop(isBelowZero[S], light)
	copies.dtypes, tells.dtypes = of, of
	registerLoops("copysign", copies)
	return registerLoops("signbit", tells)
}

var (
	_ = signed[uint16, int16](dtype.Float16)
	_ = signed[uint16, int16](dtype.BFloat16)
	_ = signed[uint32, int32](dtype.Float32)
	_ = signed[uint64, int64](dtype.Float64)
)

// copySign takes all bits of x but the highest, which is that of y.
func copySign[U dtype.Integer](dst, x, y []U) {
	dst, y = dst[:len(x)], y[:len(x)]
	others := ^U(0) >> 1
	for i, v := range x {
		dst[i] = v&others | y[i]&^others
	}
}

func isBelowZero[S dtype.Integer](dst []bool, x []S) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = v < 0
	}
}
