package factor

import (
	"unsafe"

	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

// view is a matrix in memory: the element of row i and column j is elements[i*row+j*column].
type view[T gemm.Float] struct {
	elements    []T
	row, column int
}

// from returns the part of v from a row and a column on, which has some elements.
func (v view[T]) from(i, j int) view[T] {
	return view[T]{v.elements[i*v.row+j*v.column:], v.row, v.column}
}

func (v view[T]) transposed() view[T] { return view[T]{v.elements, v.column, v.row} }

func (v view[T]) matrix() gemm.Matrix {
	return gemm.Matrix{Start: unsafe.Pointer(&v.elements[0]), RowStride: v.row, ColumnStride: v.column}
}

// takeOff computes c −= a·b, of so many rows, columns and terms, of which there are some.
func takeOff[T gemm.Float](t *parallel.Thread, rows, columns, terms int, a, b, c view[T]) {
	gemm.Product[T]{M: rows, N: columns, K: terms, Alpha: -1, Beta: 1, A: a.matrix(), B: b.matrix(), C: c.matrix()}.Run(t, nil)
}

// half returns where a matrix of so many rows is divided, at a multiple of the size of those that are not.
func half(size, least int) int { return (size/2 + least - 1) / least * least }
