package cpu

import (
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/parallel"
)

var _ = registerFloats("linear_gradient", entry{"float32", linearGradient("float32")}, entry{"float64", linearGradient("float64")})

// linearGradient is the kernel of the gradient of linear. Inputs are x (rows, inputs), the weight (inputs, outputs), the result and
// the upstream gradient (rows, outputs); Outputs are the gradients of the weight, of the addend, which is the same for all rows, and
// of x, if that is wanted. Integers[0] is the activation.
func linearGradient(dtype string) Kernel {
	return func(t *parallel.Thread, a *device.Arguments) error {
		return (&linearSteps{thread: t, dtype: dtype, scratch: scratch{memory: a.Scratch}}).run(a.Outputs, a.Inputs, a.Integers[0])
	}
}

// LinearGradientScratch returns the bytes of temporary memory that the kernel of linear_gradient takes for views with these element
// types, shapes and strides.
func LinearGradientScratch(outputs, inputs []device.View, activation int64) int {
	s := linearSteps{scratch: scratch{dry: true}}
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
	if activation == LinearRelu {
		masked := newWhole(&s.scratch, upstream)
		if err := s.Apply("relu_gradient", 0, masked, result, upstream); err != nil {
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
