package cpu

import (
	"github.com/weft-nd/weft/dtype"
)

func greater[T dtype.Real](dst []bool, x, y []T) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] = v > y[i]
	}
}

var _ = register("greater", binary(greater[float32], light), binary(greater[float64], light), binary(greater[int64], light))

func equal[T comparable](dst []bool, x, y []T) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] = v == y[i]
	}
}

var _ = register("equal",
	binary(equal[float32], light), binary(equal[float64], light), binary(equal[int64], light), binary(equal[bool], light))

// where takes x where condition holds and y elsewhere. It moves bits: T is the unsigned integer of the size of the
// elements, for which the choice needs no branch.
func where[T dtype.Integer](dst []T, condition []bool, x, y []T) {
	dst, x, y = dst[:len(condition)], x[:len(condition)], y[:len(condition)]
	for i, chosen := range condition {
		v := y[i]
		if chosen {
			v = x[i]
		}
		dst[i] = v
	}
}

// choice is the kernel that applies inner, for elements of type d.
func choice[T dtype.Integer](d dtype.DType, inner func(dst []T, condition []bool, x, y []T)) entry {
	return entry{d.String(), elementwise(light, func(count int, p pointers) {
		inner(slice[T](p[0], count), slice[bool](p[1], count), slice[T](p[2], count), slice[T](p[3], count))
	})}
}

var _ = register("where",
	choice(dtype.Float32, where[uint32]), choice(dtype.Float64, where[uint64]),
	choice(dtype.Int64, where[uint64]), choice(dtype.Bool, where[uint8]))
