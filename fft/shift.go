package fft

import (
	"fmt"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// Shift returns a copy of x with frequency 0 in the middle of the given axes, all axes if there are none: number k
// comes to k + n/2, and those that leave at the end come in at the front. Negative axes count from the end; gradients
// flow back. It panics with *nd.Error if x has no such axis, or one is named twice.
func Shift(x *nd.Array, axes ...int) *nd.Array {
	return shifted("Shift", x, axes, func(n int) int { return n / 2 })
}

// InverseShift returns the inverse of Shift, which is another one where a length is odd.
func InverseShift(x *nd.Array, axes ...int) *nd.Array {
	return shifted("InverseShift", x, axes, func(n int) int { return -(n / 2) })
}

func shifted(function string, x *nd.Array, axes []int, places func(n int) int) *nd.Array {
	checkNotNil(function, x)
	shape := x.Shape()
	if len(axes) == 0 {
		axes = make([]int, len(shape)) // what is behind an empty list is the caller's
		for axis := range axes {
			axes[axis] = axis
		}
	}
	shifts, named := make([]int, len(axes)), map[int]bool{}
	for i, axis := range axes {
		if axis < -len(shape) || axis >= len(shape) {
			mistake(function, fault.ErrAxis, fmt.Sprintf("axis %d is out of range for %d axes", axis, len(shape)), x)
		}
		axis = (axis + len(shape)) % len(shape)
		if named[axis] {
			mistake(function, fault.ErrAxis, fmt.Sprintf("axis %d is named twice in %v", axis, axes), x)
		}
		named[axis] = true
		shifts[i] = places(shape[axis])
	}
	if len(axes) == 0 {
		return x.Copy()
	}
	return x.RollEach(shifts, axes)
}
