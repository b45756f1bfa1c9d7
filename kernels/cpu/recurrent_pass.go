package cpu

import (
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

// recurrentPass is a call of a kernel that goes through sequences, which carry one state, or two, from time to time.
type recurrentPass[T gemm.Float] struct {
	*recurrent
	arguments    *device.Arguments
	memory       scratch
	weight       recurrentWeight[T]
	operands     []stateRows[T] // but the weight and the lengths
	results      []stateRows[T]
	begins, ends []stateRows[T] // what is carried into the first time that is computed, and out of the last one
	timed        []stateRows[T] // arrays with a row for each time, which are zeros where a sequence has none
	finishes     []func()
}

// openRecurrent returns a call whose operands of the given numbers are the weight, for products with it or with it turned, and the lengths.
func openRecurrent[T gemm.Float](t *parallel.Thread, a *device.Arguments, y device.View, weight, lengths int, turned bool) (*recurrentPass[T], error) {
	g, err := newRecurrent(t.NumThreads(), a, y, a.Inputs[weight], a.Inputs[lengths])
	if err != nil {
		return nil, err
	}
	p := &recurrentPass[T]{recurrent: g, arguments: a, memory: scratch{memory: a.Scratch}, operands: make([]stateRows[T], len(a.Inputs))}
	if g.hidden == 0 {
		return p, nil
	}
	p.weight = newRecurrentWeight[T](t, &p.memory, g, a.Inputs[weight], turned)
	for i, view := range a.Inputs {
		if i != weight && i != lengths {
			p.operands[i] = readRows[T](t, &p.memory, view)
		}
	}
	for _, view := range a.Outputs {
		rows, finish := writeRows[T](t, &p.memory, view)
		p.results, p.finishes = append(p.results, rows), append(p.finishes, finish)
	}
	return p, nil
}

func (p *recurrentPass[T]) finish() {
	for _, f := range p.finishes {
		f()
	}
}

// recurrentForward is a kernel of states: its operands are x, the weight, what else there is, the first states and the
// lengths, and its results all hidden states, the last states, and perhaps further arrays of all times. There are
// elements when run is called.
func recurrentForward[T gemm.Float](states int, run func(t *parallel.Thread, p *recurrentPass[T])) entry {
	return entry{dtype.Of[T]().String(), func(t *parallel.Thread, a *device.Arguments) error {
		lengths := len(a.Inputs) - 1
		p, err := openRecurrent[T](t, a, a.Outputs[0], 1, lengths, true)
		if err != nil || p.hidden == 0 || p.sequences == 0 {
			return err
		}
		defer p.finish()
		p.begins, p.ends = p.operands[lengths-states:lengths], p.results[1:1+states]
		p.timed = append(p.results[:1:1], p.results[1+states:]...)
		run(t, p)
		return nil
	}}
}

// recurrentBackward is the kernel of its gradients: the operands are the weight, the first states, the lengths, all results but the last
// states, and the gradients of all results, up. Its results are the gradients of x, the weight, what else there is, and the first states.
func recurrentBackward[T gemm.Float](states int, run func(t *parallel.Thread, p *recurrentPass[T], y stateRows[T], up []stateRows[T])) entry {
	return entry{dtype.Of[T]().String(), func(t *parallel.Thread, a *device.Arguments) error {
		y := states + 2
		p, err := openRecurrent[T](t, a, a.Inputs[y], 0, y-1, false)
		if err != nil || p.hidden == 0 {
			return err
		}
		defer p.finish()
		up := p.operands[len(a.Inputs)/2+1:] // Before them are the weight, the lengths, and as many as they are.
		p.begins, p.ends = up[1:1+states], p.results[len(p.results)-states:]
		p.timed = p.results[:1:1]
		run(t, p, p.operands[y], up)
		return nil
	}}
}

// carry goes through all times of blocks of sequences, each of which step computes for a block, and carries states from one to the next.
func (p *recurrentPass[T]) carry(t *parallel.Thread, perElement float64, step func(t *parallel.Thread, w *recurrentWork[T], first, count, step int)) {
	p.blocks(t, perElement, func(t *parallel.Thread, first, count int) {
		w, n := newRecurrentWork[T](p.recurrent), p.hidden
		defer w.release()
		for s, carried := range [][]T{w.h, w.c}[:len(p.begins)] {
			for i := range count {
				copy(carried[i*n:], p.begins[s].row(first+i))
			}
		}
		for number := range p.times {
			step(t, w, first, count, number)
		}
		for s, carried := range [][]T{w.h, w.c}[:len(p.ends)] {
			for i := range count {
				copy(p.ends[s].row(first+i), carried[i*n:])
			}
		}
	})
}

// recurrentStep computes one time of a sequence from what is carried, h and c, and the sums of the gates.
type recurrentStep[T gemm.Float] func(w *recurrentWork[T], sequence, time int, h, c, sums []T)

// each calls step for the sequences of a block that have the time. What the others have of it is zeros.
func (p *recurrentPass[T]) each(w *recurrentWork[T], first, count, time int, step recurrentStep[T]) {
	n := p.hidden
	for i := range count {
		sums := w.sums[i*p.columns:][:p.columns]
		if time < p.lengths[first+i] {
			step(w, first+i, time, w.h[i*n:][:n], w.c[i*n:][:n], sums)
			continue
		}
		clear(sums)
		for _, rows := range p.timed {
			clear(rows.at(p.recurrent, first+i, time))
		}
	}
}

// forward computes the states of all times, in their order. The sums that step has are those of a row of addends, and of the product of the
// weight with the hidden state before.
func (p *recurrentPass[T]) forward(t *parallel.Thread, perElement float64, addends stateRows[T], step recurrentStep[T]) {
	p.carry(t, perElement, func(t *parallel.Thread, w *recurrentWork[T], first, count, number int) {
		time := p.time(number)
		for i := range count {
			copy(w.sums[i*p.columns:], addends.at(p.recurrent, first+i, time))
		}
		p.weight.addProduct(t, count, w.h, w.sums)
		p.each(w, first, count, time, step)
	})
}

// backward goes through all times from the last to be computed to the first, where step makes the gradients of the sums; what they give to
// the state before through the weight is added to h.
func (p *recurrentPass[T]) backward(t *parallel.Thread, perElement float64, step recurrentStep[T]) {
	p.carry(t, perElement, func(t *parallel.Thread, w *recurrentWork[T], first, count, number int) {
		time := p.time(p.times - 1 - number)
		p.each(w, first, count, time, step)
		w.addSlopes(t, p.recurrent, &p.weight, first, count, time)
	})
}

// rows returns memory for a row of hidden elements of each time.
func (p *recurrentPass[T]) rows() stateRows[T] {
	count := p.sequences * p.times * p.hidden
	return stateRows[T]{slice[T](p.memory.take(count*dtype.Of[T]().Size()).Host, count), p.hidden, p.hidden}
}

// before returns the row of the time before, of the rows of all times, or that of the first state.
func (p *recurrentPass[T]) before(all, first stateRows[T], sequence, time int) []T {
	if before, ok := p.timeBefore(sequence, time); ok {
		return all.at(p.recurrent, sequence, before)
	}
	return first.row(sequence)
}

// statesBefore returns the hidden state before each time of each sequence, zeros behind its length.
func (p *recurrentPass[T]) statesBefore(t *parallel.Thread, y, first stateRows[T]) []T {
	states := p.rows()
	t.ForCost(p.sequences*p.times, 0.1*float64(p.hidden), func(_ *parallel.Thread, lo, hi int) {
		for i := lo; i < hi; i++ {
			if sequence, time := i/p.times, i%p.times; time < p.lengths[sequence] {
				copy(states.row(i), p.before(y, first, sequence, time))
			} else {
				clear(states.row(i))
			}
		}
	})
	return states.all
}

// weightGradient computes the gradient of some rows of the weight: the product of those of the sums, in rows of so many elements from the
// start on, with the states before. Without times it is zeros.
func (p *recurrentPass[T]) weightGradient(t *parallel.Thread, firstRow, rows int, slopes []T, step int, states []T) {
	dst := p.results[1].all
	if len(states) == 0 {
		clear(dst)
		return
	}
	gemm.Product[T]{
		M: rows, N: p.hidden, K: p.sequences * p.times, Alpha: 1, A: matrixFrom(slopes, 0, step).Transposed(), B: matrixFrom(states, 0, p.hidden), C: matrixFrom(dst, firstRow*p.hidden, p.hidden),
	}.Run(t, nil)
}
