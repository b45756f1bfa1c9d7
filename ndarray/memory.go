package ndarray

import (
	"unsafe"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/storage"
)

// bytesOf returns the memory of data.
func bytesOf[T dtype.Element](data []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), len(data)*dtype.Of[T]().Size())
}

// elementsOf returns data as elements of type T.
func elementsOf[T dtype.Element](data []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(data))), len(data)/dtype.Of[T]().Size())
}

// checkShape fails unless shape is that of an array of element type d, and returns its count.
func checkShape(operator string, d dtype.DType, shape []int) int {
	if d == dtype.Invalid || int(d) >= dtype.Count {
		fail(operator, fault.ErrDType, "no element type")
	}
	if problem := storage.ShapeProblem(d, shape); problem != "" {
		fail(operator, fault.ErrShape, problem)
	}
	return storage.Count(shape)
}
