package factor

import (
	"unsafe"

	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

// Element is the types of the elements of matrices.
type Element interface {
	float32 | float64 | complex64 | complex128
}

// isSingle reports whether elements, or their parts, are float32.
func isSingle[E Element]() bool {
	var zero E
	switch any(zero).(type) {
	case float32, complex64:
		return true
	}
	return false
}

// view is a matrix in memory: the element of row i and column j is elements[i*row+j*column], and, if it is a complex
// number, the imaginary part is what follows.
type view[T gemm.Float] struct {
	elements    []T
	row, column int
	isComplex   bool
	conjugate   bool // the elements count as those conjugate to them
}

// viewOf returns elements as a view of their parts, of type T.
func viewOf[T gemm.Float, E Element](elements []E, row, column int) view[T] {
	var part T
	var element E
	parts := int(unsafe.Sizeof(element) / unsafe.Sizeof(part))
	numbers := unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(elements))), parts*len(elements))
	return view[T]{numbers, parts * row, parts * column, parts == 2, false}
}

// parts returns how many numbers an element is.
func (v view[T]) parts() int {
	if v.isComplex {
		return 2
	}
	return 1
}

// from returns the part of v from a row and a column on, which has some elements.
func (v view[T]) from(i, j int) view[T] {
	v.elements = v.elements[i*v.row+j*v.column:]
	return v
}

func (v view[T]) transposed() view[T] {
	v.row, v.column = v.column, v.row
	return v
}

func (v view[T]) conjugated() view[T] {
	v.conjugate = v.isComplex && !v.conjugate
	return v
}

func (v view[T]) adjoint() view[T] { return v.transposed().conjugated() }

// sign is what imaginary parts count times.
func (v view[T]) sign() T {
	if v.conjugate {
		return -1
	}
	return 1
}

func (v view[T]) matrix() gemm.Matrix {
	return gemm.Matrix{Start: pointer(v.elements), RowStride: v.row, ColumnStride: v.column}
}

func pointer[T gemm.Float](x []T) unsafe.Pointer { return unsafe.Pointer(&x[0]) }

// multiply computes c = alpha·a·b + beta·c, of so many rows, columns and terms, of which there are some.
func multiply[T gemm.Float](t *parallel.Thread, rows, columns, terms int, alpha, beta T, a, b, c view[T]) {
	if c.isComplex {
		multiplyComplex(t, rows, columns, terms, alpha, beta, a, b, c)
		return
	}
	gemm.Product[T]{M: rows, N: columns, K: terms, Alpha: alpha, Beta: beta, A: a.matrix(), B: b.matrix(), C: c.matrix()}.Run(t, nil)
}

// takeOff computes c −= a·b.
func takeOff[T gemm.Float](t *parallel.Thread, rows, columns, terms int, a, b, c view[T]) {
	multiply(t, rows, columns, terms, -1, 1, a, b, c)
}

// half returns where a matrix of so many rows is divided, at a multiple of the size of those that are not.
func half(size, least int) int { return (size/2 + least - 1) / least * least }
