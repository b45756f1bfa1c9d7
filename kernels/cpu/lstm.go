package cpu

import (
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

// The functions that gates are computed by.
type gateFunctions[T gemm.Float] struct{ sigmoid, tanh func(dst, x []T) }

var (
	gateFunctions32 = gateFunctions[float32]{sigmoid32, tanh32}
	gateFunctions64 = gateFunctions[float64]{sigmoid64, tanh64}
)

// lstm computes the hidden states Outputs[0], (sequences, times, hidden), the last hidden and the last cell states, and, if there are
// five results, the gates and the cell states of all times, from x, the weight, the first hidden and cell states and the lengths.
func lstm[T gemm.Float](f *gateFunctions[T]) entry {
	return entry{dtype.Of[T]().String(), func(t *parallel.Thread, a *device.Arguments) error {
		g, err := newRecurrent(a, a.Outputs[0], a.Inputs[1], a.Inputs[4])
		if err != nil || g.empty() {
			return err
		}
		s := scratch{memory: a.Scratch}
		x, weight := readRows[T](t, &s, a.Inputs[0]), newRecurrentWeight[T](t, &s, g, a.Inputs[1], true)
		h, c := readRows[T](t, &s, a.Inputs[2]), readRows[T](t, &s, a.Inputs[3])
		var results [5]stateRows[T]
		for i, view := range a.Outputs {
			rows, finish := writeRows[T](t, &s, view)
			results[i] = rows
			defer finish()
		}
		keeps := len(a.Outputs) == 5
		g.blocks(t, recurrentStep, func(t *parallel.Thread, first, count int) {
			w, n := newRecurrentWork[T](g), g.hidden
			defer w.release()
			for i := range count {
				copy(w.h[i*n:], h.row(first+i))
				copy(w.c[i*n:], c.row(first+i))
			}
			for step := range g.times {
				time := g.time(step)
				for i := range count {
					copy(w.sums[i*g.columns:], x.at(g, first+i, time))
				}
				weight.addProduct(t, count, w.h, w.sums)
				for i := range count {
					y, gates, cells := results[0].at(g, first+i, time), w.gates, w.part[:n]
					if keeps {
						gates, cells = results[3].at(g, first+i, time), results[4].at(g, first+i, time)
					}
					if time >= g.lengths[first+i] {
						clear(y)
						clear(gates)
						clear(cells)
						continue
					}
					lstmStep(f, gates, y, w.c[i*n:][:n], w.more[:n], w.sums[i*g.columns:][:g.columns])
					copy(cells, w.c[i*n:][:n])
					copy(w.h[i*n:], y)
				}
			}
			for i := range count {
				copy(results[1].row(first+i), w.h[i*n:])
				copy(results[2].row(first+i), w.c[i*n:])
			}
		})
		return nil
	}}
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
	return entry{dtype.Of[T]().String(), func(t *parallel.Thread, a *device.Arguments) error {
		g, err := newRecurrent(a, a.Inputs[4], a.Inputs[0], a.Inputs[3])
		if err != nil || a.Inputs[0].Count() == 0 {
			return err
		}
		s := scratch{memory: a.Scratch}
		weight := newRecurrentWeight[T](t, &s, g, a.Inputs[0], false)
		h, c := readRows[T](t, &s, a.Inputs[1]), readRows[T](t, &s, a.Inputs[2])
		y, gates, cells := readRows[T](t, &s, a.Inputs[4]), readRows[T](t, &s, a.Inputs[5]), readRows[T](t, &s, a.Inputs[6])
		var up [5]stateRows[T]
		for i := range up {
			up[i] = readRows[T](t, &s, a.Inputs[7+i])
		}
		var results [4]stateRows[T]
		for i, view := range a.Outputs {
			rows, finish := writeRows[T](t, &s, view)
			results[i] = rows
			defer finish()
		}
		g.blocks(t, recurrentBackward, func(t *parallel.Thread, first, count int) {
			w, n := newRecurrentWork[T](g), g.hidden
			defer w.release()
			for i := range count {
				copy(w.h[i*n:], up[1].row(first+i))
				copy(w.c[i*n:], up[2].row(first+i))
			}
			for step := g.times - 1; step >= 0; step-- {
				time := g.time(step)
				for i := range count {
					sequence, slopes := first+i, w.sums[i*g.columns:][:g.columns]
					if time >= g.lengths[sequence] {
						clear(slopes)
						clear(results[0].at(g, sequence, time))
						continue
					}
					cell := c.row(sequence)
					if before, ok := g.before(sequence, time); ok {
						cell = cells.at(g, sequence, before)
					}
					f.tanh(w.more[:n], cells.at(g, sequence, time))
					l := lstmSlopes[T]{gates.at(g, sequence, time), cell, w.more[:n], up[0].at(g, sequence, time), up[3].at(g, sequence, time), up[4].at(g, sequence, time)}
					l.step(slopes, w.h[i*n:][:n], w.c[i*n:][:n])
					copy(results[0].at(g, sequence, time), slopes)
				}
				w.addSlopes(t, g, &weight, first, count, time)
			}
			for i := range count {
				copy(results[2].row(first+i), w.h[i*n:])
				copy(results[3].row(first+i), w.c[i*n:])
			}
		})
		if g.sequences*g.times == 0 {
			clear(results[1].all)
			return nil
		}
		states := slice[T](s.take(g.sequences*g.times*g.hidden*a.Inputs[0].DType.Size()).Host, g.sequences*g.times*g.hidden)
		statesBefore(t, g, states, y, h)
		weightGradient(t, g, results[1].all, 0, g.columns, results[0].all, g.columns, states)
		return nil
	}}
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
