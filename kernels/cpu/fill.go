package cpu

import (
	"fmt"
	"unsafe"

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

// The value is Scalars[0] for floats, and complex numbers, which are real then, and Integers[0] for integers, which
// wraps round, and for bool, true unless zero.
var _ = register("fill",
	filling(func(a *device.Arguments) bool { return a.Integers[0] != 0 }),
	filling(wrapped[int8]), filling(wrapped[int16]), filling(wrapped[int32]), filling(wrapped[int64]),
	filling(wrapped[uint8]), filling(wrapped[uint16]), filling(wrapped[uint32]), filling(wrapped[uint64]),
	filling(func(a *device.Arguments) float32 { return float32(a.Scalars[0]) }),
	filling(func(a *device.Arguments) float64 { return a.Scalars[0] }),
	filling(func(a *device.Arguments) complex64 { return complex(float32(a.Scalars[0]), 0) }),
	filling(func(a *device.Arguments) complex128 { return complex(a.Scalars[0], 0) }),
	filling(func(a *device.Arguments) dtype.F16 { return dtype.ToF16(oddFloat32(a.Scalars[0])) }),
	filling(func(a *device.Arguments) dtype.BF16 { return dtype.ToBF16(oddFloat32(a.Scalars[0])) }))

func wrapped[T dtype.Integer](a *device.Arguments) T { return T(a.Integers[0]) }

func fillView[T any](t *parallel.Thread, view device.View, value T) {
	if count, row := rowMajorCount(view); row && count <= blockSize {
		repeat(slice[T](view.Pointer.Host, count), value)
		return
	}
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
	n := newNest(view)
	if n.count > 0 && n.operands[0].whole {
		clearMemory(t, slice[byte](n.operands[0].pointer, n.count*n.operands[0].size))
		return
	}
	fillMemory(t, view, [2]uint64{})
}

// fillMemory sets all elements of view to the one at the beginning of value.
func fillMemory(t *parallel.Thread, view device.View, value [2]uint64) {
	p := unsafe.Pointer(&value)
	switch size := view.DType.Size(); size {
	case 1:
		fillView(t, view, *(*uint8)(p))
	case 2:
		fillView(t, view, *(*uint16)(p))
	case 4:
		fillView(t, view, *(*uint32)(p))
	case 8:
		fillView(t, view, *(*uint64)(p))
	case 16:
		fillView(t, view, value)
	default:
		panic(fmt.Sprintf("cpu: elements of %d bytes", size))
	}
}

// memoryOf returns the memory of an element of type d with the value; integers are truncated and wrap round.
func memoryOf(d dtype.DType, value float64) (memory [2]uint64) {
	p := unsafe.Pointer(&memory)
	switch d {
	case dtype.Bool:
		*(*bool)(p) = value != 0
	case dtype.Int8, dtype.Uint8:
		*(*uint8)(p) = uint8(integerOf(value))
	case dtype.Int16, dtype.Uint16:
		*(*uint16)(p) = uint16(integerOf(value))
	case dtype.Int32, dtype.Uint32:
		*(*uint32)(p) = uint32(integerOf(value))
	case dtype.Int64, dtype.Uint64:
		*(*uint64)(p) = integerOf(value)
	case dtype.Float16:
		*(*dtype.F16)(p) = dtype.ToF16(oddFloat32(value))
	case dtype.BFloat16:
		*(*dtype.BF16)(p) = dtype.ToBF16(oddFloat32(value))
	case dtype.Float32, dtype.Complex64:
		*(*float32)(p) = float32(value)
	default:
		*(*float64)(p) = value
	}
	return memory
}

// integerOf returns the bits of the integer that value is.
func integerOf(value float64) uint64 {
	if value >= 1<<63 {
		return uint64(value)
	}
	return uint64(int64(value))
}
