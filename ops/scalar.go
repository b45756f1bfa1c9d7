package ops

import (
	encoding "encoding/binary"
	"fmt"
	"math"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
)

// Scalar returns a 0-d array of element type d that goes to whatever device its fellow operands are on. Integers are
// truncated toward zero.
func Scalar(env *Env, value float64, d dtype.DType) *Tensor {
	t := FromBytes(env, d, encode(value, d), nil)
	t.note(nil, floatNumber(value))
	return t
}

// Number returns an array of one element of type d, of a shape of ones alone. Integers are truncated toward zero.
func Number(env *Env, value float64, d dtype.DType, shape []int) *Tensor {
	return FromBytes(env, d, encode(value, d), shape)
}

// Weak returns a 0-d array of v that goes to whatever device its fellow operands are on, and adapts to their element type. It must
// not be written to.
func Weak[T dtype.Element](env *Env, v T) *Tensor {
	d := dtype.Of[T]()
	t := FromBytes(env, d, unsafe.Slice((*byte)(unsafe.Pointer(&v)), d.Size()), []int{})
	t.note(nil, numberOf(v))
	return t
}

// IsScalar reports whether t adapts to its fellow operands; see Weak.
func (t *Tensor) IsScalar() bool { return t.scalar().kind != dtype.KindInvalid }

// numberOn returns t, if it adapts to its fellow operands, as one that belongs to d, and else t itself.
func (t *Tensor) numberOn(d device.Device) *Tensor {
	if !t.IsScalar() || t.env.device == d {
		return t
	}
	moved := *t
	moved.env = t.env.WithDevice(d)
	return &moved
}

// encode returns the bytes of value as an element of type d.
func encode(value float64, d dtype.DType) []byte {
	order := encoding.NativeEndian
	switch d {
	case dtype.Bool:
		if value != 0 {
			return []byte{1}
		}
		return []byte{0}
	case dtype.Int8:
		return []byte{byte(int8(value))}
	case dtype.Uint8:
		return []byte{byte(value)}
	case dtype.Int16:
		return order.AppendUint16(nil, uint16(int16(value)))
	case dtype.Uint16:
		return order.AppendUint16(nil, uint16(value))
	case dtype.Int32:
		return order.AppendUint32(nil, uint32(int32(value)))
	case dtype.Uint32:
		return order.AppendUint32(nil, uint32(value))
	case dtype.Int64:
		return order.AppendUint64(nil, uint64(int64(value)))
	case dtype.Uint64:
		return order.AppendUint64(nil, uint64(value))
	case dtype.Float16:
		return order.AppendUint16(nil, uint16(dtype.ToF16(float32(value))))
	case dtype.BFloat16:
		return order.AppendUint16(nil, uint16(dtype.ToBF16(float32(value))))
	case dtype.Float32:
		return order.AppendUint32(nil, math.Float32bits(float32(value)))
	case dtype.Float64:
		return order.AppendUint64(nil, math.Float64bits(value))
	case dtype.Complex64:
		return append(encode(value, dtype.Float32), 0, 0, 0, 0)
	case dtype.Complex128:
		return append(encode(value, dtype.Float64), 0, 0, 0, 0, 0, 0, 0, 0)
	}
	panic(fmt.Sprintf("ops: no scalars of %v", d))
}
