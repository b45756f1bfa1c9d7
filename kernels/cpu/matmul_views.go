package cpu

import (
	"sync"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// viewsProduct is a product of package gemm that is made of views.
type viewsProduct interface {
	Scratch() int
	Run(t *parallel.Thread, temporary unsafe.Pointer)
}

// multiplyViews is the kernel of products that create makes of views.
func multiplyViews[P viewsProduct](create func(output, x, y device.View) P) Kernel {
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

// viewsScratch is MatMulScratch for multiplyViews.
func viewsScratch[P viewsProduct](output, x, y device.View, create func(output, x, y device.View) P) int {
	s := scratch{dry: true}
	if !hasAdjacent(output) {
		output = newPacked(&s, output)
	}
	s.take(create(output, x, y).Scratch())
	return demand(s.bytes)
}

// multiplyWider is multiplyViews for elements d, to which operands are cast before, and from which the result is cast.
func multiplyWider[P viewsProduct](t *parallel.Thread, a *device.Arguments, d dtype.DType, create func(output, x, y device.View) P) error {
	output := a.Outputs[0]
	if output.Count() == 0 {
		return nil
	}
	s := scratch{memory: a.Scratch}
	result, x, y, before := arrangeWider(&s, d, output, a.Inputs[0], a.Inputs[1])
	for _, c := range before {
		if err := castView(t, c); err != nil {
			return err
		}
	}
	p := create(result, x, y)
	p.Run(t, s.take(p.Scratch()).Host)
	return castView(t, transfer{output, result})
}

// widerScratch is MatMulScratch for multiplyWider.
func widerScratch[P viewsProduct](output, x, y device.View, d dtype.DType, create func(output, x, y device.View) P) int {
	s := scratch{dry: true}
	result, x, y, _ := arrangeWider(&s, d, output, x, y)
	s.take(create(result, x, y).Scratch())
	return demand(s.bytes)
}

// arrangeWider returns memory for the result and the operands as elements of another type, and what is to be cast to it before.
func arrangeWider(s *scratch, d dtype.DType, output, x, y device.View) (result, wideX, wideY device.View, before []transfer) {
	output.DType = d
	result = newPacked(s, output)
	wideX, castX := asWider(s, d, x)
	wideY, castY := asWider(s, d, y)
	return result, wideX, wideY, []transfer{castX, castY}
}

// asWider returns memory for an operand as elements of another type, and the cast to it. What is adjacent remains so.
func asWider(s *scratch, d dtype.DType, view device.View) (wide device.View, once transfer) {
	turns := !isRows(view) && isRows(swapped(view))
	if turns {
		view = swapped(view)
	}
	wide = view
	wide.DType = d
	wide, once = packing(s, wide)
	once.from.DType = view.DType
	if turns {
		wide = swapped(wide)
	}
	return wide, once
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
