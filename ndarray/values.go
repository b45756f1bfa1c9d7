package ndarray

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"unsafe"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/ops"
)

// Values returns a copy of the elements of a, row-major, whatever its strides. It waits for a alone, and returns the error that
// sticks to a. It panics with *Error unless T is the Go type of the dtype of a; ValuesAs converts.
func Values[T dtype.Element](a *Array) ([]T, error) {
	return ValuesContext[T](context.Background(), a)
}

// ValuesContext is Values that returns the cause of ctx if that ends first.
func ValuesContext[T dtype.Element](ctx context.Context, a *Array) ([]T, error) {
	checkElement[T]("Values", a)
	checkContext("Values", ctx)
	return values[T](ctx, a)
}

// ValuesAs returns a copy of the elements of a, row-major, converted to T by the rules of Array.Cast; see Values. It panics with
// *Error if a is complex and T is real.
func ValuesAs[T dtype.Number](a *Array) ([]T, error) {
	checkNotNil("ValuesAs", a)
	if d := dtype.Of[T](); a.DType() != d {
		a = a.reading().Cast(d)
	}
	return values[T](context.Background(), a)
}

// Item returns the only element of a; see Values. It panics with *Error unless a has exactly one element.
func Item[T dtype.Element](a *Array) (T, error) {
	checkElement[T]("Item", a)
	if count := a.Count(); count != 1 {
		fail("Item", fault.ErrShape, fmt.Sprintf("the array has %d elements, want one", count), a)
	}
	return single[T](a, 0)
}

// At returns the element of a at the given indices, one for each axis; negative ones count from the end. It waits for a, and
// returns the error that sticks to a. It panics with *Error if an index is out of range, there is not one index for each axis,
// or T is not the Go type of the dtype of a. If a is on the host it allocates nothing.
func At[T dtype.Element](a *Array, index ...int) (T, error) {
	checkElement[T]("At", a)
	offset, found := a.tensor().ElementOffset(index)
	if !found {
		a.failElement("At", index)
	}
	return single[T](a, offset)
}

// Set writes v to the element of a at the given indices; for mistakes it panics as At does, and as Write does for an array that
// must not be written. It does not wait.
func Set[T dtype.Element](a *Array, v T, index ...int) {
	checkElement[T]("Set", a)
	offset, found := a.tensor().ElementOffset(index)
	if !found {
		a.failElement("Set", index)
	}
	if ops.PokeElement(a.tensor(), offset, unsafe.Pointer(&v)) {
		return
	}
	if a.Detach() != a {
		fail("Set", fault.ErrMisuse, "the array is watched by a tape", a)
	}
	CopyInto(a.elementAt(offset), FromSliceIn(a.Env(), []T{v}, []int{}...))
}

// Iter returns the elements of a with their row-major numbers, as they are when it is called. It waits for a, and returns the
// error that sticks to a, or the cause of ctx if that ends first. It panics with *Error unless T is the Go type of the dtype of
// a.
func Iter[T dtype.Element](ctx context.Context, a *Array) (iter.Seq2[int, T], error) {
	checkElement[T]("Iter", a)
	checkContext("Iter", ctx)
	elements, err := values[T](ctx, a)
	if err != nil {
		return nil, err
	}
	return slices.All(elements), nil
}

// failElement tells what is wrong with index, of an element of a.
func (a *Array) failElement(operator string, index []int) {
	shape := a.tensor().Shape()
	if len(index) != len(shape) {
		fail(operator, fault.ErrIndex, fmt.Sprintf("%d indices for %d axes", len(index), len(shape)), a)
	}
	for axis, i := range index {
		if n := shape[axis]; i < -n || i >= n {
			fail(operator, fault.ErrIndex, fmt.Sprintf("index %d is out of range for axis %d with %d elements", i, axis, n), a)
		}
	}
}

// elementAt returns a 0-d view of the element at offset, counted in elements from the one whose indices are all zero.
func (a *Array) elementAt(offset int) *Array {
	view := a.tensor().View()
	view.Offset += offset
	view.Shape, view.Strides = nil, nil
	return (*Array)(ops.NewTensor(view, a.Env()))
}

// single returns the element of a at offset, counted as in elementAt.
func single[T dtype.Element](a *Array, offset int) (v T, err error) {
	if ops.PeekElement(a.tensor(), offset, unsafe.Pointer(&v)) {
		return v, nil
	}
	return awaited[T](a, offset)
}

// awaited is single for an element that has to be waited for, or fetched from another device.
func awaited[T dtype.Element](a *Array, offset int) (v T, err error) {
	element := (*Array)(a.elementAt(offset).tensor().Readable())
	if !element.Device().OnHost() { // To read it there would copy all of the array.
		elements, err := values[T](context.Background(), element)
		if err == nil {
			v = elements[0]
		}
		return v, err
	}
	data, err := ops.ReadElement(element.tensor().View(), element.Env(), fault.Here(1))
	if err == nil {
		v = *(*T)(unsafe.Pointer(&data))
	}
	return v, err
}

// values returns a copy of the elements of a, which has dtype T.
func values[T dtype.Element](ctx context.Context, a *Array) ([]T, error) {
	var elements []T
	err := a.visit(ctx, engine.Read, false, func(data []byte) error {
		elements = make([]T, a.Count()) // only now that the elements are there: views repeat them beyond what memory holds
		copy(bytesOf(elements), data)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return elements, nil
}

// reading returns a as it is to be read: not watched by tapes, not cancelled by its scope, and whether its engine was closed or not.
func (a *Array) reading() *Array {
	return (*Array)(a.Detach().In(a.Env().WithoutScope()).tensor().Readable())
}

// visit calls f with the elements of a, contiguous in host memory; those of strided arrays are copied first.
func (a *Array) visit(ctx context.Context, mode engine.Mode, user bool, f func(data []byte) error) error {
	if mode == engine.Read {
		a = (*Array)(a.tensor().Readable())
	}
	view := a.tensor().View()
	// A part of an array on a device is copied there first: what is copied to the host is always a whole.
	if !view.IsContiguous() || mode == engine.Read && !a.Device().OnHost() && view.Count()*view.DType.Size() < view.Synced.Bytes() {
		a = a.reading().Copy()
	}
	return ops.Access(ctx, a.tensor(), mode, user, fault.Here(1), f)
}
