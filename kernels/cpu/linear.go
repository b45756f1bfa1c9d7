package cpu

import (
	"github.com/weft-nd/weft/device"
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
	entry{"float32", linear(gelu32, multiplying(gonum32))},
	entry{"float64", linear(gelu64, multiplying(gonum64))})

// linear is the kernel of Outputs[0] = activation(Scalars[0]·x·weight + addends): Inputs[0] is x, whose last axis is multiplied,
// Inputs[1] the weight, a matrix, and one or two inputs follow that have the shape of the output. Integers[0] is the activation.
func linear[T gemm.Float](gelu func(dst, x []T), gonum Kernel) Kernel {
	applyGelu := func(c []T) { gelu(c, c) }
	return func(t *parallel.Thread, a *device.Arguments) error {
		if a.Outputs[0].Count() == 0 {
			return nil
		}
		s := scratch{memory: a.Scratch}
		views, before, after := arrangeLinear(&s, a.Outputs[0], a.Inputs)
		for _, c := range before {
			copyView(t, c.to, c.from)
		}
		p := linearProduct[T](views)
		p.Alpha = T(a.Scalars[0])
		p.Finish.Rectify = a.Integers[0] == LinearRelu
		if a.Integers[0] == LinearGelu {
			p.Finish.Then = applyGelu
		}
		if usesGonum {
			if err := gonum(t, &device.Arguments{Outputs: views[:1], Inputs: views[1:3]}); err != nil {
				return err
			}
			p.K, p.Beta = 0, p.Alpha
		}
		p.Run(t, s.take(p.Scratch()).Host)
		for _, c := range after {
			copyView(t, c.to, c.from)
		}
		return nil
	}
}

// LinearScratch returns the bytes of temporary memory that the kernel of linear takes for views with these element types, shapes
// and strides.
func LinearScratch(output device.View, inputs []device.View) int {
	if output.Count() == 0 {
		return 0
	}
	s := scratch{dry: true}
	views, _, _ := arrangeLinear(&s, output, inputs)
	if output.DType.Size() == 4 {
		s.take(linearProduct[float32](views).Scratch())
	} else {
		s.take(linearProduct[float64](views).Scratch())
	}
	return demand(s.bytes)
}

// arrangeLinear returns the output and the inputs as matrices, and what is to be copied before and after for that.
func arrangeLinear(s *scratch, output device.View, inputs []device.View) (matrices []device.View, before, after []transfer) {
	c, found := asMatrix(output)
	if !found || !hasAdjacent(c) {
		whole := newWhole(s, output)
		after = append(after, transfer{output, whole})
		c, _ = asMatrix(whole)
	}
	matrices = append(matrices, c)
	for _, input := range inputs {
		m, found := asMatrix(input)
		if !found {
			whole := newWhole(s, input)
			before = append(before, transfer{whole, input})
			m, _ = asMatrix(whole)
		}
		matrices = append(matrices, m)
	}
	return matrices, before, after
}

// asMatrix returns view with all axes but the last as one, if the strides allow that.
func asMatrix(view device.View) (matrix device.View, found bool) {
	rank := len(view.Shape)
	rows, stride := 1, 0
	for axis := rank - 2; axis >= 0; axis-- {
		switch length := view.Shape[axis]; {
		case length == 1:
		case rows == 1:
			rows, stride = length, view.Strides[axis]
		case view.Strides[axis] == rows*stride:
			rows *= length
		default:
			return view, false
		}
	}
	view.Shape, view.Strides = []int{rows, view.Shape[rank-1]}, []int{stride, view.Strides[rank-1]}
	return view, true
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

// linearProduct returns the product of the matrices of arrangeLinear.
func linearProduct[T gemm.Float](views []device.View) gemm.Product[T] {
	c, a, b := views[0], views[1], views[2]
	p := gemm.Product[T]{M: c.Shape[0], N: c.Shape[1], K: a.Shape[1], Alpha: 1, A: matrixAt(a), B: matrixAt(b), C: matrixAt(c)}
	for i, addend := range views[3:] {
		p.Finish.Plus[i] = matrixAt(addend)
	}
	return p
}
