package cpu

import (
	"bytes"

	"github.com/weft-nd/weft/dtype"
)

// Extremes are NaN where an element is; −0 is less than 0. Their order does not matter.

func larger[T dtype.Real](a, b T) T { return max(a, b) }

func smaller[T dtype.Real](a, b T) T { return min(a, b) }

// maxLeaf is the largest element; NaN if one is among them.
func maxLeaf[T dtype.Real](x []T, _ int) T {
	best := x[0]
	for _, v := range x[1:] {
		best = max(best, v)
	}
	return best
}

// minLeaf is the smallest element; NaN if one is among them.
func minLeaf[T dtype.Real](x []T, _ int) T {
	best := x[0]
	for _, v := range x[1:] {
		best = min(best, v)
	}
	return best
}

func newMaximum[T dtype.Real]() *total[T] {
	f := newTotal("max", eachRow(copyRow[T], func(dst, x []T) {
		for i, v := range x {
			dst[i] = max(dst[i], v)
		}
	}), larger[T], nil, nil)
	f.unordered, f.idempotent = true, true
	f.pairs = func(x []T) T { return maxLeaf(x, 0) }
	return f
}

func newMinimum[T dtype.Real]() *total[T] {
	f := newTotal("min", eachRow(copyRow[T], func(dst, x []T) {
		for i, v := range x {
			dst[i] = min(dst[i], v)
		}
	}), smaller[T], nil, nil)
	f.unordered, f.idempotent = true, true
	f.pairs = func(x []T) T { return minLeaf(x, 0) }
	return f
}

// maxima and minima for each element type that reductions use more than once.
var (
	maximum32, minimum32 = newMaximum[float32](), newMinimum[float32]()
	maximum64, minimum64 = newMaximum[float64](), newMinimum[float64]()
)

// ordering are the kernels of an extreme of integers, beside those of floats.
func ordering(single *total[float32], double *total[float64], whole ...entry) []entry {
	return append(whole,
		accumulated(dtype.Float16, single, loadF16, halfResults(dtype.Float16, func(total float32, _ int) dtype.F16 { return dtype.ToF16(total) }, nil)),
		accumulated(dtype.BFloat16, single, loadBF16, halfResults(dtype.BFloat16, func(total float32, _ int) dtype.BF16 { return dtype.ToBF16(total) }, nil)),
		ordered(single), ordered(double))
}

// ordered is an entry of elements that are compared as they are.
func ordered[T dtype.Real](f *total[T]) entry { return unfinished(dtype.Of[T](), f, nil, 0) }

// orderedBools is an entry of bools, which may stop at the first that equals most.
func orderedBools(f *total[uint8], most uint8) entry {
	folded := f.fold()
	folded.run = func(_ *workspace, x []uint8, _ int) uint8 {
		if bytes.IndexByte(x, most) >= 0 {
			return most
		}
		return 1 - most
	}
	folded.longRows = nil // Rows stop early by run, too.
	folded.final = true
	return entry{dtype.Bool.String(), reducer[uint8, uint8]{folded, nil, storing(same[uint8])}.kernel}
}

var (
	_ = register("max", ordering(maximum32, maximum64, orderedBools(newMaximum[uint8](), 1),
		ordered(newMaximum[int8]()), ordered(newMaximum[int16]()), ordered(newMaximum[int32]()), ordered(newMaximum[int64]()),
		ordered(newMaximum[uint8]()), ordered(newMaximum[uint16]()), ordered(newMaximum[uint32]()), ordered(newMaximum[uint64]()))...)

	_ = register("min", ordering(minimum32, minimum64, orderedBools(newMinimum[uint8](), 0),
		ordered(newMinimum[int8]()), ordered(newMinimum[int16]()), ordered(newMinimum[int32]()), ordered(newMinimum[int64]()),
		ordered(newMinimum[uint8]()), ordered(newMinimum[uint16]()), ordered(newMinimum[uint32]()), ordered(newMinimum[uint64]()))...)
)
