package gonumblas

import (
	"unsafe"

	"gonum.org/v1/gonum/blas"

	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

// leastSymmetric is the size from which symmetric matrices are ours; blockSize is how many rows of one are computed at a time.
var leastSymmetric, blockSize = 32, 192

// symmetricProduct is Ssymm and Dsymm: the stored triangle is written out as a whole matrix, and multiplied. It leaves to gonum
// what does not fit or is small.
func symmetricProduct[T gemm.Float](s blas.Side, ul blas.Uplo, m, n int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) bool {
	size := m
	if s == blas.Right {
		size = n
	}
	named := (s == blas.Left || s == blas.Right) && (ul == blas.Lower || ul == blas.Upper)
	if !named || m < 1 || n < 1 || size < leastSymmetric || alpha == 0 {
		return false
	}
	_, fitsA := operand(blas.NoTrans, size, size, a, lda)
	other, fitsB := operand(blas.NoTrans, m, n, b, ldb)
	result, fitsC := operand(blas.NoTrans, m, n, c, ldc)
	if !fitsA || !fitsB || !fitsC {
		return false
	}
	thread := parallel.Default().Thread()
	whole, _ := operand(blas.NoTrans, size, size, mirrored(thread, ul, size, a, lda), size)
	p := gemm.Product[T]{M: m, N: n, K: size, Alpha: alpha, Beta: beta, A: whole, B: other, C: result}
	if s == blas.Right {
		p.A, p.B = other, whole
	}
	p.Run(thread, nil)
	return true
}

// mirrored returns the symmetric matrix of which a triangle is given, in squares that fit the first cache.
func mirrored[T gemm.Float](thread *parallel.Thread, ul blas.Uplo, size int, a []T, lda int) []T {
	const square = 32
	whole := make([]T, size*size)
	count := (size + square - 1) / square
	thread.ForCost(count*count, square*square, func(_ *parallel.Thread, lo, hi int) {
		for number := lo; number < hi; number++ {
			row, column := number/count*square, number%count*square
			lastRow, lastColumn := min(size, row+square), min(size, column+square)
			for i := row; i < lastRow; i++ {
				for j := column; j < lastColumn; j++ {
					from, to := i, j
					if (ul == blas.Lower) != (j <= i) {
						from, to = j, i
					}
					whole[i*size+j] = a[from*lda+to]
				}
			}
		}
	})
	return whole
}

// rankUpdate is Ssyrk and Dsyrk, and with a matrix b Ssyr2k and Dsyr2k: blocks of rows of the triangle, the square on the diagonal
// apart. It leaves to gonum what does not fit or is small.
func rankUpdate[T gemm.Float](ul blas.Uplo, op blas.Transpose, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) bool {
	if ul != blas.Lower && ul != blas.Upper || n < leastSymmetric || k < 1 || alpha == 0 {
		return false
	}
	left, fitsA := operand(op, n, k, a, lda)
	result, fitsC := operand(blas.NoTrans, n, n, c, ldc)
	right, fitsB := left, true
	if b != nil {
		right, fitsB = operand(op, n, k, b, ldb)
	}
	if !fitsA || !fitsB || !fitsC {
		return false
	}
	thread := parallel.Default().Thread()
	update := func(row, rows, column, columns int, beta T, to gemm.Matrix) {
		p := gemm.Product[T]{M: rows, N: columns, K: k, Alpha: alpha, Beta: beta, A: from[T](left, row, 0), B: turned(from[T](right, column, 0)), C: to}
		p.Run(thread, nil)
		if b != nil {
			p.A, p.B, p.Beta = from[T](right, row, 0), turned(from[T](left, column, 0)), 1
			p.Run(thread, nil)
		}
	}
	square := make([]T, blockSize*blockSize)
	for row := 0; row < n; row += blockSize {
		rows := min(blockSize, n-row)
		if ul == blas.Lower {
			update(row, rows, 0, row, beta, from[T](result, row, 0))
		} else if after := row + rows; after < n {
			update(row, rows, after, n-after, beta, from[T](result, row, after))
		}
		update(row, rows, row, rows, 0, gemm.Matrix{Start: unsafe.Pointer(&square[0]), RowStride: rows, ColumnStride: 1})
		for i := range rows {
			first, last := 0, i+1
			if ul == blas.Upper {
				first, last = i, rows
			}
			line := c[(row+i)*ldc+row:]
			for j := first; j < last; j++ {
				if v := square[i*rows+j]; beta == 0 {
					line[j] = v
				} else {
					line[j] = T(beta*line[j]) + v
				}
			}
		}
	}
	return true
}

// from returns m from a row and a column on.
func from[T gemm.Float](m gemm.Matrix, row, column int) gemm.Matrix {
	var zero T
	m.Start = unsafe.Add(m.Start, (row*m.RowStride+column*m.ColumnStride)*int(unsafe.Sizeof(zero)))
	return m
}

func turned(m gemm.Matrix) gemm.Matrix {
	m.RowStride, m.ColumnStride = m.ColumnStride, m.RowStride
	return m
}
