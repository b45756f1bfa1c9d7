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
	output, x, y := a.Outputs[0], a.Inputs[0], a.Inputs[1]
	switch {
	case output.Count() == 0:
		return nil
	case isOfInstructions(output, x, y):
		return multiplyViews(newBFloat16Product)(t, a)
	case readsHalves(output, x, y):
		return multiplySource(t, a)
	}
	return multiplyWider(t, a, dtype.Float32, newProduct[float32])
}

// isOfInstructions tells whether a product is computed by instructions for bfloat16: not that of a vector, which would
// wait for what is packed for it.
func isOfInstructions(output, x, y device.View) bool {
	if output.DType != dtype.BFloat16 || !gemm.HasBFloat16() {
		return false
	}
	p := newProduct[float32](output, x, y)
	return min(p.M, p.N) > 1
}

// readsHalves tells whether a product reads one of its operands, the matrix where the other is a vector, as it is, and the other alone is cast.
func readsHalves(output, x, y device.View) bool {
	s := scratch{dry: true}
	output.DType = dtype.Float32
	return newProduct[float32](newPacked(&s, output), x, y).ReadsSource(sourceOf(x.DType))
}

func sourceOf(half dtype.DType) gemm.Source {
	if half == dtype.Float16 {
		return gemm.Float16
	}
	return gemm.BFloat16
}

// arrangeHalves returns memory for the result and the operand that is cast, as float32, the product, and how the operand is cast before it.
func arrangeHalves(s *scratch, output, x, y device.View) (result device.View, p gemm.Product[float32], before transfer) {
	source := sourceOf(x.DType)
	output.DType = dtype.Float32
	result = newPacked(s, output)
	operand := &x
	if p := newProduct[float32](result, x, y); p.N == 1 {
		operand = &y
	}
	*operand, before = asWider(s, dtype.Float32, *operand)
	p = newProduct[float32](result, x, y)
	p.Source = source
	return result, p, before
}

func multiplySource(t *parallel.Thread, a *device.Arguments) error {
	s := scratch{memory: a.Scratch}
	result, p, before := arrangeHalves(&s, a.Outputs[0], a.Inputs[0], a.Inputs[1])
	if err := castView(t, before); err != nil {
		return err
	}
	p.Run(t, s.take(p.Scratch()).Host)
	return castView(t, transfer{a.Outputs[0], result})
}

func halvesScratch(output, x, y device.View) int {
	switch {
	case isOfInstructions(output, x, y):
		return viewsScratch(output, x, y, newBFloat16Product)
	case readsHalves(output, x, y):
		s := scratch{dry: true}
		_, p, _ := arrangeHalves(&s, output, x, y)
		s.take(p.Scratch())
		return demand(s.bytes)
	}
	return widerScratch(output, x, y, dtype.Float32, newProduct[float32])
}

// newBFloat16Product returns the products of bfloat16 on a processor that has instructions for them.
func newBFloat16Product(output, x, y device.View) gemm.BFloat16Product {
	p := newProduct[float32](output, x, y)
	return gemm.BFloat16Product{M: p.M, N: p.N, K: p.K, A: p.A, B: p.B, C: p.C, Count: p.Count, Offsets: p.Offsets}
}
