package cpu

import (
	"sync"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

// multiplyHalves is the product of float16 or bfloat16: that of the same numbers as float32, which is rounded once at the end; that of
// bfloat16 is another where the processor has instructions for it.
func multiplyHalves(t *parallel.Thread, a *device.Arguments) error {
	output := a.Outputs[0]
	if output.Count() == 0 {
		return nil
	}
	if isOfInstructions(output, a.Inputs[0], a.Inputs[1]) {
		multiplyBFloat16(t, a)
		return nil
	}
	s := scratch{memory: a.Scratch}
	result, x, y, before := arrangeWider(&s, dtype.Float32, output, a.Inputs[0], a.Inputs[1])
	for _, c := range before {
		if err := castView(t, c); err != nil {
			return err
		}
	}
	p := newProduct[float32](result, x, y)
	p.Run(t, s.take(p.Scratch()).Host)
	return castView(t, transfer{output, result})
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
		return bfloat16Scratch(output, x, y)
	}
	s := scratch{dry: true}
	result, x, y, _ := arrangeWider(&s, dtype.Float32, output, x, y)
	s.take(newProduct[float32](result, x, y).Scratch())
	return demand(s.bytes)
}

// arrangeWider returns memory for the result and the operands as elements of another type, and what is to be cast to it before.
func arrangeWider(s *scratch, d dtype.DType, output, x, y device.View) (result, wideX, wideY device.View, before []transfer) {
	widened := func(view device.View) device.View {
		turns := !isRows(view) && isRows(swapped(view)) // What is adjacent remains so.
		if turns {
			view = swapped(view)
		}
		wide := view
		wide.DType = d
		wide, once := packing(s, wide)
		once.from.DType = view.DType
		before = append(before, once)
		if turns {
			wide = swapped(wide)
		}
		return wide
	}
	output.DType = d
	return newPacked(s, output), widened(x), widened(y), before
}

// castKernels are those of casts between all element types, by their numbers; nil where there is none.
var castKernels = sync.OnceValue(func() *[dtype.Count][dtype.Count]Kernel {
	known := new([dtype.Count][dtype.Count]Kernel)
	for _, from := range dtype.All() {
		for _, to := range dtype.All() {
			known[from][to], _ = Lookup(castName(from, to))
		}
	}
	return known
})

// castView casts one view to the element type and the memory of another.
func castView(t *parallel.Thread, c transfer) error {
	return castKernels()[c.from.DType][c.to.DType](t, &device.Arguments{Outputs: []device.View{c.to}, Inputs: []device.View{c.from}})
}
