package cpu

import (
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

// gru computes the states Outputs[0], (sequences, times, hidden), the last ones, and, if there are three results, the gates of all times,
// the candidates, and what the reset gates are factors of, from x, the weight, its bias, the first states and the lengths.
func gru[T gemm.Float](f *gateFunctions[T]) entry {
	return entry{dtype.Of[T]().String(), func(t *parallel.Thread, a *device.Arguments) error {
		g, err := newRecurrent(a, a.Outputs[0], a.Inputs[1], a.Inputs[4])
		if err != nil || g.empty() {
			return err
		}
		s := scratch{memory: a.Scratch}
		x, weight := readRows[T](t, &s, a.Inputs[0]), newRecurrentWeight[T](t, &s, g, a.Inputs[1], true)
		bias, h := readRows[T](t, &s, a.Inputs[2]), readRows[T](t, &s, a.Inputs[3])
		var results [3]stateRows[T]
		for i, view := range a.Outputs {
			rows, finish := writeRows[T](t, &s, view)
			results[i] = rows
			defer finish()
		}
		keeps := len(a.Outputs) == 3
		g.blocks(t, recurrentStep, func(t *parallel.Thread, first, count int) {
			w, n := newRecurrentWork[T](g), g.hidden
			defer w.release()
			for i := range count {
				copy(w.h[i*n:], h.row(first+i))
			}
			for step := range g.times {
				time := g.time(step)
				for i := range count {
					copy(w.sums[i*g.columns:], bias.row(0))
				}
				weight.addProduct(t, count, w.h, w.sums)
				for i := range count {
					y, gates := results[0].at(g, first+i, time), w.gates
					if keeps {
						gates = results[2].at(g, first+i, time)
					}
					if time >= g.lengths[first+i] {
						clear(y)
						clear(gates)
						continue
					}
					gruStep(f, gates, w.h[i*n:][:n], w.sums[i*g.columns:][:g.columns], x.at(g, first+i, time))
					copy(y, w.h[i*n:])
				}
			}
			for i := range count {
				copy(results[1].row(first+i), w.h[i*n:])
			}
		})
		return nil
	}}
}

// gruStep computes the gates, the candidate, the state h from the one before, and the last of the four parts of gates, which is the sum for
// the candidate of the state before. Sums has what comes from that state, x what comes from the input.
func gruStep[T gemm.Float](f *gateFunctions[T], gates, h, sums, x []T) {
	n := len(h)
	x = x[:3*n]
	sums = sums[:3*n]
	for i, v := range x[:2*n] {
		sums[i] += v
	}
	f.sigmoid(gates[:2*n], sums[:2*n])
	reset, update, candidate, inner := gates[:n], gates[n:2*n], gates[2*n:3*n], gates[3*n:4*n]
	copy(inner, sums[2*n:])
	last, fromX := sums[2*n:], x[2*n:]
	for i, v := range inner {
		last[i] = fromX[i] + T(reset[i]*v)
	}
	f.tanh(candidate, last)
	for i, v := range candidate {
		h[i] = v + T(update[i]*(h[i]-v))
	}
}

// gruGradient computes the gradients of x, the weight, its bias and the first states from the weight, these states, the lengths, the
// results y and gates, and the gradients of the three results, in the order of gru.
func gruGradient[T gemm.Float]() entry {
	return entry{dtype.Of[T]().String(), func(t *parallel.Thread, a *device.Arguments) error {
		g, err := newRecurrent(a, a.Inputs[3], a.Inputs[0], a.Inputs[2])
		if err != nil || a.Inputs[0].Count() == 0 {
			return err
		}
		s := scratch{memory: a.Scratch}
		weight, h := newRecurrentWeight[T](t, &s, g, a.Inputs[0], false), readRows[T](t, &s, a.Inputs[1])
		y, gates := readRows[T](t, &s, a.Inputs[3]), readRows[T](t, &s, a.Inputs[4])
		var up [3]stateRows[T]
		for i := range up {
			up[i] = readRows[T](t, &s, a.Inputs[5+i])
		}
		var results [4]stateRows[T]
		for i, view := range a.Outputs {
			rows, finish := writeRows[T](t, &s, view)
			results[i] = rows
			defer finish()
		}
		total, size := g.sequences*g.times, a.Inputs[0].DType.Size()
		states := slice[T](s.take(total*g.hidden*size).Host, total*g.hidden)
		inner := slice[T](s.take(total*g.hidden*size).Host, total*g.hidden) // the gradients of the last part of gates
		g.blocks(t, recurrentBackward, func(t *parallel.Thread, first, count int) {
			w, n := newRecurrentWork[T](g), g.hidden
			defer w.release()
			for i := range count {
				copy(w.h[i*n:], up[1].row(first+i))
			}
			for step := g.times - 1; step >= 0; step-- {
				time := g.time(step)
				for i := range count {
					sequence, slopes := first+i, w.sums[i*g.columns:][:g.columns]
					dx, ofInner := results[0].at(g, sequence, time), inner[(sequence*g.times+time)*n:][:n]
					if time >= g.lengths[sequence] {
						clear(slopes)
						clear(dx)
						clear(ofInner)
						continue
					}
					before := h.row(sequence)
					if earlier, ok := g.before(sequence, time); ok {
						before = y.at(g, sequence, earlier)
					}
					l := gruSlopes[T]{gates.at(g, sequence, time), before, up[0].at(g, sequence, time), up[2].at(g, sequence, time)}
					l.step(dx, ofInner, w.h[i*n:][:n])
					copy(slopes, dx[:2*n])
					copy(slopes[2*n:], ofInner)
				}
				w.addSlopes(t, g, &weight, first, count, time)
			}
			for i := range count {
				copy(results[3].row(first+i), w.h[i*n:])
			}
		})
		if total == 0 {
			clear(results[1].all)
			clear(results[2].all)
			return nil
		}
		statesBefore(t, g, states, y, h)
		n := g.hidden
		for _, part := range []struct {
			first, rows, step int
			slopes            []T
		}{{0, 2 * n, 3 * n, results[0].all}, {2 * n, n, n, inner}} {
			weightGradient(t, g, results[1].all, part.first, part.rows, part.slopes, part.step, states)
			one := T(1)
			gemm.Product[T]{
				M: 1, N: part.rows, K: total, Alpha: 1, A: gemm.Matrix{Start: unsafe.Pointer(&one)}, B: by(part.slopes, 0, part.step), C: by(results[2].all, part.first, 3*n),
			}.Run(t, nil)
		}
		return nil
	}}
}

// gruSlopes is what the gradient of one time of a sequence follows from: the gates, the state before, and the gradients of the state
// after and of the gates.
type gruSlopes[T gemm.Float] struct{ gates, before, ofState, ofGates []T }

// step computes the gradients of x and of the last part of the gates from that of the state after the time, h. It leaves in h what goes
// to the state before past the weight.
func (l *gruSlopes[T]) step(dx, ofInner, h []T) {
	n := len(h)
	reset, update, candidate, inner := l.gates[:n], l.gates[n:2*n], l.gates[2*n:3*n], l.gates[3*n:4*n]
	upReset, upUpdate, upCandidate, upInner := l.ofGates[:n], l.ofGates[n:2*n], l.ofGates[2*n:3*n], l.ofGates[3*n:4*n]
	toReset, toUpdate, toCandidate, toInner := dx[:n], dx[n:2*n], dx[2*n:3*n], ofInner[:n]
	before, ofState := l.before[:n], l.ofState[:n]
	for j, carried := range h {
		r, z, c, q := reset[j], update[j], candidate[j], inner[j]
		state := ofState[j] + carried
		slope := (T(state*(1-z)) + upCandidate[j]) * (1 - T(c*c))
		toCandidate[j] = slope
		toInner[j] = T(slope*r) + upInner[j]
		toReset[j] = (T(slope*q) + upReset[j]) * r * (1 - r)
		toUpdate[j] = (T(state*(before[j]-c)) + upUpdate[j]) * z * (1 - z)
		h[j] = state * z
	}
}

var (
	_ = registerFloats("gru", gru(&gateFunctions32), gru(&gateFunctions64))
	_ = registerFloats("gru_inference", gru(&gateFunctions32), gru(&gateFunctions64))
	_ = registerFloats("gru_gradient", gruGradient[float32](), gruGradient[float64]())
)
