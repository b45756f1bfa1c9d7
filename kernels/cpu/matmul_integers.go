package cpu

import (
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

// newInt8Product returns the products of int8, which are of int32.
func newInt8Product(output, x, y device.View) gemm.Int8Product {
	p := newProduct[float32](output, x, y)
	return gemm.Int8Product{M: p.M, N: p.N, K: p.K, A: p.A, B: p.B, C: p.C, Count: p.Count, Offsets: p.Offsets}
}

// newIntegerProduct returns the products of integers with or without a sign, which wrap round.
func newIntegerProduct[I gemm.Integer](output, x, y device.View) gemm.IntegerProduct[I] {
	p := newProduct[float32](output, x, y)
	return gemm.IntegerProduct[I]{M: p.M, N: p.N, K: p.K, A: p.A, B: p.B, C: p.C, Count: p.Count, Offsets: p.Offsets}
}

// byLines is a kernel of products of integers that computes those of a vector in one pass over the matrix, and others by general.
func byLines(general Kernel) Kernel {
	return func(t *parallel.Thread, a *device.Arguments) error {
		if product := vectorProduct(a.Outputs[0], a.Inputs[0], a.Inputs[1]); product != nil {
			product.Run(t)
			return nil
		}
		return general(t, a)
	}
}

// vectorProduct returns the product of integers by lines or rows, or nil where there is none.
func vectorProduct(output, x, y device.View) interface{ Run(t *parallel.Thread) } {
	if lines, found := newLines(output, x, y); found {
		return lines
	}
	if rows, found := newRows(output, x, y); found {
		return rows
	}
	return nil
}

// newRows returns the product of a single row and a matrix whose rows have adjacent elements, or of the transposed of that and a column.
func newRows(output, x, y device.View) (rows gemm.NarrowRows, found bool) {
	if output.Count() == 0 {
		return rows, false
	}
	p := newProduct[float32](output, x, y)
	if p.M > 1 { // (A B)ᵀ = Bᵀ Aᵀ
		p.M, p.N, p.A, p.B, p.C = p.N, p.M, p.B.Transposed(), p.A.Transposed(), p.C.Transposed()
	}
	size, width := x.DType.Size(), output.DType.Size()
	rows = gemm.NarrowRows{
		Size: size, Width: width, N: p.N, K: p.K, A: p.A.Start, B: p.B.Start, C: p.C.Start,
		AStep: p.A.ColumnStride * size, BRow: p.B.RowStride * size, CRow: p.C.ColumnStride * width,
	}
	return rows, p.M == 1 && p.Offsets == nil && p.B.ColumnStride == 1 && rows.Fits()
}

// newLines returns the products of integers of which one has a single row or column, and reports false where elements
// that meet are not adjacent, or are few.
func newLines(output, x, y device.View) (lines gemm.Lines, found bool) {
	if output.Count() == 0 {
		return lines, false
	}
	p := newProduct[float32](output, x, y)
	if min(p.M, p.N) > 1 || p.A.ColumnStride != 1 || p.B.RowStride != 1 {
		return lines, false
	}
	size, width := x.DType.Size(), output.DType.Size()
	lines = gemm.Lines{Size: size, Width: width, K: p.K, Products: 1}
	if p.Offsets != nil {
		lines.Products = p.Count
	}
	if p.N == 1 {
		lines.Count, lines.A, lines.X, lines.C = p.M, p.A.Start, p.B.Start, p.C.Start
		lines.ARow, lines.CRow = p.A.RowStride*size, p.C.RowStride*width
	} else {
		lines.Count, lines.A, lines.X, lines.C = p.N, p.B.Start, p.A.Start, p.C.Start
		lines.ARow, lines.CRow = p.B.ColumnStride*size, p.C.ColumnStride*width
	}
	if !lines.Pays() {
		return lines, false
	}
	if p.Offsets != nil {
		lines.Offsets = func(product int) (a, x, c int) {
			a, x, c = p.Offsets(product)
			if p.N > 1 {
				a, x = x, a
			}
			return a * size, x * size, c * width
		}
	}
	return lines, true
}

// multiplyShort is the product of integers of one or two bytes: that of the same numbers as int32, of which the low bits are right.
func multiplyShort(t *parallel.Thread, a *device.Arguments) error {
	return multiplyWider(t, a, dtype.Int32, newIntegerProduct[int32])
}

func shortScratch(output, x, y device.View) int {
	return widerScratch(output, x, y, dtype.Int32, newIntegerProduct[int32])
}
