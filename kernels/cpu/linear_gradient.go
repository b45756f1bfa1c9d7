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
		return (&linearSteps{thread: t, dtype: dtype, scratch: scratch{memory: a.Scratch}}).run(a)
	}
}

// LinearGradientScratch returns the bytes of temporary memory that the kernel of linear_gradient takes for views with these element
// types, shapes and strides.
func LinearGradientScratch(outputs, inputs []device.View, activation int64) int {
	s := linearSteps{scratch: scratch{dry: true}}
	_ = s.run(&device.Arguments{Outputs: outputs, Inputs: inputs, Integers: []int64{activation}})
	return demand(s.scratch.bytes)
}

// linearSteps computes the gradient of linear by the kernels of other operators, one after another.
type linearSteps struct {
	thread  *parallel.Thread
	dtype   string
	scratch scratch // if it is dry nothing is computed
}

// Apply calls the kernel of another operator, with so many bytes of temporary memory.
func (s *linearSteps) Apply(operator string, a device.Arguments, bytes int) error {
	if a.Scratch = s.scratch.take(bytes); s.scratch.dry {
		return nil
	}
	return kernels[operator+"/"+s.dtype](s.thread, &a)
}

func (s *linearSteps) run(a *device.Arguments) error {
	x, weight, result, upstream := a.Inputs[0], a.Inputs[1], a.Inputs[2], a.Inputs[3]
	if a.Integers[0] == LinearRelu {
		masked := newWhole(&s.scratch, upstream)
		if err := s.Apply("relu_gradient", device.Arguments{Outputs: []device.View{masked}, Inputs: []device.View{result, upstream}}, 0); err != nil {
			return err
		}
		upstream = masked
	}
	rows, columns := upstream.Shape[0], upstream.Shape[1]
	sum := device.Arguments{Outputs: a.Outputs[1:2], Inputs: []device.View{swapped(upstream)}, Integers: []int64{1}}
	if err := s.Apply("sum", sum, ReductionScratch(columns, rows, 8)); err != nil {
		return err
	}
	if err := s.multiply(a.Outputs[0], swapped(x), upstream); err != nil || len(a.Outputs) < 3 {
		return err
	}
	return s.multiply(a.Outputs[2], upstream, swapped(weight))
}

func (s *linearSteps) multiply(output, x, y device.View) error {
	return s.Apply("matmul", device.Arguments{Outputs: []device.View{output}, Inputs: []device.View{x, y}}, MatMulScratch(output, x, y))
}
