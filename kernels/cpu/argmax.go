package cpu

import "github.com/weft-nd/weft/dtype"

// best is an element and its number.
type best[T dtype.Real] struct {
	value T
	index int64
}

// argmaxLeaf finds the largest element: the first of equal ones, or the first NaN.
func argmaxLeaf[T dtype.Real](x []T, first int) best[T] {
	value, index := x[0], 0
	for i, v := range x {
		if !(v <= value) && value == value {
			value, index = v, i
		}
	}
	return best[T]{value, int64(first + index)}
}

// further prefers a, which comes first.
func further[T dtype.Real](a, b best[T]) best[T] {
	if !(b.value <= a.value) && a.value == a.value {
		return b
	}
	return a
}

func index[T dtype.Real](total best[T], _ int) int64 { return total.index }

func locating[T dtype.Real]() entry {
	return entry{dtype.Of[T]().String(), fold[T, best[T], int64]{argmaxLeaf[T], further[T], index[T], nil}.kernel}
}

// argmax gives the row-major number of the largest element within the reduced axes.
var _ = register("argmax", locating[float32](), locating[float64](), locating[int64]())
