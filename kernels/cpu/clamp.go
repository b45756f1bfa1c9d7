package cpu

import (
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

var (
	_ = registerLoops("clamp", clamps[int8](), clamps[int16](), clamps[int32](), clamps[int64](), clamps[uint8](), clamps[uint16](), clamps[uint32](), clamps[uint64]())
	_ = register("clamp", clampBetween[float32](), clampBetween[float64]())
	_ = halves(3, "clamp")
)

// clampBetween is the kernel for floats, which has a loop of its own for bounds that are one number each: no NaN, and
// no zero above, of which the general loop has to think for each element.
func clampBetween[T dtype.Float]() entry {
	general, between := clamps[T](), clamps[T]()
	general.makeKnown("clamp/" + general.dtypes)
	between.makeKnown("clamp_between/" + between.dtypes)
	return entry{general.dtypes, func(t *parallel.Thread, a *device.Arguments) error {
		if isRepeated(a.Inputs[1]) && isRepeated(a.Inputs[2]) && a.Outputs[0].Count() > 0 {
			low, high := *(*T)(a.Inputs[1].Pointer.Host), *(*T)(a.Inputs[2].Pointer.Host)
			if low == low && high == high && high != 0 {
				between.runner().compute(t, a)
				return nil
			}
		}
		general.runner().compute(t, a)
		return nil
	}}
}

func clamps[T dtype.Real]() *inner {
	d := dtype.Of[T]()
	return &inner{dtypes: d.String(), nanoseconds: light, sizes: []int{d.Size(), d.Size(), d.Size(), d.Size()}, plain: func(count int, p pointers) {
		clamp(slice[T](p[0], count), slice[T](p[1], count), slice[T](p[2], count), slice[T](p[3], count))
	}}
}

// clamp takes the lesser of high and of the larger of x and low; NaN where one of them is NaN.
func clamp[T dtype.Real](dst, x, low, high []T) {
	dst, low, high = dst[:len(x)], low[:len(x)], high[:len(x)]
	for i, v := range x {
		dst[i] = min(max(v, low[i]), high[i])
	}
}
