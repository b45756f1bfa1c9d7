package cpu

import (
	"cmp"
	"sync"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

var _ = registerFloats("linear_gradient", entry{"float32", linearGradient[float32]("float32")}, entry{"float64", linearGradient[float64]("float64")})

// linearGradient is the kernel of the gradient of linear. Inputs are x (rows, inputs), the weight (inputs, outputs), the result and
// the upstream gradient (rows, outputs); Outputs are the gradients of the weight, of the addend, which is the same for all rows, and
// of x, if that is wanted. Integers[0] is the activation.
func linearGradient[T gemm.Float](dtype string) Kernel {
	mask, sum, product := "relu_gradient/"+dtype, "sum/"+dtype, "matmul/"+dtype
	return func(t *parallel.Thread, a *device.Arguments) error {
		if takesBlocks(a.Inputs) {
			return newLinearBlocks[T](&scratch{memory: a.Scratch}, a.Outputs, a.Inputs, a.Integers[0]).run(t)
		}
		s := linearStepsPool.Get().(*linearSteps)
		defer s.release()
		s.plan(scratch{memory: a.Scratch}, a.Outputs, a.Inputs, a.Integers[0])
		if s.mask.isWanted() {
			if err := s.mask.run(t, mask); err != nil {
				return err
			}
		}
		if err := s.sum.run(t, sum); err != nil {
			return err
		}
		return s.multiply(t, product)
	}
}

// LinearGradientScratch returns the bytes of temporary memory that the kernel of linear_gradient takes for views with these element
// types, shapes and strides.
func LinearGradientScratch(outputs, inputs []device.View, activation int64) int {
	if s := (scratch{dry: true}); takesBlocks(inputs) {
		if inputs[0].DType.Size() == 8 {
			newLinearBlocks[float64](&s, outputs, inputs, activation)
		} else {
			newLinearBlocks[float32](&s, outputs, inputs, activation)
		}
		return demand(s.bytes)
	}
	s := linearStepsPool.Get().(*linearSteps)
	defer s.release()
	return demand(s.plan(scratch{dry: true}, outputs, inputs, activation))
}

// linearSteps are the kernels of other operators that the gradient of linear is made of.
type linearSteps struct {
	mask, sum, weight, data linearStep
}

// linearStep is a call of the kernel of another operator.
type linearStep struct {
	views    [3]device.View // the output first
	count    int            // of them
	operands device.Arguments
	turned   [4]int // shape and strides of an operand that is turned
}

var linearStepsPool = sync.Pool{New: func() any { return new(linearSteps) }}

// release puts l back, without what would keep memory alive.
func (l *linearSteps) release() {
	*l = linearSteps{}
	linearStepsPool.Put(l)
}

// plan gives the steps their operands and temporary memory, and returns the bytes of that.
func (l *linearSteps) plan(s scratch, outputs, inputs []device.View, activation int64) int {
	x, weight, result, upstream := inputs[0], inputs[1], inputs[2], inputs[3]
	if activation == LinearRelu {
		masked := newWhole(&s, upstream)
		l.mask.set(&s, 0, masked, result, upstream)
		upstream = masked
	}
	rows, columns := upstream.Shape[0], upstream.Shape[1]
	l.sum.set(&s, ReductionScratch(columns, rows, 8), outputs[1], l.sum.turn(upstream))
	l.sum.operands.Integers = lastAxisAlone
	turned := l.weight.turn(x)
	l.weight.set(&s, MatMulScratch(outputs[0], turned, upstream), outputs[0], turned, upstream)
	if len(outputs) > 2 {
		turned = l.data.turn(weight)
		l.data.set(&s, MatMulScratch(outputs[2], upstream, turned), outputs[2], upstream, turned)
	}
	return s.bytes
}

// lastAxisAlone are the Integers of a reduction of the last axis.
var lastAxisAlone = []int64{1}

func (c *linearStep) set(s *scratch, bytes int, output device.View, inputs ...device.View) {
	c.views[0] = output
	c.count = 1 + copy(c.views[1:], inputs)
	c.operands.Scratch = s.take(bytes)
}

// turn returns a matrix with its axes exchanged, for this step alone.
func (c *linearStep) turn(m device.View) device.View {
	c.turned = [4]int{m.Shape[1], m.Shape[0], m.Strides[1], m.Strides[0]}
	m.Shape, m.Strides = c.turned[:2:2], c.turned[2:]
	return m
}

func (c *linearStep) isWanted() bool { return c.count > 0 }

func (c *linearStep) run(t *parallel.Thread, kernel string) error {
	c.operands.Outputs, c.operands.Inputs = c.views[:1], c.views[1:c.count]
	return kernels[kernel](t, &c.operands)
}

// Two products are done by a thread each where to share each of them would take longer, since every thread needs most of its operands:
// up to so many multiplications of each, for two threads, and of what more threads would save.
const (
	sideBySide   = 4 << 20
	gainedBySide = 512 << 10
)

// multiplicationTime is the nanoseconds of a multiplication in a product, roughly.
const multiplicationTime = 0.012

func (l *linearSteps) multiply(t *parallel.Thread, product string) error {
	if !l.data.isWanted() {
		return l.weight.run(t, product)
	}
	multiplications, threads := l.weight.views[1].Count()*l.weight.views[2].Shape[1], t.NumThreads()
	if multiplications > sideBySide || multiplications*(threads-2)/threads > gainedBySide {
		return cmp.Or(l.weight.run(t, product), l.data.run(t, product))
	}
	both, errors := [...]*linearStep{&l.weight, &l.data}, [2]error{}
	t.ForCost(len(both), multiplicationTime*float64(multiplications), func(t *parallel.Thread, lo, hi int) {
		_ = t.SetNumThreads(1)
		for i := lo; i < hi; i++ {
			errors[i] = both[i].run(t, product)
		}
	})
	return cmp.Or(errors[:]...)
}
