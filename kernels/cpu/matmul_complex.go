package cpu

import (
	"slices"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

// multiplyComplex is the product of complex matrices as one of real ones, by the parts T of their elements, which lie next to each other.
// One of the matrices is used where it lies, mostly the larger one: y by multiplyStacked, or x by multiplySpread. Shapes alone decide it.
func multiplyComplex[T gemm.Float]() Kernel {
	stacked, spread := multiplyStacked[T](complexBinary(plusTurned[T], light)), multiplySpread[T](complexUnary(turn[T], light))
	return func(t *parallel.Thread, a *device.Arguments) error {
		switch {
		case a.Outputs[0].Count() == 0:
			return nil
		case isLittle(a.Outputs[0], a.Inputs[0]):
			multiplyLittle[T](a.Outputs[0], a.Inputs[0], a.Inputs[1])
			return nil
		case hasFewRows(a.Outputs[0]):
			return stacked(t, a)
		}
		return spread(t, a)
	}
}

// littleTerms are so few that to rearrange matrices would take longer than to multiply them.
const littleTerms = 400

// isLittle tells whether the product is one of few terms.
func isLittle(output, x device.View) bool {
	rank := len(output.Shape)
	return output.Count() == output.Shape[rank-2]*output.Shape[rank-1] && output.Count()*x.Shape[rank-1] <= littleTerms
}

// multiplyLittle adds up products one after the other, each part of which is rounded.
func multiplyLittle[T gemm.Float](output, x, y device.View) {
	last := len(output.Shape) - 1
	size := output.DType.Size()
	xRow, xColumn, yRow, yColumn := x.Strides[last-1]*size, x.Strides[last]*size, y.Strides[last-1]*size, y.Strides[last]*size
	for i := range output.Shape[last-1] {
		for j := range output.Shape[last] {
			var sum [2]T
			u, v := unsafe.Add(x.Pointer.Host, i*xRow), unsafe.Add(y.Pointer.Host, j*yColumn)
			for l := range x.Shape[last] {
				p := product2(*(*[2]T)(unsafe.Add(u, l*xColumn)), *(*[2]T)(unsafe.Add(v, l*yRow)))
				sum[0], sum[1] = sum[0]+p[0], sum[1]+p[1]
			}
			*(*[2]T)(unsafe.Add(output.Pointer.Host, i*output.Strides[last-1]*size+j*output.Strides[last]*size)) = sum
		}
	}
}

// hasFewRows tells whether x has so few rows that they, and not those of y, are rearranged.
func hasFewRows(output device.View) bool {
	rank := len(output.Shape)
	return 2*output.Shape[rank-2] <= output.Shape[rank-1]
}

func complexScratch[T gemm.Float](output, x, y device.View) int {
	s := scratch{dry: true}
	if isLittle(output, x) {
		return 0
	}
	if hasFewRows(output) {
		product := newStackedProduct[T](&s, output, x, y).product
		s.take(product.Scratch())
	} else {
		p := arrangeSpread(&s, output, x, y)
		s.take(newProduct[T](inParts(p.output), inParts(p.x), p.y).Scratch())
	}
	return demand(s.bytes)
}

// inParts returns view, whose elements are complex and adjacent along the last axis, as one of twice as many real numbers.
func inParts(view device.View) device.View {
	last := len(view.Shape) - 1
	view = realParts(view)
	view.Shape[last] *= 2
	view.Strides[last] = 1
	return view
}

// realParts returns the real parts of view, in shape and strides of its own.
func realParts(view device.View) device.View {
	view.DType, view.Shape, view.Strides = view.DType.RealPart(), slices.Clone(view.Shape), slices.Clone(view.Strides)
	for axis := range view.Strides {
		view.Strides[axis] *= 2
	}
	return view
}
