package cpu

import "github.com/weft-nd/weft/dtype"

var (
	_ = registerLoops("clamp", clamps[int8](), clamps[int16](), clamps[int32](), clamps[int64](),
		clamps[uint8](), clamps[uint16](), clamps[uint32](), clamps[uint64](), clamps[float32](), clamps[float64]())
	_ = halves(3, "clamp")
)

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
