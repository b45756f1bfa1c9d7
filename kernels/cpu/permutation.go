package cpu

import (
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

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
	var values [blockSize]uint64
	for first := (count - 1) / blockSize * blockSize; first >= 0; first -= blockSize {
		s.wide(values[:min(blockSize, count-first)], uint64(first), 0)
		for i := min(first+blockSize, count) - 1; i >= max(first, 1); i-- {
			j := s.within(values[i-first], uint64(i), uint64(i)+1)
			order[i], order[j] = order[j], order[i]
		}
	}
	if !whole {
		newOrderedNest(output).scatter(unsafe.Pointer(&order[0]), 0, 0, count)
	}
	return nil
}

var _ = register("permutation", entry{dtype.Int64.String(), permutation})
