package cpu

import (
	"slices"
	"unsafe"

	"github.com/weft-nd/weft/parallel"
)

const (
	// turnedLine is the least bytes that are read of a line of an operand that is turned round.
	turnedLine = 64
	// turnedRows is the least rows that are computed together, and the elements from which on an axis is long enough for that.
	turnedRows = 16
)

// turned returns the axis along which the elements of some operands lie one after the other, while those of the others
// do so along the innermost one; -1 where that is not so, or one of both is short.
func (w *walk) turned() int {
	n := w.nest
	last, axis := len(n.shape)-1, -1
	for i := range n.operands {
		o := &n.operands[i]
		if o.strides[last] == o.size {
			continue
		}
		if axis < 0 && i >= w.outputs {
			axis = slices.Index(o.strides[:last], o.size)
		}
		if i < w.outputs || axis < 0 || o.strides[axis] != o.size {
			return -1
		}
	}
	if axis < 0 || n.shape[axis] < turnedRows || n.inner() < turnedRows {
		return -1
	}
	return axis
}

// shareTurned runs all elements, by tiles of the axis and the innermost one: into those the operands that lie along the
// axis are transposed.
func (w *walk) shareTurned(t *parallel.Thread, axis int) {
	n := w.nest
	last, least, most := len(n.shape)-1, turnedLine, 1
	for i := range n.operands {
		if o := &n.operands[i]; o.strides[last] != o.size {
			least, most = min(least, o.size), max(most, o.size)
		}
	}
	height := max(turnedRows, turnedLine/least)
	width := int(unsafe.Sizeof(blocks{}[0])) / (height * most)
	outer, down, across := n.without(axis), (n.shape[axis]+height-1)/height, (n.shape[last]+width-1)/width
	shared := *w
	cost := (w.nanoseconds + light) * float64(height*width)
	t.ForCost(outer.count*down*across, cost, func(_ *parallel.Thread, lo, hi int) {
		b := blockPool.Get().(*blocks)
		defer blockPool.Put(b)
		var c cursor
		for unit := lo; unit < hi; unit++ {
			c.seek(outer, unit/(down*across))
			row, column := unit/across%down*height, unit%across*width
			rows, columns := min(height, n.shape[axis]-row), min(width, n.shape[last]-column)
			var p pointers
			var steps [maxOperands]int
			for i := range n.operands {
				o := &n.operands[i]
				p[i], steps[i] = unsafe.Add(c.pointer(i), row*o.strides[axis]+column*o.strides[last]), o.strides[axis]
				if o.strides[last] == o.size {
					continue
				}
				tile := plane{size: o.size, rows: columns, columns: rows, dstRow: o.size, srcRow: o.strides[last], dstColumn: columns * o.size, srcColumn: o.size}
				tile.copy(unsafe.Pointer(&b[i]), p[i])
				p[i], steps[i] = unsafe.Pointer(&b[i]), tile.dstColumn
			}
			shared.runner.runRows(rows, columns, p, steps, 0)
		}
	})
}
