package ndarray

import (
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/ops"
)

// ResultType returns the dtype in which element-wise operators compute on the arrays, as dtype.Promote of all, where those made by
// Weak adapt. It panics with *Error if there is none, or no array.
func ResultType(arrays ...*Array) dtype.DType { return ops.ResultType(tensors(arrays)...) }

// BroadcastShapes returns the shape that arrays of the given shapes broadcast to, by NumPy's rule: from the last axes on, sizes are
// equal or one. It panics with *Error if they are not.
func BroadcastShapes(shapes ...[]int) []int { return ops.BroadcastShapes(shapes...) }

// BroadcastArrays returns views of the arrays, repeated to the shape that they broadcast to. It panics with *Error if there is none.
func BroadcastArrays(arrays ...*Array) []*Array {
	checkNotNil("BroadcastArrays", arrays...)
	shapes := make([][]int, len(arrays))
	for i, a := range arrays {
		shapes[i] = a.Shape()
	}
	return broadcastAll(arrays, BroadcastShapes(shapes...))
}

func broadcastAll(arrays []*Array, shape []int) []*Array {
	views := make([]*Array, len(arrays))
	for i, a := range arrays {
		views[i] = a.BroadcastTo(shape...)
	}
	return views
}
