package cpu

import (
	"slices"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

// multiplySpread computes the product of complex matrices by the parts T of their elements, where x lies: a row of x is a row of twice as
// many real numbers, and so is one of the result if each element of y stands for two rows: itself, and the imaginary unit times it,
// which meet the real and the imaginary part of an element of x.
func multiplySpread[T gemm.Float](turning *inner) Kernel {
	return func(t *parallel.Thread, a *device.Arguments) error {
		y := a.Inputs[1]
		s := scratch{memory: a.Scratch}
		p := arrangeSpread(&s, a.Outputs[0], a.Inputs[0], y)
		for _, c := range p.before {
			copyView(t, c.to, c.from)
		}
		if y.Count() > 0 {
			itself, turned := p.rowsOf(y)
			copyView(t, itself.to, itself.from)
			if err := elementwise(turning)(t, &device.Arguments{Outputs: []device.View{turned.to}, Inputs: []device.View{turned.from}}); err != nil {
				return err
			}
		}
		product := newProduct[T](inParts(p.output), inParts(p.x), p.y)
		product.Run(t, s.take(product.Scratch()).Host)
		for _, c := range p.after {
			copyView(t, c.to, c.from)
		}
		return nil
	}
}

// arrangeSpread brings result and first operand into the form that multiplySpread wants, in which y has real elements, and
// twice as many rows and columns; they are not there yet.
func arrangeSpread(s *scratch, output, x, y device.View) (p matrixProduct) {
	last := len(output.Shape) - 1
	p = matrixProduct{output: output, x: x}
	if output.Shape[last] > 1 && output.Strides[last] != 1 {
		p.output = newPacked(s, output)
		p.after = append(p.after, transfer{output, p.output})
	}
	if x.Shape[last] > 1 && x.Strides[last] != 1 {
		packed, once := packing(s, x)
		p.x, p.before = packed, append(p.before, once)
	}
	y.DType, y.Shape = y.DType.RealPart(), slices.Clone(y.Shape)
	y.Shape[last-1] *= 2
	y.Shape[last] *= 2
	p.y = newPacked(s, y)
	return p
}

// rowsOf returns which rows of p.y become those of y, and which ones these times the imaginary unit. Repeated matrices are there
// once.
func (p *matrixProduct) rowsOf(y device.View) (itself, turned transfer) {
	last := len(y.Shape) - 1
	to := device.View{Pointer: p.y.Pointer, DType: y.DType, Shape: slices.Clone(y.Shape), Strides: slices.Clone(p.y.Strides)}
	for axis, stride := range to.Strides[:last-1] {
		if to.Strides[axis] = stride / 2; stride == 0 {
			to.Shape[axis] = 1
		}
	}
	to.Strides[last] = 1 // that of a row is the same: two rows of half as many elements
	y.Shape = to.Shape
	below := to
	below.Pointer = to.Pointer.Add(to.Strides[last-1] / 2 * y.DType.Size())
	return transfer{to, y}, transfer{below, y}
}
