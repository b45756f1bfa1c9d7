package cpu

import (
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// recurrence computes y[i] = factors[i] · y[i-1] + x[i] along the last axis, where y[-1] is 0, from factors, Inputs[0],
// and x, Inputs[1], into Outputs[0]. Outputs[1], if there is one, is filled with zeros. Carry computes the lines from
// lo up to but not including hi.
func recurrence(carry func(r *recurring, lo, hi int)) Kernel {
	return func(t *parallel.Thread, a *device.Arguments) error {
		if len(a.Outputs) > 1 {
			clearView(t, a.Outputs[1])
		}
		output, factors, x := a.Outputs[0], a.Inputs[0], a.Inputs[1]
		if output.Count() == 0 {
			return nil
		}
		last := len(output.Shape) - 1
		size := output.DType.Size()
		r := &recurring{
			lines: newNest(part(output, 0, last), part(factors, 0, last), part(x, 0, last)), count: output.Shape[last],
			toStride: output.Strides[last] * size, factorStride: factors.Strides[last] * size, fromStride: x.Strides[last] * size,
		}
		t.ForCost(r.lines.count, 2*float64(r.count), func(_ *parallel.Thread, lo, hi int) { carry(r, lo, hi) })
		return nil
	}
}

// recurring are lines of results, factors and x, each of so many elements, which are so many bytes apart.
type recurring struct {
	lines                              *nest
	count                              int
	toStride, factorStride, fromStride int
}

func carry[T dtype.Float](r *recurring, lo, hi int) {
	toStride, factorStride, fromStride := r.toStride, r.factorStride, r.fromStride
	var c cursor
	c.seek(r.lines, lo)
	for range hi - lo {
		to, factor, from := c.pointer(0), c.pointer(1), c.pointer(2)
		var y T
		for i := range r.count {
			y = T(*(*T)(unsafe.Add(factor, i*factorStride))*y) + *(*T)(unsafe.Add(from, i*fromStride))
			*(*T)(unsafe.Add(to, i*toStride)) = y
		}
		c.advance(1)
	}
}

func carryComplex[T dtype.Float](r *recurring, lo, hi int) {
	toStride, factorStride, fromStride := r.toStride, r.factorStride, r.fromStride
	var c cursor
	c.seek(r.lines, lo)
	for range hi - lo {
		to, factor, from := c.pointer(0), c.pointer(1), c.pointer(2)
		var y [2]T
		for i := range r.count {
			x := *(*[2]T)(unsafe.Add(from, i*fromStride))
			y = product2(*(*[2]T)(unsafe.Add(factor, i*factorStride)), y)
			y[0], y[1] = y[0]+x[0], y[1]+x[1]
			*(*[2]T)(unsafe.Add(to, i*toStride)) = y
		}
		c.advance(1)
	}
}

var _ = register("recurrence",
	entry{dtype.Float32.String(), recurrence(carry[float32])}, entry{dtype.Float64.String(), recurrence(carry[float64])},
	entry{dtype.Complex64.String(), recurrence(carryComplex[float32])}, entry{dtype.Complex128.String(), recurrence(carryComplex[float64])})
