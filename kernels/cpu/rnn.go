package cpu

import (
	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

// rnn computes the states Outputs[0], (sequences, times, hidden), and the last ones from x, the weight, the first states and the lengths.
// Integers[1] is 1 if states are rectified, 0 if they are hyperbolic tangents.
func rnn[T gemm.Float](f *gateFunctions[T]) entry {
	return recurrentForward(1, func(t *parallel.Thread, p *recurrentPass[T]) {
		bend := f.tanh
		if p.arguments.Integers[1] != 0 {
			bend = relu[T]
		}
		p.forward(t, recurrentStepCost/3., p.operands[0], func(_ *recurrentWork[T], sequence, time int, h, _, sums []T) {
			y := p.results[0].at(p.recurrent, sequence, time)
			bend(y, sums)
			copy(h, y)
		})
	})
}

// rnnGradient computes the gradients of x, the weight and the first states from the weight, these states, the lengths, y, and the
// gradients of the results.
func rnnGradient[T gemm.Float]() entry {
	return recurrentBackward(1, func(t *parallel.Thread, p *recurrentPass[T], y stateRows[T], up []stateRows[T]) {
		slope, dx := tanhSlopes[T], p.results[0]
		if p.arguments.Integers[1] != 0 {
			slope = reluSlopes[T]
		}
		p.backward(t, recurrentSlopeCost/3., func(_ *recurrentWork[T], sequence, time int, ofH, _, slopes []T) {
			slope(slopes, ofH, y.at(p.recurrent, sequence, time), up[0].at(p.recurrent, sequence, time))
			copy(dx.at(p.recurrent, sequence, time), slopes)
		})
		p.weightGradient(t, 0, p.hidden, dx.all, p.hidden, p.statesBefore(t, y, p.operands[1]))
	})
}

// tanhSlopes computes the gradients of the sums of a time from those of its states y: up and h. It leaves zeros in h.
func tanhSlopes[T gemm.Float](slopes, h, y, up []T) {
	slopes, y, up = slopes[:len(h)], y[:len(h)], up[:len(h)]
	for i, carried := range h {
		slopes[i] = (up[i] + carried) * (1 - T(y[i]*y[i]))
		h[i] = 0
	}
}

// reluSlopes is tanhSlopes of states that are rectified.
func reluSlopes[T gemm.Float](slopes, h, y, up []T) {
	slopes, y, up = slopes[:len(h)], y[:len(h)], up[:len(h)]
	for i, carried := range h {
		slope := up[i] + carried
		if !(y[i] > 0) {
			slope = 0
		}
		slopes[i], h[i] = slope, 0
	}
}

var (
	_ = registerFloats("rnn", rnn(&gateFunctions32), rnn(&gateFunctions64))
	_ = registerFloats("rnn_gradient", rnnGradient[float32](), rnnGradient[float64]())
)
