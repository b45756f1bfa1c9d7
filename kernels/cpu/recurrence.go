package cpu

import (
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// recurrence computes y[i] = factors[i] · y[i-1] + x[i] along the last axis, where y[-1] is 0, from factors, Inputs[0], and x,
// Inputs[1], into Outputs[0]. Outputs[1], if there is one, is filled with zeros.
func recurrence[T dtype.Float](t *parallel.Thread, a *device.Arguments) error {
	if len(a.Outputs) > 1 {
		clearView(t, a.Outputs[1])
	}
	output, factors, x := a.Outputs[0], a.Inputs[0], a.Inputs[1]
	if output.Count() == 0 {
		return nil
	}
	last := len(output.Shape) - 1
	size := output.DType.Size()
	n := newNest(part(output, 0, last), part(factors, 0, last), part(x, 0, last))
	toStride, factorStride, fromStride := output.Strides[last]*size, factors.Strides[last]*size, x.Strides[last]*size
	t.ForCost(n.count, 2*float64(output.Shape[last]), func(_ *parallel.Thread, lo, hi int) {
		var c cursor
		c.seek(n, lo)
		for range hi - lo {
			to, factor, from := c.pointer(0), c.pointer(1), c.pointer(2)
			var y T
			for i := range output.Shape[last] {
				y = T(*(*T)(unsafe.Add(factor, i*factorStride))*y) + *(*T)(unsafe.Add(from, i*fromStride))
				*(*T)(unsafe.Add(to, i*toStride)) = y
			}
			c.advance(1)
		}
	})
	return nil
}

var _ = register("recurrence", entry{dtype.Float32.String(), recurrence[float32]}, entry{dtype.Float64.String(), recurrence[float64]})
