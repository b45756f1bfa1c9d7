package ndarray

import (
	"fmt"
	"reflect"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
)

// nestedMakers make arrays of the Go types that elements have.
var nestedMakers = map[reflect.Type]func(nested reflect.Value, shape []int) *Array{
	reflect.TypeFor[bool]():       fromNested[bool],
	reflect.TypeFor[int]():        fromNested[int],
	reflect.TypeFor[int8]():       fromNested[int8],
	reflect.TypeFor[int16]():      fromNested[int16],
	reflect.TypeFor[int32]():      fromNested[int32],
	reflect.TypeFor[int64]():      fromNested[int64],
	reflect.TypeFor[uint8]():      fromNested[uint8],
	reflect.TypeFor[uint16]():     fromNested[uint16],
	reflect.TypeFor[uint32]():     fromNested[uint32],
	reflect.TypeFor[uint64]():     fromNested[uint64],
	reflect.TypeFor[dtype.F16]():  fromNested[dtype.F16],
	reflect.TypeFor[dtype.BF16](): fromNested[dtype.BF16],
	reflect.TypeFor[float32]():    fromNested[float32],
	reflect.TypeFor[float64]():    fromNested[float64],
	reflect.TypeFor[complex64]():  fromNested[complex64],
	reflect.TypeFor[complex128](): fromNested[complex128],
}

func fromNested[T dtype.Element](nested reflect.Value, shape []int) *Array {
	return FromSlice(flatten[T](nil, nested, shape), shape...)
}

// FromNested returns a new array of the elements of nested slices or arrays of Go, such as [][]float32{{1, 2}, {3, 4}}, whose depth is the
// number of axes; the dtype is that of the innermost type. The elements are copied. It panics with *Error if slices beside each other
// differ in length, or the innermost type is none of dtype.Element. Where an outer slice is empty, the axes within have no elements.
func FromNested(nested any) *Array {
	value := reflect.ValueOf(nested)
	if !value.IsValid() {
		fail("FromNested", fault.ErrMisuse, "there is nothing to make an array of")
	}
	shape, inner := []int{}, value.Type()
	for first := value; inner.Kind() == reflect.Slice || inner.Kind() == reflect.Array; inner = inner.Elem() {
		length := 0
		if first.IsValid() {
			length = first.Len()
		}
		switch {
		case length > 0:
			first = first.Index(0)
		case inner.Kind() == reflect.Array && !first.IsValid():
			length = inner.Len()
		default:
			first = reflect.Value{}
		}
		shape = append(shape, length)
	}
	maker := nestedMakers[inner]
	if maker == nil {
		fail("FromNested", fault.ErrDType, inner.String()+" is no element type")
	}
	return maker(value, shape)
}

// flatten appends the elements of nested, which must have the given shape.
func flatten[T dtype.Element](elements []T, nested reflect.Value, shape []int) []T {
	if len(shape) == 0 {
		return append(elements, nested.Interface().(T))
	}
	if nested.Len() != shape[0] {
		fail("FromNested", fault.ErrShape, fmt.Sprintf("a slice has %d elements, and one before it %d", nested.Len(), shape[0]))
	}
	if row, isRow := nested.Interface().([]T); isRow {
		return append(elements, row...)
	}
	for i := range nested.Len() {
		elements = flatten(elements, nested.Index(i), shape[1:])
	}
	return elements
}
