package cpu

import (
	"math"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// squares are the kernels of sums of squares, in float64.
type squares map[dtype.DType]Kernel

// Squares of large numbers are those of the numbers times 2⁻⁶⁰⁰, squares of small ones those of the numbers times 2⁶⁰⁰: elements of
// float64 may have squares beyond all numbers, or lose digits, or all.
const (
	reduced, enlarged = 0x1p-600, 0x1p600
	leastSum          = 0x1p-900 // sums below are of small numbers
)

var (
	squaresOf = squares{
		dtype.Float16:  accumulatedOf[dtype.F16](dtype.Float16, sumsq64, loadF16Wider, storing(same[float64])).kernel,
		dtype.BFloat16: accumulatedOf[dtype.BF16](dtype.BFloat16, sumsq64, loadBF16Wider, storing(same[float64])).kernel,
		dtype.Float32:  accumulatedOf[float32](dtype.Float32, sumsq64, loadWider[float64, float32](), storing(same[float64])).kernel,
		dtype.Float64:  accumulated(dtype.Float64, sumsq64, nil, storing(same[float64])).kernel,
	}
	squaresOfReduced, squaresOfEnlarged = scaledSquares(reduced), scaledSquares(enlarged)
)

// scaledSquares are those of elements times a power of two.
func scaledSquares(scale float64) squares {
	scaled := func(d dtype.DType, load loader[float64]) Kernel {
		return accumulated(d, sumsq64, func(dst []float64, width int, src unsafe.Pointer, stride int) {
			load(dst, width, src, stride)
			for i := range dst {
				dst[i] *= scale
			}
		}, storing(same[float64])).kernel
	}
	return squares{
		dtype.Float16: scaled(dtype.Float16, loadF16Wider), dtype.BFloat16: scaled(dtype.BFloat16, loadBF16Wider),
		dtype.Float32: scaled(dtype.Float32, loadWider[float64, float32]()), dtype.Float64: scaled(dtype.Float64, loadWider[float64, float64]()),
	}
}

// of returns the sum of the squares of all elements of views.
func (s squares) of(t *parallel.Thread, a *device.Arguments, views []device.View) (total float64, err error) {
	for _, v := range views {
		own := new(float64)
		one := device.Arguments{
			Outputs: []device.View{{Pointer: device.Pointer{Host: unsafe.Pointer(own)}, DType: dtype.Float64}}, Inputs: []device.View{v},
			Integers: []int64{int64(len(v.Shape))}, Scratch: a.Scratch, ScratchBytes: a.ScratchBytes,
		}
		if err := s[v.DType](t, &one); err != nil {
			return 0, err
		}
		total += *own
	}
	return total, nil
}

// normOf returns the Euclidean norm of all elements of views.
func normOf(t *parallel.Thread, a *device.Arguments, views []device.View) (float64, error) {
	total, err := squaresOf.of(t, a, views)
	scale := 1.0
	switch {
	case err != nil:
	case math.IsInf(total, 1):
		scale = reduced
		total, err = squaresOfReduced.of(t, a, views)
	case total < leastSum:
		scale = enlarged
		total, err = squaresOfEnlarged.of(t, a, views)
	}
	return math.Sqrt(total) / scale, err
}

// clipNorm scales all outputs but the last, which may have several element types, to the Euclidean norm Scalars[0]
// where that of all together is larger. The last, a 0-d float64, becomes the norm before.
func clipNorm(t *parallel.Thread, a *device.Arguments) error {
	last, most := len(a.Outputs)-1, a.Scalars[0]
	norm, err := normOf(t, a, a.Outputs[:last])
	if err != nil {
		return err
	}
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
