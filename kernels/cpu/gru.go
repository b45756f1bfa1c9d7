package cpu

import (
	"unsafe"

	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

// gru computes the states Outputs[0], (sequences, times, hidden), the last ones, and, if there are three results, the gates of all times,
// the candidates, and what the reset gates are factors of, from x, the weight, its bias, the first states and the lengths.
func gru[T gemm.Float](f *gateFunctions[T]) entry {
	return recurrentForward(1, func(t *parallel.Thread, p *recurrentPass[T]) {
		x, bias, loops := p.operands[0], p.operands[2].repeated(), &rowLoopsOf[T]().recurrentLoops
		p.forward(t, recurrentStepCost, bias, func(w *recurrentWork[T], sequence, time int, h, _, sums []T) {
			gates := w.gates
			if len(p.results) == 3 {
				gates = p.results[2].at(p.recurrent, sequence, time)
			}
			gruStep(f, loops, gates, h, sums, x.at(p.recurrent, sequence, time))
			copy(p.results[0].at(p.recurrent, sequence, time), h)
		})
	})
}

// gruStep computes the gates, the candidate, the state h from the one before, and the last of the four parts of gates, which is the sum for
// the candidate of the state before. Sums has what comes from that state, x what comes from the input.
func gruStep[T gemm.Float](f *gateFunctions[T], l *recurrentLoops[T], gates, h, sums, x []T) {
	n := len(h)
	f.add(sums[:2*n], sums[:2*n], x[:2*n])
	f.sigmoid(gates[:2*n], sums[:2*n])
	reset, update, candidate, inner := gates[:n], gates[n:2*n], gates[2*n:3*n], gates[3*n:4*n]
	last := sums[2*n : 3*n]
	l.gruSums(&last[0], &inner[0], &x[2*n], &reset[0], n)
	f.tanh(candidate, last)
	l.gruState(&h[0], &candidate[0], &update[0], n)
}

// gruGradient computes the gradients of x, the weight, its bias and the first states from the weight, these states, the lengths, the
// results y and gates, and the gradients of the three results, in the order of gru.
func gruGradient[T gemm.Float]() entry {
	return recurrentBackward(1, func(t *parallel.Thread, p *recurrentPass[T], y stateRows[T], up []stateRows[T]) {
		h, gates, n, dx := p.operands[1], p.operands[4], p.hidden, p.results[0]
		inner := p.rows() // the gradients of the last part of gates
		p.timed = append(p.timed, inner)
		loops := &rowLoopsOf[T]().recurrentLoops
		p.backward(t, recurrentSlopeCost, func(_ *recurrentWork[T], sequence, time int, ofH, _, slopes []T) {
			at := func(rows stateRows[T]) []T { return rows.at(p.recurrent, sequence, time) }
			ofSums, ofInner, before := at(dx), at(inner), p.before(y, h, sequence, time)
			loops.gruSlopes(&ofSums[0], &ofInner[0], &ofH[0], &at(gates)[0], &at(up[2])[0], &before[0], &at(up[0])[0], n)
			copy(slopes, ofSums[:2*n])
			copy(slopes[2*n:], ofInner)
		})
		states := p.statesBefore(t, y, h)
		for _, part := range []struct {
			first, rows, step int
			slopes            []T
		}{{0, 2 * n, 3 * n, dx.all}, {2 * n, n, n, inner.all}} {
			p.weightGradient(t, part.first, part.rows, part.slopes, part.step, states)
			p.biasGradient(t, part.first, part.rows, part.slopes, part.step)
		}
	})
}

// biasGradient computes the gradient of some elements of the bias: the sums of those of the sums over all times; see weightGradient.
func (p *recurrentPass[T]) biasGradient(t *parallel.Thread, first, count int, slopes []T, step int) {
	dst, one := p.results[2].all, T(1)
	if len(slopes) == 0 {
		clear(dst)
		return
	}
	gemm.Product[T]{
		M: 1, N: count, K: p.sequences * p.times, Alpha: 1, A: gemm.Matrix{Start: unsafe.Pointer(&one)}, B: matrixFrom(slopes, 0, step), C: matrixFrom(dst, first, 3*p.hidden),
	}.Run(t, nil)
}

var (
	_ = registerFloats("gru", gru(&gateFunctions32), gru(&gateFunctions64))
	_ = registerFloats("gru_inference", gru(&gateFunctions32), gru(&gateFunctions64))
	_ = registerFloats("gru_gradient", gruGradient[float32](), gruGradient[float64]())
)
