package cpu

import (
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// indicesOfNonzero writes the indices of the elements of Inputs[0] that isZero does not hold for, in row-major order, to the columns of
// Outputs[0], whose rows are the axes, and how many there are to Outputs[1]. Columns left over are zero.
func indicesOfNonzero[T any](isZero func(v T) bool) Kernel {
	return func(t *parallel.Thread, a *device.Arguments) error {
		output, input := a.Outputs[0], a.Inputs[0]
		clearView(t, output)
		shape, count := input.Shape, 0
		index := make([]int, len(shape))
		element := input.Pointer.Host
		for range input.Count() {
			if !isZero(*(*T)(element)) {
				for axis, i := range index {
					*(*int64)(unsafe.Add(output.Pointer.Host, 8*(axis*output.Strides[0]+count*output.Strides[1]))) = int64(i)
				}
				count++
			}
			for axis := len(shape) - 1; axis >= 0; axis-- {
				stride := input.Strides[axis] * input.DType.Size()
				if index[axis]++; index[axis] < shape[axis] {
					element = unsafe.Add(element, stride)
					break
				}
				index[axis] = 0
				element = unsafe.Add(element, -stride*(shape[axis]-1))
			}
		}
		*(*int64)(a.Outputs[1].Pointer.Host) = int64(count)
		return nil
	}
}

func equalsZero[T dtype.Real | complex64 | complex128](v T) bool { return v == 0 }

// equalsHalfZero is equalsZero for the bits of a float of 16 bits, of which the first is the sign.
func equalsHalfZero(bits uint16) bool { return bits<<1 == 0 }

var _ = register("nonzero",
	entry{dtype.Bool.String(), indicesOfNonzero(func(v bool) bool { return !v })},
	entry{dtype.Int8.String(), indicesOfNonzero(equalsZero[int8])}, entry{dtype.Int16.String(), indicesOfNonzero(equalsZero[int16])},
	entry{dtype.Int32.String(), indicesOfNonzero(equalsZero[int32])}, entry{dtype.Int64.String(), indicesOfNonzero(equalsZero[int64])},
	entry{dtype.Uint8.String(), indicesOfNonzero(equalsZero[uint8])}, entry{dtype.Uint16.String(), indicesOfNonzero(equalsZero[uint16])},
	entry{dtype.Uint32.String(), indicesOfNonzero(equalsZero[uint32])}, entry{dtype.Uint64.String(), indicesOfNonzero(equalsZero[uint64])},
	entry{dtype.Float16.String(), indicesOfNonzero(equalsHalfZero)}, entry{dtype.BFloat16.String(), indicesOfNonzero(equalsHalfZero)},
	entry{dtype.Float32.String(), indicesOfNonzero(equalsZero[float32])}, entry{dtype.Float64.String(), indicesOfNonzero(equalsZero[float64])},
	entry{dtype.Complex64.String(), indicesOfNonzero(equalsZero[complex64])}, entry{dtype.Complex128.String(), indicesOfNonzero(equalsZero[complex128])})
