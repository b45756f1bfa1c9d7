package cpu

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/philox"
	"github.com/weft-nd/weft/parallel"
)

// source is where an operator takes its random bits from: Integers[0] is the key, Integers[1] the sequence.
type source struct{ key, sequence uint64 }

// pair returns the two 64-bit values of an element block.
func (s source) pair(block uint64, draw uint16) [2]uint64 {
	lanes := philox.Block(s.key, philox.Counter(s.sequence, block, draw))
	return [2]uint64{uint64(lanes[0])<<32 | uint64(lanes[1]), uint64(lanes[2])<<32 | uint64(lanes[3])}
}

// generator computes the elements of dst, whose first has the number first in row-major order, a multiple of blockSize.
type generator[T dtype.Float] func(dst []T, s source, first uint64, scalars []float64)

// generating is the kernel that fills Outputs[0] by inner.
func generating[T dtype.Float](inner generator[T], nanoseconds float64) entry {
	return entry{dtype.Of[T]().String(), func(t *parallel.Thread, a *device.Arguments) error {
		n := newOrderedNest(a.Outputs[0])
		if n.count == 0 {
			return nil
		}
		s := source{uint64(a.Integers[0]), uint64(a.Integers[1])}
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

// uniform32 makes numbers low + u*(high-low), u a multiple of 2^-24 in [0, 1).
func uniform32(dst []float32, s source, first uint64, scalars []float64) {
	low, width := scalars[0], scalars[1]-scalars[0]
	below := belowFloat32(scalars[0], scalars[1])
	for i := 0; i < len(dst); i += 4 {
		lanes := philox.Block(s.key, philox.Counter(s.sequence, (first+uint64(i))/4, 0))
		for lane, word := range lanes[:min(4, len(dst)-i)] {
			u := float64(word>>8) * 0x1p-24
			dst[i+lane] = min(float32(low+float64(u*width)), below)
		}
	}
}

// belowFloat32 returns the largest float32 below high, or low where there is none from low on.
func belowFloat32(low, high float64) float32 {
	below := float32(high)
	if float64(below) >= high {
		below = math.Nextafter32(below, float32(math.Inf(-1)))
	}
	return max(below, float32(low))
}

// uniform64 makes numbers low + u*(high-low), u a multiple of 2^-53 in [0, 1).
func uniform64(dst []float64, s source, first uint64, scalars []float64) {
	low, width := scalars[0], scalars[1]-scalars[0]
	below := max(math.Nextafter(scalars[1], math.Inf(-1)), low)
	for i := 0; i < len(dst); i += 2 {
		values := s.pair((first+uint64(i))/2, 0)
		for lane, word := range values[:min(2, len(dst)-i)] {
			u := float64(word>>11) * 0x1p-53
			dst[i+lane] = min(low+float64(u*width), below)
		}
	}
}

var _ = register("uniform", generating(uniform32, 4), generating(uniform64, 8))

// normal makes normal numbers of the given mean and standard deviation from the 64-bit values of each pair of elements, for
// both element types, in float64.
func normal[T dtype.Float](dst []T, s source, first uint64, scalars []float64) {
	mean, deviation := scalars[0], scalars[1]
	for i := 0; i < len(dst); i += 2 {
		values := s.pair((first+uint64(i))/2, 0)
		a, b := boxMuller(values[0], values[1])
		dst[i] = T(mean + float64(a*deviation))
		if i+1 < len(dst) {
			dst[i+1] = T(mean + float64(b*deviation))
		}
	}
}

var _ = register("normal", generating(normal[float32], 40), generating(normal[float64], 40))

// permutation is the shuffle of Fisher and Yates. The element with which element i changes places, from the last one
// down, comes from the 64-bit value of element i by Lemire's unbiased method ("Fast random integer generation in an interval", ACM TOMACS 29(1), 2019).
func permutation(_ *parallel.Thread, a *device.Arguments) error {
	output := a.Outputs[0]
	count := output.Count()
	if count == 0 {
		return nil
	}
	s := source{uint64(a.Integers[0]), uint64(a.Integers[1])}
	whole := count == 1 || output.Strides[0] == 1
	var order []int64
	if whole {
		order = slice[int64](output.Pointer.Host, count)
	} else {
		order = make([]int64, count)
	}
	for i := range order {
		order[i] = int64(i)
	}
	for i := count - 1; i > 0; i-- {
		j := s.below(uint64(i), uint64(i)+1)
		order[i], order[j] = order[j], order[i]
	}
	if !whole {
		newOrderedNest(output).scatter(unsafe.Pointer(&order[0]), 0, 0, count)
	}
	return nil
}

var _ = register("permutation", entry{dtype.Int64.String(), permutation})

// below returns a uniform number below limit for the given element.
func (s source) below(element, limit uint64) uint64 {
	for draw := uint16(0); ; draw++ {
		high, low := bits.Mul64(s.pair(element/2, draw)[element%2], limit)
		if low >= limit || low >= -limit%limit {
			return high
		}
	}
}
