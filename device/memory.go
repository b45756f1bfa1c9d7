package device

import (
	"unsafe"

	"github.com/weft-nd/weft/dtype"
)

// Pointer is an address in the memory of one device. Host memory is held by Host, which keeps Go memory alive; memory
// that the host cannot address is held by Address, a number with a meaning to its backend alone. The zero Pointer
// points nowhere.
type Pointer struct {
	Host    unsafe.Pointer
	Address uintptr
}

// IsNil reports whether p points nowhere.
func (p Pointer) IsNil() bool { return p.Host == nil && p.Address == 0 }

// Add returns the address n bytes behind p.
func (p Pointer) Add(n int) Pointer {
	if p.Host != nil {
		return Pointer{Host: unsafe.Add(p.Host, n)}
	}
	return Pointer{Address: p.Address + uintptr(n)}
}

// Bytes returns the n bytes at p, which must be host memory.
func (p Pointer) Bytes(n int) []byte { return unsafe.Slice((*byte)(p.Host), n) }

// View is a strided array in the memory of one device, as kernels see it.
type View struct {
	Pointer Pointer // of the element whose indices are all zero
	DType   dtype.DType
	Shape   []int // elements along each axis
	Strides []int // elements from one index to the next along each axis; zero repeats, negative runs backwards
}

// Count returns the number of elements.
func (v View) Count() int {
	count := 1
	for _, n := range v.Shape {
		count *= n
	}
	return count
}
