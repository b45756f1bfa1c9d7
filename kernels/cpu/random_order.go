package cpu

import (
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/distribution"
	"github.com/weft-nd/weft/parallel"
)

// permutation fills Outputs[0], of one axis, with the numbers below its length in random order.
func permutation(_ *parallel.Thread, a *device.Arguments) error {
	output := a.Outputs[0]
	count := output.Count()
	if count == 0 {
		return nil
	}
	whole := count == 1 || output.Strides[0] == 1
	var order []int64
	if whole {
		order = slice[int64](output.Pointer.Host, count)
	} else {
		order = make([]int64, count)
	}
	distribution.Permutation(order, randomBits(a))
	if !whole {
		newOrderedNest(output).scatter(unsafe.Pointer(&order[0]), 0, 0, count)
	}
	return nil
}

var _ = register("permutation", entry{dtype.Int64.String(), permutation})

// choose fills Outputs[0] with different numbers below the population Integers[2].
func choose(_ *parallel.Thread, a *device.Arguments) error {
	chosen := make([]int64, a.Outputs[0].Count())
	if len(chosen) == 0 {
		return nil
	}
	distribution.Choose(chosen, randomBits(a), a.Integers[2])
	newOrderedNest(a.Outputs[0]).scatter(unsafe.Pointer(&chosen[0]), 0, 0, len(chosen))
	return nil
}

var _ = register("choose", entry{dtype.Int64.String(), choose})
