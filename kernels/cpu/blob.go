package cpu

import (
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// inPlace is a kernel that changes Outputs[0] by Inputs, if any, and sets the last output, a 0-d bool, to true at the end.
func inPlace[T dtype.Real](change func(a *device.Arguments) loop) entry {
	return entry{dtype.Of[T]().String(), func(t *parallel.Thread, a *device.Arguments) error {
		var views [2]device.View
		views[0] = a.Outputs[0]
		apply(t, newNest(views[:1+copy(views[1:], a.Inputs)]...), 1, true, light, change(a))
		*(*bool)(a.Outputs[1].Pointer.Host) = true
		return nil
	}}
}

// updating subtracts Inputs[0].
func updating[T dtype.Real]() entry {
	return inPlace[T](func(*device.Arguments) loop {
		return func(count int, p pointers) {
			data, diff := slice[T](p[0], count), slice[T](p[1], count)
			for i, v := range diff {
				data[i] -= v
			}
		}
	})
}

var _ = register("update", updating[float32](), updating[float64](), updating[int8](), updating[int16](), updating[int32](), updating[int64](),
	updating[uint8](), updating[uint16](), updating[uint32]())

// scaling multiplies by Integers[0], or by Scalars[0] if that is float.
func scaling[T dtype.Real](float bool) entry {
	return inPlace[T](func(a *device.Arguments) loop {
		factor := T(a.Integers[0])
		if float {
			factor = T(a.Scalars[0])
		}
		return func(count int, p pointers) {
			data := slice[T](p[0], count)
			for i := range data {
				data[i] *= factor
			}
		}
	})
}

var _ = register("rescale", scaling[float32](true), scaling[float64](true), scaling[int8](false), scaling[int16](false), scaling[int32](false),
	scaling[int64](false), scaling[uint8](false), scaling[uint16](false), scaling[uint32](false))
