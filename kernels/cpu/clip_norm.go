package cpu

import (
	"math"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// squaresOf are the kernels of sums of squares, in float64.
var squaresOf = map[dtype.DType]Kernel{
	dtype.Float16: squares[dtype.F16](dtype.Float16, loadF16Wider), dtype.BFloat16: squares[dtype.BF16](dtype.BFloat16, loadBF16Wider),
	dtype.Float32: squares[float32](dtype.Float32, loadWider[float64, float32]()), dtype.Float64: squares[float64](dtype.Float64, nil),
}

func squares[N any](d dtype.DType, load loader[float64]) Kernel {
	return accumulatedOf[N](d, sumsq64, load, storing(same[float64])).kernel
}

// clipNorm scales all outputs but the last, which may have several element types, to the Euclidean norm Scalars[0]
// where that of all together is larger. The last, a 0-d float64, becomes the norm before.
func clipNorm(t *parallel.Thread, a *device.Arguments) error {
	last, most, total := len(a.Outputs)-1, a.Scalars[0], 0.0
	for _, v := range a.Outputs[:last] {
		own := new(float64)
		one := device.Arguments{
			Outputs: []device.View{{Pointer: device.Pointer{Host: unsafe.Pointer(own)}, DType: dtype.Float64}}, Inputs: []device.View{v},
			Integers: []int64{int64(len(v.Shape))}, Scratch: a.Scratch, ScratchBytes: a.ScratchBytes,
		}
		if err := squaresOf[v.DType](t, &one); err != nil {
			return err
		}
		total += *own
	}
	norm := math.Sqrt(total)
	*(*float64)(a.Outputs[last].Pointer.Host) = norm
	if norm <= most {
		return nil
	}
	for _, v := range a.Outputs[:last] {
		if err := multiplyBy(t, v, most/norm); err != nil {
			return err
		}
	}
	return nil
}

// multiplyBy multiplies v by a factor of its element type.
func multiplyBy(t *parallel.Thread, v device.View, factor float64) error {
	room := new(float64)
	number := device.View{Pointer: device.Pointer{Host: unsafe.Pointer(room)}, DType: v.DType, Shape: v.Shape, Strides: make([]int, len(v.Shape))}
	switch at := unsafe.Pointer(room); v.DType {
	case dtype.Float16:
		*(*dtype.F16)(at) = roundF16(factor)
	case dtype.BFloat16:
		*(*dtype.BF16)(at) = roundBF16(factor)
	case dtype.Float32:
		*(*float32)(at) = float32(factor)
	default:
		*room = factor
	}
	kernel, _ := Lookup("mul/" + v.DType.String())
	return kernel(t, &device.Arguments{Outputs: []device.View{v}, Inputs: []device.View{v, number}})
}

var _ = register("clip_norm", entry{dtype.Float16.String(), clipNorm}, entry{dtype.BFloat16.String(), clipNorm}, entry{dtype.Float32.String(), clipNorm}, entry{dtype.Float64.String(), clipNorm})
