package cpu

import (
	"sync"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// The cost of one element, in nanoseconds, of loops without and with transcendental functions.
const (
	light = 0.5
	heavy = 8
)

// blockSize is how many elements are gathered at a time where an operand is not contiguous, and the grain in which work is
// shared: a multiple of the elements that one Philox block yields.
const blockSize = 512

// shortRow is the length of the innermost axis below which several rows are gathered into one block.
const shortRow = 128

// pointers are the addresses of the operands of an inner loop, outputs first.
type pointers [maxOperands]unsafe.Pointer

// loop computes count contiguous elements.
type loop func(count int, p pointers)

// unary is the kernel that applies inner to all elements; the element type of the input selects it.
func unary[D, X dtype.Element](inner func(dst []D, x []X), nanoseconds float64) entry {
	return entry{dtype.Of[X]().String(), elementwise(nanoseconds, func(count int, p pointers) {
		inner(slice[D](p[0], count), slice[X](p[1], count))
	})}
}

// binary is the kernel that applies inner to all pairs of elements; the element type of the inputs selects it.
func binary[D, X dtype.Element](inner func(dst []D, x, y []X), nanoseconds float64) entry {
	return entry{dtype.Of[X]().String(), elementwise(nanoseconds, func(count int, p pointers) {
		inner(slice[D](p[0], count), slice[X](p[1], count), slice[X](p[2], count))
	})}
}

func elementwise(nanoseconds float64, inner loop) Kernel {
	return func(t *parallel.Thread, a *device.Arguments) error {
		var views [maxOperands]device.View
		count := copy(views[:], a.Outputs[:1])
		count += copy(views[count:], a.Inputs)
		apply(t, newNest(views[:count]...), 1, false, nanoseconds, inner)
		return nil
	}
}

// apply runs inner over all elements of n, whose first operands are written. With update they are read, too.
func apply(t *parallel.Thread, n *nest, outputs int, update bool, nanoseconds float64, inner loop) {
	if n.count == 0 {
		return
	}
	w := walk{nest: n, outputs: outputs, reads: outputs, inner: inner}
	if update {
		w.reads = 0
	}
	chunks := (n.count + blockSize - 1) / blockSize
	t.ForCost(chunks, nanoseconds*blockSize, func(_ *parallel.Thread, lo, hi int) {
		w.run(lo*blockSize, min(hi*blockSize, n.count))
	})
}

// walk runs an inner loop over a nest.
type walk struct {
	nest    *nest
	outputs int // the operands below are written
	reads   int // the operands from here on are read
	inner   loop
}

// blocks hold the elements of operands that are not contiguous.
type blocks [maxOperands][blockSize][2]uint64

var blockPool = sync.Pool{New: func() any { return new(blocks) }}

// run computes the elements [lo, hi).
func (w *walk) run(lo, hi int) {
	b := blockPool.Get().(*blocks)
	defer blockPool.Put(b)
	if len(w.nest.shape) > 1 && w.nest.inner() < shortRow {
		w.runBlocks(lo, hi, b)
	} else {
		w.runRows(lo, hi, b)
	}
}

// runRows calls the inner loop on stretches of single rows.
func (w *walk) runRows(lo, hi int, b *blocks) {
	n := w.nest
	step := hi - lo
	for i := range n.operands {
		if n.stride(i) != n.operands[i].size {
			step = blockSize
		}
	}
	var repeats repeated
	var c cursor
	c.seek(n, lo)
	for lo < hi {
		count := min(c.rest, hi-lo, step)
		var p pointers
		for i := range n.operands {
			p[i] = c.pointer(i)
			switch size, stride := n.operands[i].size, n.stride(i); {
			case stride == size:
			case stride == 0:
				p[i] = repeats.fill(b, i, p[i], count, size)
			default:
				block := unsafe.Pointer(&b[i])
				if i >= w.reads {
					move(block, size, p[i], stride, count, size)
				}
				p[i] = block
			}
		}
		w.inner(count, p)
		for i := range w.outputs {
			if size, stride := n.operands[i].size, n.stride(i); stride != size {
				move(c.pointer(i), stride, p[i], size, count, size)
			}
		}
		c.advance(count)
		lo += count
	}
}

// repeated remembers which operands with a stride of zero are in their blocks already.
type repeated struct {
	source pointers
	count  [maxOperands]int
}

func (r *repeated) fill(b *blocks, i int, source unsafe.Pointer, count, size int) unsafe.Pointer {
	block := unsafe.Pointer(&b[i])
	if r.source[i] != source || r.count[i] < count {
		move(block, size, source, 0, count, size)
		r.source[i], r.count[i] = source, count
	}
	return block
}

// runBlocks calls the inner loop on blocks into which operands are gathered from many short rows.
func (w *walk) runBlocks(lo, hi int, b *blocks) {
	n := w.nest
	for ; lo < hi; lo += blockSize {
		count := min(blockSize, hi-lo)
		var p pointers
		for i := range n.operands {
			o := &n.operands[i]
			if o.whole {
				p[i] = unsafe.Add(o.pointer, lo*o.size)
				continue
			}
			p[i] = unsafe.Pointer(&b[i])
			if i >= w.reads {
				n.gather(p[i], i, lo, count)
			}
		}
		w.inner(count, p)
		for i := range w.outputs {
			if !n.operands[i].whole {
				n.scatter(p[i], i, lo, count)
			}
		}
	}
}
