package ndarray

import (
	"fmt"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/ops"
	"github.com/weft-nd/weft/storage"
)

// FromSlice returns a new array with the elements of data, row-major, in the given shape, of the dtype of T. The data are
// copied. Without a shape it has one axis; an empty one, as in FromSlice(data, []int{}...), means no axes. It panics with
// *Error if data does not fill the shape exactly, or there is no memory for the copy.
func FromSlice[T dtype.Element](data []T, shape ...int) *Array {
	return fromSlice("FromSlice", DefaultEnv(), data, shape)
}

// FromSliceIn is FromSlice for an array in env.
func FromSliceIn[T dtype.Element](env *Env, data []T, shape ...int) *Array {
	return fromSlice("FromSliceIn", env, data, shape)
}

func fromSlice[T dtype.Element](operator string, env *Env, data []T, shape []int) *Array {
	checkEnv(operator, env)
	flat := [1]int{len(data)}
	if shape == nil {
		shape = flat[:]
	}
	checkFills(operator, data, shape)
	return (*Array)(ops.FromBytes(env, dtype.Of[T](), bytesOf(data), shape))
}

// Adopt returns an array on data itself, row-major in the given shape; without a shape it has one axis. Weft writes to
// data where operators write to the array. The caller may use data only inside Read and Write of the array, or while no
// operator on it is pending. It panics with *Error if data does not fill the shape exactly.
func Adopt[T dtype.Element](data []T, shape ...int) *Array {
	return adopt("Adopt", DefaultEnv(), data, shape)
}

// AdoptIn is Adopt for an array in env.
func AdoptIn[T dtype.Element](env *Env, data []T, shape ...int) *Array {
	return adopt("AdoptIn", env, data, shape)
}

func adopt[T dtype.Element](operator string, env *Env, data []T, shape []int) *Array {
	checkEnv(operator, env)
	if shape == nil {
		shape = []int{len(data)}
	}
	checkFills(operator, data, shape)
	memory := bytesOf(data)
	synced := storage.Adopt(env.Engine(), device.Pointer{Host: unsafe.Pointer(unsafe.SliceData(memory))}, len(memory))
	return onAll(env, synced, dtype.Of[T](), shape)
}

// made returns a new array whose elements fill writes; see newFilled.
func made[T dtype.Element](operator string, shape []int, fill func(data []T)) *Array {
	a, err := newFilled(operator, DefaultEnv(), dtype.Of[T](), shape, func(data []byte) error {
		fill(elementsOf[T](data))
		return nil
	})
	if err != nil {
		panic(err)
	}
	return a
}

// newFilled returns a new array whose bytes fill writes, or its error. The memory is weft's, so that none left is an error: the
// runtime of Go would end the process.
func newFilled(operator string, env *Env, d dtype.DType, shape []int, fill func(data []byte) error) (*Array, error) {
	host := device.CPU(0)
	bytes := checkShape(operator, d, shape) * d.Size()
	block, err := storage.NewBlockFor(env.Engine(), host, bytes)
	if err != nil {
		return nil, &Error{Operator: operator, Detail: err.Error(), Shapes: [][]int{shape}, DTypes: []dtype.DType{d}, Cause: err, Site: fault.Here(1)}
	}
	if err := fill(block.Pointer().Bytes(bytes)); err != nil {
		block.Release()
		return nil, err
	}
	return onAll(env, storage.NewSyncedFrom(env.Engine(), host, block, bytes), d, shape), nil
}

// checkFills fails unless the elements of data fill an array of the given shape.
func checkFills[T dtype.Element](operator string, data []T, shape []int) {
	if len(shape) == 1 && shape[0] == len(data) {
		return
	}
	if count := checkShape(operator, dtype.Of[T](), shape); count != len(data) {
		fail(operator, fault.ErrShape, fmt.Sprintf("%d elements do not fill shape %s, which has %d", len(data), fault.FormatShape(shape), count))
	}
}

// onAll returns the array that sees all of s, row-major.
func onAll(env *Env, s *storage.Synced, d dtype.DType, shape []int) *Array {
	env.Own(s)
	return (*Array)(ops.NewTensor(storage.NewView(s, d, shape), env))
}
