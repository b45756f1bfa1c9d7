package cpu

import (
	"fmt"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// filling is the kernel that sets all elements of Outputs[0] to value.
func filling[T dtype.Element](value func(a *device.Arguments) T) entry {
	return entry{dtype.Of[T]().String(), func(t *parallel.Thread, a *device.Arguments) error {
		fillView(t, a.Outputs[0], value(a))
		return nil
	}}
}

// The value is Scalars[0] for floats and Integers[0] for integers, which wraps round, and for bool, true unless zero.
var _ = register("fill",
	filling(func(a *device.Arguments) bool { return a.Integers[0] != 0 }),
	filling(func(a *device.Arguments) uint8 { return uint8(a.Integers[0]) }),
	filling(func(a *device.Arguments) int32 { return int32(a.Integers[0]) }),
	filling(func(a *device.Arguments) int64 { return a.Integers[0] }),
	filling(func(a *device.Arguments) float32 { return float32(a.Scalars[0]) }),
	filling(func(a *device.Arguments) float64 { return a.Scalars[0] }),
	filling(func(a *device.Arguments) dtype.F16 { return dtype.ToF16(oddFloat32(a.Scalars[0])) }),
	filling(func(a *device.Arguments) dtype.BF16 { return dtype.ToBF16(oddFloat32(a.Scalars[0])) }))

func fillView[T any](t *parallel.Thread, view device.View, value T) {
	apply(t, newNest(view), 1, false, light, func(count int, p pointers) {
		repeat(slice[T](p[0], count), value)
	})
}

// repeat sets all elements of dst to value: the first ones singly, the rest by copying those while they are in the cache.
func repeat[T any](dst []T, value T) {
	const single = 64
	for i := range dst[:min(len(dst), single)] {
		dst[i] = value
	}
	for done := single; done < len(dst); {
		done += copy(dst[done:], dst[:min(done, 2*blockSize)])
	}
}

// clearView sets all elements of view to zero.
func clearView(t *parallel.Thread, view device.View) {
	switch size := view.DType.Size(); size {
	case 1:
		fillView(t, view, uint8(0))
	case 2:
		fillView(t, view, uint16(0))
	case 4:
		fillView(t, view, uint32(0))
	case 8:
		fillView(t, view, uint64(0))
	case 16:
		fillView(t, view, [2]uint64{})
	default:
		panic(fmt.Sprintf("cpu: elements of %d bytes", size))
	}
}
