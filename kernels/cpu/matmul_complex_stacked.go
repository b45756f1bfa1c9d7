package cpu

import (
	"slices"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

// stackedProduct is a product of complex matrices, by the parts T of their elements, where y lies, which is one of twice as many real
// columns: the real parts of x and then its imaginary parts, as twice as many rows, are multiplied by it, and to the first half of
// the products is added the second one times the imaginary unit.
type stackedProduct[T gemm.Float] struct {
	before  []transfer
	product gemm.Product[T]
	sums    device.View // the products of all rows
}

// multiplyStacked is the kernel of such products, of which joining adds the halves.
func multiplyStacked[T gemm.Float](joining *inner) Kernel {
	return func(t *parallel.Thread, a *device.Arguments) error {
		output := a.Outputs[0]
		s := scratch{memory: a.Scratch}
		p := newStackedProduct[T](&s, output, a.Inputs[0], a.Inputs[1])
		for _, c := range p.before {
			copyView(t, c.to, c.from)
		}
		p.product.Run(t, s.take(p.product.Scratch()).Host)
		itself, turned := p.halves(output)
		return elementwise(joining)(t, &device.Arguments{Outputs: []device.View{output}, Inputs: []device.View{itself, turned}})
	}
}

func newStackedProduct[T gemm.Float](s *scratch, output, x, y device.View) (p stackedProduct[T]) {
	last := len(output.Shape) - 1
	if y.Shape[last] > 1 && y.Strides[last] != 1 {
		packed, once := packing(s, y)
		y, p.before = packed, append(p.before, once)
	}
	stacked, once := packing(s, partsFirst(x))
	p.before = append(p.before, once)
	p.sums = output
	p.sums.DType, p.sums.Shape = output.DType.RealPart(), slices.Clone(output.Shape)
	p.sums.Shape[last-1] *= 2
	p.sums.Shape[last] *= 2
	p.sums = newPacked(s, p.sums)
	p.product = newProduct[T](p.sums, unitedWithNext(stacked, last-1), inParts(y))
	return p
}

// partsFirst returns view, of complex numbers, with an axis of their parts before the last two.
func partsFirst(view device.View) device.View {
	axis := len(view.Shape) - 2
	view = realParts(view)
	view.Shape, view.Strides = slices.Insert(view.Shape, axis, 2), slices.Insert(view.Strides, axis, 1)
	return view
}

// unitedWithNext returns view, which is contiguous there, with an axis and the one behind it as one.
func unitedWithNext(view device.View, axis int) device.View {
	view.Shape, view.Strides = slices.Clone(view.Shape), slices.Clone(view.Strides)
	view.Shape[axis+1] *= view.Shape[axis]
	view.Shape, view.Strides = slices.Delete(view.Shape, axis, axis+1), slices.Delete(view.Strides, axis, axis+1)
	return view
}

// halves returns the sums of the real parts of x and those of its imaginary parts, as complex numbers.
func (p *stackedProduct[T]) halves(output device.View) (first, second device.View) {
	last := len(output.Shape) - 1
	first = device.View{Pointer: p.sums.Pointer, DType: output.DType, Shape: output.Shape, Strides: slices.Clone(p.sums.Strides)}
	for axis := range first.Strides {
		first.Strides[axis] /= 2
	}
	first.Strides[last] = 1
	second = first
	second.Pointer = first.Pointer.Add(output.Shape[last-1] * first.Strides[last-1] * output.DType.Size())
	return first, second
}

// plusTurned adds the imaginary unit times y to x.
func plusTurned[T gemm.Float](dst, x, y [][2]T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = [2]T{x[i][0] - y[i][1], x[i][1] + y[i][0]}
	}
}
