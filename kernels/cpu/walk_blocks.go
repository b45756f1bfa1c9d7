package cpu

import (
	"sync"
	"unsafe"
)

// shortRow is the length of the innermost axis below which several rows are gathered into one block.
const shortRow = 128

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
		w.runner.run(count, p, 0)
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

// block returns how many elements are gathered at a time: whole rows where they are short.
func (n *nest) block() int {
	if len(n.shape) > 1 && n.inner() < shortRow {
		return blockSize / n.inner() * n.inner()
	}
	return blockSize
}

// runBlocks calls the inner loop on blocks into which operands are gathered from many short rows.
func (w *walk) runBlocks(lo, hi int, b *blocks) {
	n := w.nest
	block := n.block()
	for ; lo < hi; lo += block {
		count := min(block, hi-lo)
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
		w.runner.run(count, p, 0)
		for i := range w.outputs {
			if !n.operands[i].whole {
				n.scatter(p[i], i, lo, count)
			}
		}
	}
}
