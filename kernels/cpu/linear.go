package cpu

import (
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/kernels/cpu/calculus"
	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

// The activations of linear, as its first integer names them.
const (
	LinearPlain = iota
	LinearRelu
	LinearGelu
)

var _ = registerFloats("linear",
	entry{"float32", linear(calculus.Gelu.Float32, multiplying(gonum32))},
	entry{"float64", linear(calculus.Gelu.Float64, multiplying(gonum64))})

var _ = registerReading("linear", func(a *device.Arguments) *device.View {
	output, weight := a.Outputs[0], &a.Inputs[1]
	columns := weight.Shape[1]
	p := gemm.Product[float32]{N: columns, K: weight.Shape[0], B: matrixAt(*weight), C: gemm.Matrix{RowStride: columns, ColumnStride: 1}}
	if columns > 0 {
		p.M = output.Count() / columns
	}
	if output.Count() == 0 || usesGonum || !p.ReadsSource(sourceOf(output.DType)) {
		return nil
	}
	return weight
})

// linear is the kernel of Outputs[0] = activation(Scalars[0]·x·weight + addends): Inputs[0] is x, whose last axis is multiplied,
// Inputs[1] the weight, a matrix, and one or two inputs follow that have the shape of the output. Integers[0] is the activation. The weight
// may be of halves that gemm.Product reads.
func linear[T gemm.Float](gelu func(dst, x []T), gonum Kernel) Kernel {
	applyGelu := func(c []T) { gelu(c, c) }
	return func(t *parallel.Thread, a *device.Arguments) error {
		if a.Outputs[0].Count() == 0 {
			return nil
		}
		s := scratch{memory: a.Scratch}
		p, before, after := arrangeLinear[T](&s, a.Outputs[0], a.Inputs, a.Scalars[0])
		for _, c := range before {
			copyView(t, c.to, c.from)
		}
		if d := a.Inputs[1].DType; d != a.Outputs[0].DType {
			p.Source = sourceOf(d)
		}
		p.Finish.Rectify = a.Integers[0] == LinearRelu
		if a.Integers[0] == LinearGelu {
			p.Finish.Then = applyGelu
		}
		if usesGonum {
			view := func(m gemm.Matrix, rows, columns int) []device.View {
				return []device.View{{Pointer: device.Pointer{Host: m.Start}, DType: a.Outputs[0].DType, Shape: []int{rows, columns}, Strides: []int{m.RowStride, m.ColumnStride}}}
			}
			operands := append(view(p.A, p.M, p.K), view(p.B, p.K, p.N)...)
			if err := gonum(t, &device.Arguments{Outputs: view(p.C, p.M, p.N), Inputs: operands}); err != nil {
				return err
			}
			p.K, p.Beta = 0, p.Alpha
		}
		var temporary unsafe.Pointer // of the product itself, which keeps it, where the operator has none to lend
		if !a.Scratch.IsNil() {
			temporary = s.take(p.Scratch()).Host
		}
		p.Run(t, temporary)
		for _, c := range after {
			copyView(t, c.to, c.from)
		}
		return nil
	}
}

// LinearScratch returns the bytes of temporary memory that the kernel of linear takes for views with these element types, shapes
// and strides, and for the factor alpha of the product.
func LinearScratch(output device.View, inputs []device.View, alpha float64) int {
	if output.Count() == 0 {
		return 0
	}
	s := scratch{dry: true}
	if output.DType.Size() == 4 {
		p, _, _ := arrangeLinear[float32](&s, output, inputs, alpha)
		s.take(p.Scratch())
	} else {
		p, _, _ := arrangeLinear[float64](&s, output, inputs, alpha)
		s.take(p.Scratch())
	}
	return demand(s.bytes)
}

// arrangeLinear returns alpha times the product of the first two inputs, plus the others, and what is to be copied before and after it.
func arrangeLinear[T gemm.Float](s *scratch, output device.View, inputs []device.View, alpha float64) (p gemm.Product[T], before, after []transfer) {
	found := false
	p.M, p.C, found = asMatrix(output)
	if p.N = output.Shape[len(output.Shape)-1]; !found || p.M > 1 && p.N > 1 && p.C.RowStride != 1 && p.C.ColumnStride != 1 {
		whole := newWhole(s, output)
		after = append(after, transfer{output, whole})
		p.M, p.C, _ = asMatrix(whole)
	}
	p.K, p.Alpha, p.Weight = inputs[1].Shape[0], T(alpha), true
	for i, input := range inputs {
		_, m, found := asMatrix(input)
		if !found {
			whole := newWhole(s, input)
			before = append(before, transfer{whole, input})
			_, m, _ = asMatrix(whole)
		}
		switch i {
		case 0:
			p.A = m
		case 1:
			p.B = m
		default:
			p.Finish.Plus[i-2] = m
		}
	}
	return p, before, after
}

// asMatrix returns view as a matrix, all axes but the last as one, and how many rows it has, if the strides allow that.
func asMatrix(view device.View) (rows int, m gemm.Matrix, found bool) {
	rank := len(view.Shape)
	rows, m = 1, gemm.Matrix{Start: view.Pointer.Host, ColumnStride: view.Strides[rank-1]}
	for axis := rank - 2; axis >= 0; axis-- {
		switch length := view.Shape[axis]; {
		case length == 1:
		case rows == 1:
			rows, m.RowStride = length, view.Strides[axis]
		case view.Strides[axis] == rows*m.RowStride:
			rows *= length
		default:
			return 0, m, false
		}
	}
	return rows, m, true
}

// newWhole returns row-major memory of the shape of view, with undefined contents.
func newWhole(s *scratch, view device.View) device.View {
	strides, count := make([]int, len(view.Shape)), 1
	for axis := len(strides) - 1; axis >= 0; axis-- {
		strides[axis] = count
		count *= view.Shape[axis]
	}
	return device.View{Pointer: s.take(count * view.DType.Size()), DType: view.DType, Shape: view.Shape, Strides: strides}
}
