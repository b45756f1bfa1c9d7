package gonumblas

import (
	"unsafe"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

// Implementation is gonum's implementation of the BLAS with other products of general matrices.
type Implementation struct{ gonum.Implementation }

var (
	_ blas.Float32 = Implementation{}
	_ blas.Float64 = Implementation{}
)

// Sgemm computes c = alpha*op(a)*op(b) + beta*c, where op(a) has m rows and k columns and op(b) k rows and n columns, all
// stored by rows. It panics as gonum's does; c does not overlap a or b.
func (i Implementation) Sgemm(tA, tB blas.Transpose, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	if !multiply(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc) {
		i.Implementation.Sgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Dgemm is Sgemm for float64.
func (i Implementation) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if !multiply(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc) {
		i.Implementation.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// multiply computes a product whose arguments fit and that has elements and terms. Others it leaves to gonum, which panics or
// has little to do.
func multiply[T gemm.Float](tA, tB blas.Transpose, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) bool {
	if m <= 0 || n <= 0 || k <= 0 {
		return false
	}
	left, fitsA := operand(tA, m, k, a, lda)
	right, fitsB := operand(tB, k, n, b, ldb)
	result, fitsC := operand(blas.NoTrans, m, n, c, ldc)
	if !fitsA || !fitsB || !fitsC {
		return false
	}
	p := gemm.Product[T]{M: m, N: n, K: k, Alpha: alpha, Beta: beta, A: left, B: right, C: result}
	p.Run(parallel.Default().Thread(), nil)
	return true
}

// operand returns op(x) with so many rows and columns, and whether x holds it.
func operand[T gemm.Float](op blas.Transpose, rows, columns int, x []T, leading int) (m gemm.Matrix, fits bool) {
	m = gemm.Matrix{Start: unsafe.Pointer(unsafe.SliceData(x)), RowStride: leading, ColumnStride: 1}
	switch op {
	case blas.NoTrans:
	case blas.Trans, blas.ConjTrans:
		rows, columns = columns, rows
		m.RowStride, m.ColumnStride = 1, leading
	default:
		return m, false
	}
	return m, leading >= columns && len(x) >= (rows-1)*leading+columns
}
