package cpu

import (
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

var _ = registerFloats("linear_gradient", entry{"float32", linearGradient[float32]("float32")}, entry{"float64", linearGradient[float64]("float64")})

// activationGradients are the operators that take a gradient back through the activations.
var activationGradients = map[int64]string{LinearRelu: "relu_gradient", LinearGelu: "gelu_gradient"}

// linearGradient is the kernel of the gradient of linear. Inputs are x (rows, inputs), the weight (inputs, outputs), the result, or
// the sum that gelu is of, and the upstream gradient (rows, outputs); Outputs are the gradients of the weight, of the addend, which is the same for all rows, and
// of x, if that is wanted. Integers[0] is the activation.
func linearGradient[T gemm.Float](dtype string) Kernel {
	return func(t *parallel.Thread, a *device.Arguments) error {
		if takesBlocks(a.Inputs) {
			return newLinearBlocks[T](&scratch{memory: a.Scratch}, a.Outputs, a.Inputs, a.Integers[0]).run(t)
		}
		return (&linearSteps{thread: t, dtype: dtype, scratch: scratch{memory: a.Scratch}}).run(a.Outputs, a.Inputs, a.Integers[0])
	}
}

// LinearGradientScratch returns the bytes of temporary memory that the kernel of linear_gradient takes for views with these element
// types, shapes and strides.
func LinearGradientScratch(outputs, inputs []device.View, activation int64) int {
	s := linearSteps{scratch: scratch{dry: true}}
	if takesBlocks(inputs) {
		if inputs[0].DType.Size() == 8 {
			newLinearBlocks[float64](&s.scratch, outputs, inputs, activation)
		} else {
			newLinearBlocks[float32](&s.scratch, outputs, inputs, activation)
		}
		return demand(s.scratch.bytes)
	}
	_ = s.run(outputs, inputs, activation)
	return demand(s.scratch.bytes)
}

// linearSteps computes the gradient of linear by the kernels of other operators, one after another.
type linearSteps struct {
	thread  *parallel.Thread
	dtype   string
	scratch scratch // if it is dry nothing is computed

	// The arguments of a step.
	arguments device.Arguments
	views     [3]device.View
	axes      [1]int64
}

func (s *linearSteps) run(outputs, inputs []device.View, activation int64) error {
	x, weight, result, upstream := inputs[0], inputs[1], inputs[2], inputs[3]
	if gradient := activationGradients[activation]; gradient != "" {
		masked := newWhole(&s.scratch, upstream)
		if err := s.Apply(gradient, 0, masked, result, upstream); err != nil {
			return err
		}
		upstream = masked
	}
	rows, columns := upstream.Shape[0], upstream.Shape[1]
	if err := s.Apply("sum", ReductionScratch(columns, rows, 8), outputs[1], swapped(upstream)); err != nil {
		return err
	}
	if err := s.multiply(outputs[0], swapped(x), upstream); err != nil || len(outputs) < 3 {
		return err
	}
	return s.multiply(outputs[2], upstream, swapped(weight))
}

func (s *linearSteps) multiply(output, x, y device.View) error {
	return s.Apply("matmul", MatMulScratch(output, x, y), output, x, y)
}

// Apply calls the kernel of another operator, with so many bytes of temporary memory. A reduction is one of the last axis.
func (s *linearSteps) Apply(operator string, bytes int, output device.View, inputs ...device.View) error {
	memory := s.scratch.take(bytes)
	if s.scratch.dry {
		return nil
	}
	s.views[0], s.axes[0] = output, 1
	count := copy(s.views[1:], inputs)
	s.arguments = device.Arguments{Outputs: s.views[:1], Inputs: s.views[1 : 1+count], Integers: s.axes[:], Scratch: memory}
	return kernels[operator+"/"+s.dtype](s.thread, &s.arguments)
}
