package cpu

import (
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// recurrence computes y[i] = factors[i] · y[i-1] + x[i] along the last axis, where y[-1] is 0, from factors, Inputs[0], and x,
// Inputs[1], into Outputs[0]. Outputs[1], if there is one, is filled with zeros.
func recurrence(carry func(r recurring, count int)) Kernel {
	return func(t *parallel.Thread, a *device.Arguments) error { return carryLines(t, a, carry) }
}

func carryLines(t *parallel.Thread, a *device.Arguments, carry func(r recurring, count int)) error {
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
	strides := [3]int{output.Strides[last] * size, factors.Strides[last] * size, x.Strides[last] * size}
	t.ForCost(n.count, 2*float64(output.Shape[last]), func(_ *parallel.Thread, lo, hi int) {
		var c cursor
		c.seek(n, lo)
		for range hi - lo {
			carry(recurring{c.pointer(0), c.pointer(1), c.pointer(2), strides}, output.Shape[last])
			c.advance(1)
		}
	})
	return nil
}

// recurring is a line of results, factors and x, so many bytes apart.
type recurring struct {
	to, factor, from unsafe.Pointer
	strides          [3]int
}

func carry[T dtype.Float](r recurring, count int) {
	var y T
	for i := range count {
		y = T(*(*T)(unsafe.Add(r.factor, i*r.strides[1]))*y) + *(*T)(unsafe.Add(r.from, i*r.strides[2]))
		*(*T)(unsafe.Add(r.to, i*r.strides[0])) = y
	}
}

func carryComplex[T dtype.Float](r recurring, count int) {
	var y [2]T
	for i := range count {
		y = product2(*(*[2]T)(unsafe.Add(r.factor, i*r.strides[1])), y)
		x := *(*[2]T)(unsafe.Add(r.from, i*r.strides[2]))
		y[0], y[1] = y[0]+x[0], y[1]+x[1]
		*(*[2]T)(unsafe.Add(r.to, i*r.strides[0])) = y
	}
}

var _ = register("recurrence",
	entry{dtype.Float32.String(), recurrence(carry[float32])}, entry{dtype.Float64.String(), recurrence(carry[float64])},
	entry{dtype.Complex64.String(), recurrence(carryComplex[float32])}, entry{dtype.Complex128.String(), recurrence(carryComplex[float64])})
