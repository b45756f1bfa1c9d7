package cpu

import (
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

// newInt8Product returns the products of int8, which are of int32.
func newInt8Product(output, x, y device.View) gemm.Int8Product {
	p := newProduct[float32](output, x, y)
	return gemm.Int8Product{M: p.M, N: p.N, K: p.K, A: p.A, B: p.B, C: p.C, Count: p.Count, Offsets: p.Offsets}
}

// newIntegerProduct returns the products of integers with or without a sign, which wrap round.
func newIntegerProduct[I gemm.Integer](output, x, y device.View) gemm.IntegerProduct[I] {
	p := newProduct[float32](output, x, y)
	return gemm.IntegerProduct[I]{M: p.M, N: p.N, K: p.K, A: p.A, B: p.B, C: p.C, Count: p.Count, Offsets: p.Offsets}
}

// multiplyShort is the product of integers of one or two bytes: that of the same numbers as int32, of which the low bits are right.
func multiplyShort(t *parallel.Thread, a *device.Arguments) error {
	return multiplyWider(t, a, dtype.Int32, newIntegerProduct[int32])
}

func shortScratch(output, x, y device.View) int {
	return widerScratch(output, x, y, dtype.Int32, newIntegerProduct[int32])
}
