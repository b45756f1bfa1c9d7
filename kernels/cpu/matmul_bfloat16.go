package cpu

import (
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

// multiplyBFloat16 is the product of bfloat16 on a processor that has one.
func multiplyBFloat16(t *parallel.Thread, a *device.Arguments) {
	output := a.Outputs[0]
	s := scratch{memory: a.Scratch}
	result := output
	if !hasAdjacent(output) {
		result = newPacked(&s, output)
	}
	p := newBFloat16Product(result, a.Inputs[0], a.Inputs[1])
	p.Run(t, s.take(p.Scratch()).Host)
	if result.Pointer != output.Pointer {
		copyView(t, output, result)
	}
}

func bfloat16Scratch(output, x, y device.View) int {
	s := scratch{dry: true}
	if !hasAdjacent(output) {
		output = newPacked(&s, output)
	}
	s.take(newBFloat16Product(output, x, y).Scratch())
	return demand(s.bytes)
}

func newBFloat16Product(output, x, y device.View) gemm.BFloat16Product {
	p := newProduct[float32](output, x, y)
	return gemm.BFloat16Product{M: p.M, N: p.N, K: p.K, A: p.A, B: p.B, C: p.C, Count: p.Count, Offsets: p.Offsets}
}
