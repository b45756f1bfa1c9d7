package cpu

import (
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// rowMaker computes consecutive rows in float64, the first of which has the number row.
type rowMaker func(x []float64, row int)

// drawRows fills Outputs[0] by rows along its last axis. Each part of the work has its own rowMaker, for up to span rows at
// a time.
func drawRows[T dtype.Float](t *parallel.Thread, a *device.Arguments, nanoseconds float64, maker func(s source, span int) rowMaker) {
	output := a.Outputs[0]
	n := newOrderedNest(output)
	if n.count == 0 {
		return
	}
	s := source{uint64(a.Integers[0]), uint64(a.Integers[1])}
	length := output.Shape[len(output.Shape)-1]
	rows, span := n.count/length, max(1, blockSize/length)
	t.ForCost((rows+span-1)/span, nanoseconds*float64(span*length), func(_ *parallel.Thread, lo, hi int) {
		fill := maker(s, span)
		x, block := make([]float64, span*length), make([]T, span*length)
		for row := lo * span; row < min(hi*span, rows); row += span {
			part := x[:min(span, rows-row)*length]
			fill(part, row)
			for i, v := range part {
				block[i] = T(v)
			}
			n.scatter(unsafe.Pointer(&block[0]), 0, row*length, len(part))
		}
	})
}

// batches calls body for parts of the elements [first, end) of at most lawBatch, with the number of the first, which is
// even, of how many there are, and of how many of them are before the element first.
func batches(first, end uint64, body func(at uint64, count, skip int)) {
	for at := first &^ 1; at < end; at += lawBatch {
		skip := 0
		if at < first {
			skip = 1
		}
		body(at, int(min(lawBatch, end-at)), skip)
	}
}
