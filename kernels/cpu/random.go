package cpu

import (
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/distribution"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/parallel"
)

// Blocks of elements are those that package distribution takes.
var _ = [1]struct{}{}[blockSize-distribution.BlockSize]

// randomBits returns where an operator takes its random bits from: Integers[0] is the key, Integers[1] the sequence.
func randomBits(a *device.Arguments) distribution.Source {
	return distribution.Source{Key: uint64(a.Integers[0]), Sequence: uint64(a.Integers[1])}
}

// generating is the kernel that fills Outputs[0] by inner.
func generating[T dtype.Float](inner distribution.Fill[T], nanoseconds float64) entry {
	return entry{dtype.Of[T]().String(), func(t *parallel.Thread, a *device.Arguments) error {
		n := newOrderedNest(a.Outputs[0])
		if n.count == 0 {
			return nil
		}
		s := randomBits(a)
		o := &n.operands[0]
		chunks := (n.count + blockSize - 1) / blockSize
		t.ForCost(chunks, nanoseconds*blockSize, func(_ *parallel.Thread, lo, hi int) {
			lo, hi = lo*blockSize, min(hi*blockSize, n.count)
			if o.whole {
				inner(slice[T](unsafe.Add(o.pointer, lo*o.size), hi-lo), s, uint64(lo), a.Scalars)
				return
			}
			var block [blockSize]T
			for ; lo < hi; lo += blockSize {
				count := min(blockSize, hi-lo)
				inner(block[:count], s, uint64(lo), a.Scalars)
				n.scatter(unsafe.Pointer(&block), 0, lo, count)
			}
		})
		return nil
	}}
}

// generated is the nanoseconds that an element takes, by assembly and in portable Go.
func generated(assembly, portable float64) float64 {
	if features.Best > features.Portable {
		return assembly
	}
	return portable
}

// drawing runs inner over the elements of Outputs[0] and all inputs, which have its shape, in row-major order: count of
// them at a time, at most blockSize, from the element number first on, a multiple of blockSize.
func drawing(t *parallel.Thread, a *device.Arguments, nanoseconds float64, inner func(s distribution.Source, first uint64, count int, p pointers)) {
	var views [maxOperands]device.View
	operands := copy(views[:], a.Outputs[:1])
	operands += copy(views[operands:], a.Inputs)
	n := newOrderedNest(views[:operands]...)
	if n.count == 0 {
		return
	}
	s := randomBits(a)
	chunks := (n.count + blockSize - 1) / blockSize
	t.ForCost(chunks, nanoseconds*blockSize, func(_ *parallel.Thread, lo, hi int) {
		b := blockPool.Get().(*blocks)
		defer blockPool.Put(b)
		for at := lo * blockSize; at < min(hi*blockSize, n.count); at += blockSize {
			count := min(blockSize, n.count-at)
			var p pointers
			for i := range n.operands {
				o := &n.operands[i]
				if o.whole {
					p[i] = unsafe.Add(o.pointer, at*o.size)
					continue
				}
				p[i] = unsafe.Pointer(&b[i])
				if i > 0 {
					n.gather(p[i], i, at, count)
				}
			}
			inner(s, uint64(at), count, p)
			if !n.operands[0].whole {
				n.scatter(p[0], 0, at, count)
			}
		}
	})
}
