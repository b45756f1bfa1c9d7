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
		slope, dx := rowLoopsOf[T]().tanhSlopes, p.results[0]
		if p.arguments.Integers[1] != 0 {
			slope = reluSlopes[T]
		}
		p.backward(t, recurrentSlopeCost/3., func(_ *recurrentWork[T], sequence, time int, ofH, _, slopes []T) {
			slope(&slopes[0], &ofH[0], &y.at(p.recurrent, sequence, time)[0], &up[0].at(p.recurrent, sequence, time)[0], p.hidden)
			copy(dx.at(p.recurrent, sequence, time), slopes)
		})
		p.weightGradient(t, 0, p.hidden, dx.all, p.hidden, p.statesBefore(t, y, p.operands[1]))
	})
}

// reluSlopes is tanhSlopes of recurrentLoops for states that are rectified.
func reluSlopes[T gemm.Float](slopes, carried, y, ofState *T, count int) {
	to, h, states, up := rowOf(slopes, count), rowOf(carried, count), rowOf(y, count), rowOf(ofState, count)
	for i, v := range h {
		slope := up[i] + v
		if !(states[i] > 0) {
			slope = 0
		}
		to[i], h[i] = slope, 0
	}
}

var (
	_ = registerFloats("rnn", rnn(&gateFunctions32), rnn(&gateFunctions64))
	_ = registerFloats("rnn_gradient", rnnGradient[float32](), rnnGradient[float64]())
)
