package cpu

import (
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// forAll makes an entry of the same kernel for every element type; it moves elements by their size.
func forAll(kernel Kernel) []entry {
	entries := make([]entry, 0, dtype.Count)
	for _, d := range dtype.All() {
		entries = append(entries, entry{d.String(), kernel})
	}
	return entries
}

var _ = register("copy", forAll(func(t *parallel.Thread, a *device.Arguments) error {
	copyView(t, a.Outputs[0], a.Inputs[0])
	return nil
})...)

// concat copies Inputs[i] to Outputs[i], its part of the result.
var _ = register("concat", forAll(func(t *parallel.Thread, a *device.Arguments) error {
	for i, output := range a.Outputs {
		copyView(t, output, a.Inputs[i])
	}
	return nil
})...)

// embed copies Inputs[0] to Outputs[1], a part of Outputs[0], which is zero elsewhere.
var _ = register("embed", forAll(func(t *parallel.Thread, a *device.Arguments) error {
	clearView(t, a.Outputs[0])
	copyView(t, a.Outputs[1], a.Inputs[0])
	return nil
})...)

// copyView copies src to dst, which has the same shape and element type.
func copyView(t *parallel.Thread, dst, src device.View) {
	n := newNest(dst, src)
	if n.count == 0 {
		return
	}
	if axis, found := n.transposed(); found {
		switch n.operands[0].size {
		case 1:
			transpose[uint8](t, n, axis)
		case 2:
			transpose[uint16](t, n, axis)
		case 4:
			transpose[uint32](t, n, axis)
		case 8:
			transpose[uint64](t, n, axis)
		default:
			transpose[[2]uint64](t, n, axis)
		}
		return
	}
	chunks := (n.count + blockSize - 1) / blockSize
	t.ForCost(chunks, light*blockSize, func(_ *parallel.Thread, lo, hi int) {
		n.copyRange(lo*blockSize, min(hi*blockSize, n.count))
	})
}

// copyRange copies the elements [lo, hi) of operand 1 to operand 0.
func (n *nest) copyRange(lo, hi int) {
	size, dstStride, srcStride := n.operands[0].size, n.stride(0), n.stride(1)
	var c cursor
	c.seek(n, lo)
	for lo < hi {
		count := min(c.rest, hi-lo)
		move(c.pointer(0), dstStride, c.pointer(1), srcStride, count, size)
		c.advance(count)
		lo += count
	}
}

// tile is the side of the squares in which matrices are transposed.
const tile = 32

// transposed returns the axis along which operand 1 is contiguous, where operand 0 is along the innermost one and both are
// long enough for tiles to pay.
func (n *nest) transposed() (axis int, found bool) {
	last := len(n.shape) - 1
	size := n.operands[0].size
	if n.stride(0) != size || n.stride(1) == 0 || n.stride(1) == size || n.shape[last] < 8 {
		return 0, false
	}
	for axis := range last {
		if n.operands[1].strides[axis] == size && n.shape[axis] >= 8 {
			return axis, true
		}
	}
	return 0, false
}

// transpose copies operand 1, contiguous along axis, to operand 0, contiguous along the last axis, tile by tile. A tile is
// read by rows into a buffer and written by rows from there, so that strides of powers of two do not make it fight for
// the same lines of the cache.
func transpose[T any](t *parallel.Thread, n *nest, axis int) {
	last := len(n.shape) - 1
	outer := n.without(axis)
	down, across := (n.shape[axis]+tile-1)/tile, (n.shape[last]+tile-1)/tile
	t.ForCost(outer.count*down*across, light*tile*tile, func(_ *parallel.Thread, lo, hi int) {
		var buffer [tile * tile]T
		var c cursor
		for unit := lo; unit < hi; unit++ {
			row, column := unit/across%down*tile, unit%across*tile
			c.seek(outer, unit/(down*across))
			m := exchange{
				rows: min(tile, n.shape[axis]-row), columns: min(tile, n.shape[last]-column),
				dstStride: n.operands[0].strides[axis], srcStride: n.stride(1),
			}
			dst := unsafe.Add(c.pointer(0), row*m.dstStride+column*n.stride(0))
			src := unsafe.Add(c.pointer(1), row*n.operands[1].strides[axis]+column*m.srcStride)
			copyTile(&buffer, dst, src, m)
		}
	})
}

// exchange is the extent of a tile, in rows of the result, and the bytes between rows of the result and of the source.
type exchange struct{ rows, columns, dstStride, srcStride int }

func copyTile[T any](buffer *[tile * tile]T, dst, src unsafe.Pointer, m exchange) {
	for column := range m.columns {
		line := slice[T](unsafe.Add(src, column*m.srcStride), m.rows)
		for row, v := range line[:min(len(line), tile)] {
			buffer[row*tile+column] = v
		}
	}
	for row := range m.rows {
		copy(slice[T](unsafe.Add(dst, row*m.dstStride), m.columns), buffer[row*tile:])
	}
}

// without returns the nest over all axes but the last and the given one.
func (n *nest) without(axis int) *nest {
	outer := &nest{count: 1, operands: make([]operand, len(n.operands))}
	for i, o := range n.operands {
		outer.operands[i] = operand{pointer: o.pointer, size: o.size}
	}
	for a, length := range n.shape[:len(n.shape)-1] {
		if a == axis {
			continue
		}
		outer.count *= length
		outer.shape = append(outer.shape, length)
		for i := range outer.operands {
			outer.operands[i].strides = append(outer.operands[i].strides, n.operands[i].strides[a])
		}
	}
	outer.close(len(outer.shape))
	return outer
}
