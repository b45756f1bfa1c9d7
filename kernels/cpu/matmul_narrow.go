package cpu

import (
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

// multiplyHalves is the product of float16 or bfloat16: that of the same numbers as float32, which is rounded once at the end; that of
// bfloat16 is another where the processor has instructions for it.
func multiplyHalves(t *parallel.Thread, a *device.Arguments) error {
	if isOfInstructions(a.Outputs[0], a.Inputs[0], a.Inputs[1]) {
		return multiplyViews(newBFloat16Product)(t, a)
	}
	return multiplyWider(t, a, dtype.Float32, newProduct[float32])
}

// isOfInstructions tells whether a product is computed by instructions for bfloat16: not a dot product, which would wait for what is packed for it.
func isOfInstructions(output, x, y device.View) bool {
	if output.DType != dtype.BFloat16 || !gemm.HasBFloat16() {
		return false
	}
	p := newProduct[float32](output, x, y)
	return p.M*p.N > 1
}

func halvesScratch(output, x, y device.View) int {
	if isOfInstructions(output, x, y) {
		return viewsScratch(output, x, y, newBFloat16Product)
	}
	return widerScratch(output, x, y, dtype.Float32, newProduct[float32])
}

// newBFloat16Product returns the products of bfloat16 on a processor that has instructions for them.
func newBFloat16Product(output, x, y device.View) gemm.BFloat16Product {
	p := newProduct[float32](output, x, y)
	return gemm.BFloat16Product{M: p.M, N: p.N, K: p.K, A: p.A, B: p.B, C: p.C, Count: p.Count, Offsets: p.Offsets}
}
