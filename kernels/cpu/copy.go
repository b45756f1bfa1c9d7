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

var _ = copiesOfLines()

// copiesOfLines names the loops of copies between contiguous arrays.
func copiesOfLines() struct{} {
	for _, d := range dtype.All() {
		size := d.Size()
		i := &inner{dtypes: d.String(), nanoseconds: perByte * float64(2*size), sizes: []int{size, size}, plain: func(count int, p pointers) {
			copy(slice[byte](p[0], count*size), slice[byte](p[1], count*size))
		}}
		i.makeKnown("copy/" + i.dtypes)
	}
	return struct{}{}
}

// concat copies Inputs[i] to Outputs[i], its part of the result.
var _ = register("concat", forAll(copyParts)...)

func copyParts(t *parallel.Thread, a *device.Arguments) error {
	for i, output := range a.Outputs {
		copyView(t, output, a.Inputs[i])
	}
	return nil
}

// roll and pad_with copy Inputs[i] to Outputs[i], its part of the result.
var (
	_ = register("roll", forAll(copyParts)...)
	_ = register("pad_with", forAll(copyParts)...)
)

// pad copies Inputs[0] to Outputs[0] and fills the other outputs with Scalars[0].
var _ = register("pad", forAll(func(t *parallel.Thread, a *device.Arguments) error {
	value := memoryOf(a.Outputs[0].DType, a.Scalars[0])
	for _, output := range a.Outputs[1:] {
		fillMemory(t, output, value)
	}
	copyView(t, a.Outputs[0], a.Inputs[0])
	return nil
})...)

// embed copies Inputs[0] to Outputs[1], a part of Outputs[0], which is zero elsewhere.
func embed(t *parallel.Thread, a *device.Arguments) error {
	clearView(t, a.Outputs[0])
	copyView(t, a.Outputs[1], a.Inputs[0])
	return nil
}

var (
	_ = register("embed", forAll(embed)...)
	_ = register("embed_diagonal", forAll(embed)...)
)

// copyView copies src to dst, which has the same shape and element type.
func copyView(t *parallel.Thread, dst, src device.View) {
	n := nestPool.Get().(*nest)
	defer n.release()
	if n.set([]device.View{dst, src}); n.count > 0 {
		n.copyAll(t)
	}
}

// copyAll copies operand 1, which has elements, to operand 0. Threads are not asked where there is little for them.
func (n *nest) copyAll(t *parallel.Thread) {
	if axis, found := n.transposed(); found {
		copyPlanes(t, n, axis)
		return
	}
	switch size := n.operands[0].size; {
	case light*float64(n.count) <= unshared:
		n.copyRange(0, n.count)
	case len(n.shape) == 1 && n.stride(0) == size && n.stride(1) == size && n.count*size > longLine:
		copyLine(t, n.operands[0].pointer, n.operands[1].pointer, n.count*size)
	default:
		chunks := (n.count + blockSize - 1) / blockSize
		t.ForCost(chunks, light*blockSize, func(_ *parallel.Thread, lo, hi int) {
			n.copyRange(lo*blockSize, min(hi*blockSize, n.count))
		})
	}
}

var byteLoop = loopNamed("positive/uint8")

// longLine is up to how many bytes copy takes no longer.
const longLine = 4 << 20

// copyLine copies so many bytes. It does as element-wise loops do, since copy goes past the caches from 1 MB on.
func copyLine(t *parallel.Thread, dst, src unsafe.Pointer, bytes int) {
	r := byteLoop().runner()
	n := nestPool.Get().(*nest)
	n.setLine(r.sizes, pointers{dst, src}, bytes, 0)
	w := walk{nest: n, outputs: 1, reads: 1, runner: *r}
	w.share(t)
	n.release()
}

// fewInRow is below how many elements rows are gathered together, and not copied one by one.
const fewInRow = 8

// copyRange copies the elements [lo, hi) of operand 1 to operand 0.
func (n *nest) copyRange(lo, hi int) {
	size, dstStride, srcStride := n.operands[0].size, n.stride(0), n.stride(1)
	if short := n.inner() < fewInRow || srcStride == 0 && n.inner() < shortRow; short && len(n.shape) > 1 && n.operands[0].whole {
		n.gather(unsafe.Add(n.operands[0].pointer, lo*size), 1, lo, hi-lo)
		return
	}
	bytes := n.inner() * size
	rows := len(n.shape) > 1 && dstStride == size && srcStride == size && rowsCopied(bytes)
	var c cursor
	c.seek(n, lo)
	for lo < hi {
		count := min(c.rest, hi-lo)
		if rows && count == n.inner() {
			lo += n.copyRows(&c, (hi-lo)/count, bytes) * count
			if lo < hi {
				c.seek(n, lo)
			}
			continue
		}
		move(c.pointer(0), dstStride, c.pointer(1), srcStride, count, size)
		c.advance(count)
		lo += count
	}
}

// copyRows copies at most limit whole rows from c on, up to the end of the axis that they follow one another on, and returns
// how many.
func (n *nest) copyRows(c *cursor, limit, bytes int) int {
	axis := len(n.shape) - 2
	count := min(limit, n.shape[axis]-c.index[axis])
	copyEvenRows(c.pointer(0), c.pointer(1), n.operands[0].strides[axis], n.operands[1].strides[axis], count, bytes)
	return count
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
