package gorgonia

import (
	"reflect"
	"unsafe"

	"gorgonia.org/cu"
)

// handle is what gorgonia.org/cu wraps a pointer of the CUDA driver in, which it does not give out.
type handle interface {
	cu.Stream | cu.Event | cu.Module | cu.Function | cu.Graph | cu.ExecGraph
}

// wrap returns the wrapped pointer with a number.
func wrap[H handle, N ~uintptr](number N) H {
	_ = [1]struct{}{}[unsafe.Sizeof(*new(H))-unsafe.Sizeof(number)] // it is nothing but the pointer
	return *(*H)(unsafe.Pointer(&number))
}

// number returns the number of a wrapped pointer.
func number[N ~uintptr, H handle](h H) N {
	return N(reflect.ValueOf(h).Field(0).Pointer())
}
