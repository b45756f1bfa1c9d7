package cpu

import (
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

// exactProduct is a product of integers.
type exactProduct interface {
	Scratch() int
	Run(t *parallel.Thread, temporary unsafe.Pointer)
}

// multiplyExactly is the kernel of products that create makes of views.
func multiplyExactly[P exactProduct](create func(output, x, y device.View) P) Kernel {
	return func(t *parallel.Thread, a *device.Arguments) error {
		output := a.Outputs[0]
		if output.Count() == 0 {
			return nil
		}
		s := scratch{memory: a.Scratch}
		result := output
		if !hasAdjacent(output) {
			result = newPacked(&s, output)
		}
		p := create(result, a.Inputs[0], a.Inputs[1])
		p.Run(t, s.take(p.Scratch()).Host)
		if result.Pointer != output.Pointer {
			copyView(t, output, result)
		}
		return nil
	}
}

func exactScratch[P exactProduct](output, x, y device.View, create func(output, x, y device.View) P) int {
	s := scratch{dry: true}
	if !hasAdjacent(output) {
		output = newPacked(&s, output)
	}
	s.take(create(output, x, y).Scratch())
	return demand(s.bytes)
}

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
	output := a.Outputs[0]
	if output.Count() == 0 {
		return nil
	}
	s := scratch{memory: a.Scratch}
	result, x, y, before := arrangeWider(&s, dtype.Int32, output, a.Inputs[0], a.Inputs[1])
	for _, c := range before {
		if err := castView(t, c); err != nil {
			return err
		}
	}
	p := newIntegerProduct[int32](result, x, y)
	p.Run(t, s.take(p.Scratch()).Host)
	return castView(t, transfer{output, result})
}

func shortScratch(output, x, y device.View) int {
	s := scratch{dry: true}
	result, x, y, _ := arrangeWider(&s, dtype.Int32, output, x, y)
	s.take(newIntegerProduct[int32](result, x, y).Scratch())
	return demand(s.bytes)
}
