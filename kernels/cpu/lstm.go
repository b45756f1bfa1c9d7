package cpu

import (
	"github.com/weft-nd/weft/kernels/cpu/calculus"
	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

// The functions that gates are computed by.
type gateFunctions[T gemm.Float] struct{ sigmoid, tanh func(dst, x []T) }

var (
	gateFunctions32 = gateFunctions[float32]{calculus.Sigmoid.Float32, calculus.Tanh.Float32}
	gateFunctions64 = gateFunctions[float64]{calculus.Sigmoid.Float64, calculus.Tanh.Float64}
)

// lstm computes the hidden states Outputs[0], (sequences, times, hidden), the last hidden and the last cell states, and, if there are
// five results, the gates and the cell states of all times, from x, the weight, the first hidden and cell states and the lengths.
func lstm[T gemm.Float](f *gateFunctions[T]) entry {
	return recurrentForward(2, func(t *parallel.Thread, p *recurrentPass[T]) {
		p.forward(t, recurrentStepCost, p.operands[0], func(w *recurrentWork[T], sequence, time int, h, c, sums []T) {
			y, gates, cells := p.results[0].at(p.recurrent, sequence, time), w.gates, w.part[:p.hidden]
			if len(p.results) == 5 {
				gates, cells = p.results[3].at(p.recurrent, sequence, time), p.results[4].at(p.recurrent, sequence, time)
			}
			lstmStep(f, gates, y, c, w.more[:p.hidden], sums)
			copy(cells, c)
			copy(h, y)
		})
	})
}

// lstmStep computes the gates from their sums, the hidden state h, and the cell state c from the one before; bent is for tanh(c).
func lstmStep[T gemm.Float](f *gateFunctions[T], gates, h, c, bent, sums []T) {
	n := len(c)
	f.sigmoid(gates[:2*n], sums[:2*n])
	f.tanh(gates[2*n:3*n], sums[2*n:3*n])
	f.sigmoid(gates[3*n:4*n], sums[3*n:])
	in, forget, candidate, out := gates[:n], gates[n:2*n], gates[2*n:3*n], gates[3*n:4*n]
	for i, v := range c {
		c[i] = T(forget[i]*v) + T(in[i]*candidate[i])
	}
	f.tanh(bent, c)
	h = h[:n]
	for i, v := range out {
		h[i] = v * bent[i]
	}
}

// lstmGradient computes the gradients of x, the weight and the first hidden and cell states from the weight, these states, the lengths,
// the results y, gates and cells, and the gradients of the five results, in the order of lstm.
func lstmGradient[T gemm.Float](f *gateFunctions[T]) entry {
	return recurrentBackward(2, func(t *parallel.Thread, p *recurrentPass[T], y stateRows[T], up []stateRows[T]) {
		h, c, gates, cells, dx := p.operands[1], p.operands[2], p.operands[5], p.operands[6], p.results[0]
		p.backward(t, recurrentSlopeCost, func(w *recurrentWork[T], sequence, time int, ofH, ofC, slopes []T) {
			at, bent := func(rows stateRows[T]) []T { return rows.at(p.recurrent, sequence, time) }, w.more[:p.hidden]
			f.tanh(bent, at(cells))
			l := lstmSlopes[T]{at(gates), p.before(cells, c, sequence, time), bent, at(up[0]), at(up[3]), at(up[4])}
			l.step(slopes, ofH, ofC)
			copy(at(dx), slopes)
		})
		p.weightGradient(t, 0, p.columns, dx.all, p.columns, p.statesBefore(t, y, h))
	})
}

// lstmSlopes is what the gradient of one time of a sequence follows from: the gates, the cell state before, tanh of the one after, and the
// gradients of the hidden state, the gates and the cell state after.
type lstmSlopes[T gemm.Float] struct{ gates, before, bent, ofHidden, ofGates, ofCell []T }

// step computes the gradients of the sums of the gates from those of the states after the time, h and c. It leaves that of the cell state
// before in c, and zeros in h.
func (l *lstmSlopes[T]) step(slopes, h, c []T) {
	n := len(h)
	in, forget, candidate, out := l.gates[:n], l.gates[n:2*n], l.gates[2*n:3*n], l.gates[3*n:4*n]
	upIn, upForget, upCandidate, upOut := l.ofGates[:n], l.ofGates[n:2*n], l.ofGates[2*n:3*n], l.ofGates[3*n:4*n]
	toIn, toForget, toCandidate, toOut := slopes[:n], slopes[n:2*n], slopes[2*n:3*n], slopes[3*n:4*n]
	before, bent, ofHidden, ofCell, c := l.before[:n], l.bent[:n], l.ofHidden[:n], l.ofCell[:n], c[:n]
	for j, carried := range h {
		i, f, g, o, b := in[j], forget[j], candidate[j], out[j], bent[j]
		hidden := ofHidden[j] + carried
		cell := c[j] + ofCell[j] + T(hidden*o*(1-T(b*b)))
		toIn[j] = (T(cell*g) + upIn[j]) * i * (1 - i)
		toForget[j] = (T(cell*before[j]) + upForget[j]) * f * (1 - f)
		toCandidate[j] = (T(cell*i) + upCandidate[j]) * (1 - T(g*g))
		toOut[j] = (T(hidden*b) + upOut[j]) * o * (1 - o)
		c[j], h[j] = cell*f, 0
	}
}

var (
	_ = registerFloats("lstm", lstm(&gateFunctions32), lstm(&gateFunctions64))
	_ = registerFloats("lstm_inference", lstm(&gateFunctions32), lstm(&gateFunctions64))
	_ = registerFloats("lstm_gradient", lstmGradient(&gateFunctions32), lstmGradient(&gateFunctions64))
)
