package cpu

import (
	"fmt"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/parallel"
)

// oneHot sets Outputs[0] to zero but for a one along the last axis where Inputs[0] says.
func oneHot(t *parallel.Thread, a *device.Arguments) error {
	output, indices := a.Outputs[0], a.Inputs[0]
	last := len(output.Shape) - 1
	depth := output.Shape[last]
	found := temporary[int](a, indices.Count())
	if wrong := newTuples(output, last, modeExact, len(found), indices).offsets(t, found); wrong != nil {
		return &outOfRange{wrong.index, fmt.Sprint("depth ", depth)}
	}
	clearView(t, output)
	if len(found) == 0 {
		return nil
	}
	size := output.DType.Size()
	one := memoryOf(output.DType, 1)
	rows := newOrderedNest(part(output, 0, last))
	t.ForCost(len(found), 4, func(_ *parallel.Thread, lo, hi int) {
		var c cursor
		c.seek(rows, lo)
		for _, offset := range found[lo:hi] {
			move(unsafe.Add(c.pointer(0), offset), size, unsafe.Pointer(&one), size, 1, size)
			c.advance(1)
		}
	})
	return nil
}

var _ = register("one_hot", forAll(oneHot)...)
