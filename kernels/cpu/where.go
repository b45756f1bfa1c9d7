package cpu

import "github.com/weft-nd/weft/dtype"

// choice is the loop of where for elements of type d, which moves bits: T is a type of the size of the elements.
func choice[T any](d dtype.DType) *inner {
	return &inner{dtypes: d.String(), nanoseconds: light, sizes: []int{d.Size(), 1, d.Size(), d.Size()}, plain: func(count int, p pointers) {
		where(slice[T](p[0], count), slice[bool](p[1], count), slice[T](p[2], count), slice[T](p[3], count))
	}}
}

// where takes x where condition holds and y elsewhere, without a branch.
func where[T any](dst []T, condition []bool, x, y []T) {
	dst, x, y = dst[:len(condition)], x[:len(condition)], y[:len(condition)]
	for i, chosen := range condition {
		v := y[i]
		if chosen {
			v = x[i]
		}
		dst[i] = v
	}
}

var _ = registerLoops("where",
	choice[uint8](dtype.Bool), choice[uint8](dtype.Int8), choice[uint8](dtype.Uint8),
	choice[uint16](dtype.Int16), choice[uint16](dtype.Uint16), choice[uint16](dtype.Float16), choice[uint16](dtype.BFloat16),
	choice[uint32](dtype.Int32), choice[uint32](dtype.Uint32), choice[uint32](dtype.Float32),
	choice[uint64](dtype.Int64), choice[uint64](dtype.Uint64), choice[uint64](dtype.Float64),
	choice[uint64](dtype.Complex64), choice[[2]uint64](dtype.Complex128))
