package cpu

import (
	"github.com/weft-nd/weft/kernels/cpu/calculus"
	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

// The functions and operators that gates are computed by.
type gateFunctions[T gemm.Float] struct {
	sigmoid, tanh func(dst, x []T)
	add, multiply func(dst, x, y []T)
}

var (
	gateFunctions32 = gateFunctions[float32]{calculus.Sigmoid.Float32, calculus.Tanh.Float32, stepping("add", add[float32]), stepping("mul", mul[float32])}
	gateFunctions64 = gateFunctions[float64]{calculus.Sigmoid.Float64, calculus.Tanh.Float64, stepping("add", add[float64]), stepping("mul", mul[float64])}
)

// lstm computes the hidden states Outputs[0], (sequences, times, hidden), the last hidden and the last cell states, and, if there are
// five results, the gates and the cell states of all times, from x, the weight, the first hidden and cell states and the lengths.
func lstm[T gemm.Float](f *gateFunctions[T]) entry {
	return recurrentForward(2, func(t *parallel.Thread, p *recurrentPass[T]) {
		loops := &rowLoopsOf[T]().recurrentLoops
		p.forward(t, recurrentStepCost, p.operands[0], func(w *recurrentWork[T], sequence, time int, h, c, sums []T) {
			y, gates, cells := p.results[0].at(p.recurrent, sequence, time), w.gates, w.part[:p.hidden]
			if len(p.results) == 5 {
				gates, cells = p.results[3].at(p.recurrent, sequence, time), p.results[4].at(p.recurrent, sequence, time)
			}
			lstmStep(f, loops, gates, y, c, w.more[:p.hidden], sums)
			copy(cells, c)
			copy(h, y)
		})
	})
}

// lstmStep computes the gates from their sums, the hidden state h, and the cell state c from the one before; bent is for tanh(c).
func lstmStep[T gemm.Float](f *gateFunctions[T], l *recurrentLoops[T], gates, h, c, bent, sums []T) {
	n := len(c)
	f.sigmoid(gates[:2*n], sums[:2*n])
	f.tanh(gates[2*n:3*n], sums[2*n:3*n])
	f.sigmoid(gates[3*n:4*n], sums[3*n:])
	l.lstmCell(&c[0], &gates[0], n)
	f.tanh(bent, c)
	f.multiply(h[:n], gates[3*n:4*n], bent[:n])
}

// lstmGradient computes the gradients of x, the weight and the first hidden and cell states from the weight, these states, the lengths,
// the results y, gates and cells, and the gradients of the five results, in the order of lstm.
func lstmGradient[T gemm.Float](f *gateFunctions[T]) entry {
	return recurrentBackward(2, func(t *parallel.Thread, p *recurrentPass[T], y stateRows[T], up []stateRows[T]) {
		h, c, gates, cells, dx := p.operands[1], p.operands[2], p.operands[5], p.operands[6], p.results[0]
		loops := &rowLoopsOf[T]().recurrentLoops
		p.backward(t, recurrentSlopeCost, func(w *recurrentWork[T], sequence, time int, ofH, ofC, slopes []T) {
			at, bent := func(rows stateRows[T]) []T { return rows.at(p.recurrent, sequence, time) }, w.more[:p.hidden]
			f.tanh(bent, at(cells))
			before := p.before(cells, c, sequence, time)
			loops.lstmSlopes(&slopes[0], &ofH[0], &ofC[0], &at(gates)[0], &at(up[3])[0], &before[0], &bent[0], &at(up[0])[0], &at(up[4])[0], p.hidden)
			copy(at(dx), slopes)
		})
		p.weightGradient(t, 0, p.columns, dx.all, p.columns, p.statesBefore(t, y, h))
	})
}

var (
	_ = registerFloats("lstm", lstm(&gateFunctions32), lstm(&gateFunctions64))
	_ = registerFloats("lstm_inference", lstm(&gateFunctions32), lstm(&gateFunctions64))
	_ = registerFloats("lstm_gradient", lstmGradient(&gateFunctions32), lstmGradient(&gateFunctions64))
)
