package cpu

import (
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

// rnn computes the states Outputs[0], (sequences, times, hidden), and the last ones from x, the weight, the first states and the lengths.
// Integers[1] is 1 if states are rectified, 0 if they are hyperbolic tangents.
func rnn[T gemm.Float](f *gateFunctions[T]) entry {
	return entry{dtype.Of[T]().String(), func(t *parallel.Thread, a *device.Arguments) error {
		g, err := newRecurrent(a, a.Outputs[0], a.Inputs[1], a.Inputs[3])
		if err != nil || g.empty() {
			return err
		}
		s := scratch{memory: a.Scratch}
		x, weight, h := readRows[T](t, &s, a.Inputs[0]), newRecurrentWeight[T](t, &s, g, a.Inputs[1], true), readRows[T](t, &s, a.Inputs[2])
		y, finish := writeRows[T](t, &s, a.Outputs[0])
		last, finishLast := writeRows[T](t, &s, a.Outputs[1])
		bend := f.tanh
		if a.Integers[1] != 0 {
			bend = relu[T]
		}
		g.blocks(t, recurrentStep/3., func(t *parallel.Thread, first, count int) {
			w, n := newRecurrentWork[T](g), g.hidden
			defer w.release()
			for i := range count {
				copy(w.h[i*n:], h.row(first+i))
			}
			for step := range g.times {
				time := g.time(step)
				for i := range count {
					copy(w.sums[i*n:], x.at(g, first+i, time))
				}
				weight.addProduct(t, count, w.h, w.sums)
				for i := range count {
					to := y.at(g, first+i, time)
					if time >= g.lengths[first+i] {
						clear(to)
						continue
					}
					bend(to, w.sums[i*n:][:n])
					copy(w.h[i*n:], to)
				}
			}
			for i := range count {
				copy(last.row(first+i), w.h[i*n:])
			}
		})
		finish()
		finishLast()
		return nil
	}}
}

// rnnGradient computes the gradients of x, the weight and the first states from the weight, these states, the lengths, y, and the
// gradients of the results.
func rnnGradient[T gemm.Float]() entry {
	return entry{dtype.Of[T]().String(), func(t *parallel.Thread, a *device.Arguments) error {
		g, err := newRecurrent(a, a.Inputs[3], a.Inputs[0], a.Inputs[2])
		if err != nil || a.Inputs[0].Count() == 0 {
			return err
		}
		s := scratch{memory: a.Scratch}
		weight, h, y := newRecurrentWeight[T](t, &s, g, a.Inputs[0], false), readRows[T](t, &s, a.Inputs[1]), readRows[T](t, &s, a.Inputs[3])
		up, ofLast := readRows[T](t, &s, a.Inputs[4]), readRows[T](t, &s, a.Inputs[5])
		var results [3]stateRows[T]
		for i, view := range a.Outputs {
			rows, finish := writeRows[T](t, &s, view)
			results[i] = rows
			defer finish()
		}
		slope := tanhSlopes[T]
		if a.Integers[1] != 0 {
			slope = reluSlopes[T]
		}
		g.blocks(t, recurrentBackward/3., func(t *parallel.Thread, first, count int) {
			w, n := newRecurrentWork[T](g), g.hidden
			defer w.release()
			for i := range count {
				copy(w.h[i*n:], ofLast.row(first+i))
			}
			for step := g.times - 1; step >= 0; step-- {
				time := g.time(step)
				for i := range count {
					sequence, slopes := first+i, w.sums[i*n:][:n]
					if time >= g.lengths[sequence] {
						clear(slopes)
					} else {
						slope(slopes, w.h[i*n:][:n], y.at(g, sequence, time), up.at(g, sequence, time))
					}
					copy(results[0].at(g, sequence, time), slopes)
				}
				w.addSlopes(t, g, &weight, first, count, time)
			}
			for i := range count {
				copy(results[2].row(first+i), w.h[i*n:])
			}
		})
		total := g.sequences * g.times
		if total == 0 {
			clear(results[1].all)
			return nil
		}
		states := slice[T](s.take(total*g.hidden*a.Inputs[0].DType.Size()).Host, total*g.hidden)
		statesBefore(t, g, states, y, h)
		weightGradient(t, g, results[1].all, 0, g.hidden, results[0].all, g.hidden, states)
		return nil
	}}
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
