package cpu

import (
	"fmt"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// oneHot sets Outputs[0] to zero but for a one along the last axis where Inputs[0] says.
func oneHot[T dtype.Real](t *parallel.Thread, a *device.Arguments) error {
	output := a.Outputs[0]
	last := len(output.Shape) - 1
	depth := output.Shape[last]
	indices := contiguous[int64](a.Inputs[0])
	for _, index := range indices {
		if index < 0 || index >= int64(depth) {
			return &indexError{fmt.Sprintf("index %d is out of range for depth %d", index, depth)}
		}
	}
	clearView(t, output)
	if len(indices) == 0 {
		return nil
	}
	stride := output.Strides[last] * output.DType.Size()
	var c cursor
	c.seek(newOrderedNest(part(output, 0, last)), 0)
	for _, index := range indices {
		*(*T)(unsafe.Add(c.pointer(0), int(index)*stride)) = 1
		c.advance(1)
	}
	return nil
}

var _ = register("one_hot",
	entry{dtype.Float32.String(), oneHot[float32]}, entry{dtype.Float64.String(), oneHot[float64]},
	entry{dtype.Int64.String(), oneHot[int64]})
