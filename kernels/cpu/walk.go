package cpu

import (
	"unsafe"

	"github.com/weft-nd/weft/parallel"
)

// walk runs an inner loop over a nest.
type walk struct {
	nest    *nest
	outputs int // the operands below are written
	reads   int // the operands from here on are read
	runner
	form int // of the rows that assembly does
}

// share runs all elements, by several threads where that pays.
func (w *walk) share(t *parallel.Thread) {
	n := w.nest
	switch work := float64(n.count) * w.nanoseconds; {
	case n.count == 0:
	case w.isPeriodic():
		rows := n.count / n.inner()
		if work < unshared {
			w.runPeriods(0, rows)
			return
		}
		shared := *w // only here it is on the heap
		shared.form = shared.streaming()
		t.ForCost(rows, work/float64(rows), func(_ *parallel.Thread, lo, hi int) { shared.runPeriods(lo, hi) })
	case w.inPlace():
		pieces := max(1, n.inner()/rowPiece)
		units := n.count / n.inner() * pieces
		if work < unshared {
			w.runVectors(0, units, pieces)
			return
		}
		shared := *w
		shared.form = shared.streaming()
		t.ForCost(units, work/float64(units), func(_ *parallel.Thread, lo, hi int) { shared.runVectors(lo, hi, pieces) })
	case work < unshared:
		w.run(0, n.count)
	default:
		if axis := w.turned(); axis >= 0 {
			w.shareTurned(t, axis)
			return
		}
		shared := *w
		if w.past != nil && w.streaming() != 0 && (n.operands[0].whole || n.inner() >= shortRow) { // otherwise blocks are read again
			shared.plain = w.past
		}
		block := n.block()
		chunks := (n.count + block - 1) / block
		t.ForCost(chunks, w.nanoseconds*float64(block), func(_ *parallel.Thread, lo, hi int) {
			shared.run(lo*block, min(hi*block, n.count))
		})
	}
}

// inPlace reports whether the assembly can do rows where they are.
func (w *walk) inPlace() bool {
	n := w.nest
	if w.vector == nil || n.inner() < w.least {
		return false
	}
	for i := range n.operands {
		switch stride := n.stride(i); {
		case stride == n.operands[i].size:
		case stride != 0 || i == 0:
			return false
		case n.inner() < w.row && len(n.shape) > 1 && hasShuffle():
			return false // The repeated elements of many rows are made faster than as many rows are begun.
		}
	}
	return true
}

// period is the bytes of a block of equal rows, longRow the elements from which on a row is done where it is.
const period, longRow = 16 << 10, 64

// isPeriodic reports whether one operand is a row that is repeated, a short one, and all others lie one after the other.
func (w *walk) isPeriodic() bool {
	n := w.nest
	if w.vector == nil || len(n.shape) == 1 {
		return false
	}
	i := w.periodic()
	o := &n.operands[i]
	if i == 0 || n.inner() >= longRow || n.stride(i) != o.size || n.count < w.least {
		return false
	}
	for _, stride := range o.strides[:len(n.shape)-1] {
		if stride != 0 {
			return false
		}
	}
	for other := range n.operands {
		if other != i && !n.operands[other].whole {
			return false
		}
	}
	return true
}

// periodic returns the first operand whose elements do not lie one after the other.
func (w *walk) periodic() int {
	for i := range w.nest.operands {
		if !w.nest.operands[i].whole {
			return i
		}
	}
	return 0
}

// runPeriods lets the assembly do the rows [lo, hi), several at a time, with as many copies of the row that is repeated.
func (w *walk) runPeriods(lo, hi int) {
	n, repeated := w.nest, w.periodic()
	o := &n.operands[repeated]
	length := n.inner() * o.size
	rows := min(period/length, max(1, (hi-lo)/8)) // not more copying than computing
	b := blockPool.Get().(*blocks)
	defer blockPool.Put(b)
	memory := slice[byte](unsafe.Pointer(b), rows*length)
	for i := range rows {
		copy(memory[i*length:], slice[byte](o.pointer, length))
	}
	for lo < hi {
		part := min(rows, hi-lo)
		var p pointers
		for i := range n.operands {
			if i == repeated {
				p[i] = unsafe.Pointer(b)
			} else {
				p[i] = unsafe.Add(n.operands[i].pointer, lo*n.inner()*n.operands[i].size)
			}
		}
		w.runner.run(part*n.inner(), p, w.form)
		lo += part
	}
	if w.form&formStreams != 0 {
		storeFence()
	}
}

// rowPiece is how many elements of a row are done by the same thread at least.
const rowPiece = 2048

// runVectors lets the assembly do the pieces [lo, hi) of rows, the last of which may be longer than the others.
func (w *walk) runVectors(lo, hi, pieces int) {
	n := w.nest
	form := w.form
	for i := range n.operands[1:] {
		if n.stride(1+i) == 0 {
			form |= 1 << i
		}
	}
	var c cursor
	c.seek(n, lo/pieces*n.inner()+lo%pieces*rowPiece)
	if axis := len(n.shape) - 2; pieces == 1 && axis >= 0 && n.inner() < longestLoop && form&formStreams == 0 {
		var steps [maxOperands]int
		for i := range n.operands {
			steps[i] = n.operands[i].strides[axis]
		}
		for lo < hi {
			rows := min(hi-lo, n.shape[axis]-c.index[axis])
			w.runner.runRows(rows, n.inner(), c.pointers(), steps, form)
			c.advanceRows(rows)
			lo += rows
		}
		return
	}
	for lo < hi {
		part := min(pieces-lo%pieces, hi-lo)
		count := part * rowPiece
		if lo += part; lo%pieces == 0 {
			count = c.rest
		}
		w.runner.run(count, c.pointers(), form)
		c.advance(count)
	}
	if form&formStreams != 0 {
		storeFence()
	}
}

// streaming returns formStreams if there is much to read and write, and the result lies in rows that can be written past the
// caches: its elements are next to each other and aligned to their size, and it is no operand.
func (w *walk) streaming() int {
	n, bytes := w.nest, 0
	result := &n.operands[0]
	for i := range n.operands {
		o := &n.operands[i]
		if i > 0 && o.pointer == result.pointer {
			return 0
		}
		if o.whole {
			bytes += n.count * o.size
		}
	}
	if bytes < streamedLoop() || w.past == nil && w.aligned < 32 || n.stride(0) != result.size || uintptr(result.pointer)%uintptr(result.size) != 0 {
		return 0
	}
	return formStreams
}
