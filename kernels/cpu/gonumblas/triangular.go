package gonumblas

import (
	"unsafe"

	"gonum.org/v1/gonum/blas"

	"github.com/weft-nd/weft/kernels/cpu/factor"
	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

// leastTriangle is the size up to which a triangular matrix is left to gonum. Products with larger ones are halved: what is beside the
// diagonal multiplies as general matrices do, and what is on it is halved again.
var leastTriangle = 32

// triangle is a call with a triangular matrix a. It is seen as one on the left: the right side is the left one of the transposed
// equation.
type triangle[T gemm.Float] struct {
	side        blas.Side
	uplo        blas.Uplo
	op          blas.Transpose
	diag        blas.Diag
	size, other int // of a, and of the axis of b that is not a's
	a, b        []T
	lda, ldb    int
	thread      *parallel.Thread
}

// newTriangle returns a call that fits and is worth dividing. Others are left to gonum, which panics or has little to do.
func newTriangle[T gemm.Float](s blas.Side, ul blas.Uplo, op blas.Transpose, d blas.Diag, m, n int, alpha T, a []T, lda int, b []T, ldb int) (t triangle[T], ok bool) {
	t = triangle[T]{s, ul, op, d, m, n, a, b, lda, ldb, nil}
	if s == blas.Right {
		t.size, t.other = n, m
	}
	if t.size <= leastTriangle || m < 1 || n < 1 || alpha == 0 {
		return t, false
	}
	named := (s == blas.Left || s == blas.Right) && (ul == blas.Lower || ul == blas.Upper) && (d == blas.Unit || d == blas.NonUnit)
	_, fitsA := operand(op, t.size, t.size, a, lda)
	_, fitsB := operand(blas.NoTrans, m, n, b, ldb)
	t.thread = parallel.Default().Thread()
	return t, named && fitsA && fitsB
}

func (t *triangle[T]) transposed() bool { return (t.op != blas.NoTrans) != (t.side == blas.Right) }

func (t *triangle[T]) lower() bool { return (t.uplo == blas.Lower) != t.transposed() }

// add adds to rows of b alpha times a's block there times other rows of b.
func (t *triangle[T]) add(to, toCount, from, fromCount int, alpha T) {
	p := gemm.Product[T]{M: toCount, N: t.other, K: fromCount, Alpha: alpha, Beta: 1, B: t.rows(from), C: t.rows(to)}
	p.A = gemm.Matrix{Start: unsafe.Pointer(&t.a[0]), RowStride: t.lda, ColumnStride: 1}
	if t.transposed() {
		p.A.RowStride, p.A.ColumnStride = 1, t.lda
	}
	p.A.Start = unsafe.Pointer(&t.a[to*p.A.RowStride+from*p.A.ColumnStride])
	p.Run(t.thread, nil)
}

// rows returns b from a row on, a column of b if a is on its right.
func (t *triangle[T]) rows(first int) gemm.Matrix {
	if t.side == blas.Right {
		return gemm.Matrix{Start: unsafe.Pointer(&t.b[first]), RowStride: 1, ColumnStride: t.ldb}
	}
	return gemm.Matrix{Start: unsafe.Pointer(&t.b[first*t.ldb]), RowStride: t.ldb, ColumnStride: 1}
}

// product is a function of gonum that computes b = alpha*a*b, or alpha*b*a.
type product[T gemm.Float] func(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha T, a []T, lda int, b []T, ldb int)

// onDiagonal lets gonum multiply with a block of a on its diagonal, piece by piece of b.
func (t *triangle[T]) onDiagonal(first, count int, alpha T, small product[T]) {
	a := t.a[first*t.lda+first:]
	t.thread.ForCost(t.other, 0.1*float64(count*count), func(_ *parallel.Thread, lo, hi int) {
		if t.side == blas.Right {
			small(t.side, t.uplo, t.op, t.diag, hi-lo, count, alpha, a, t.lda, t.b[lo*t.ldb+first:], t.ldb)
		} else {
			small(t.side, t.uplo, t.op, t.diag, count, hi-lo, alpha, a, t.lda, t.b[first*t.ldb+lo:], t.ldb)
		}
	})
}

// multiply computes b = alpha*a*b for rows and columns from first on: late rows are made of early ones, which change after them.
func (t *triangle[T]) multiply(first, count int, alpha T, small product[T]) {
	if count <= leastTriangle {
		t.onDiagonal(first, count, alpha, small)
		return
	}
	half := (count/2 + leastTriangle - 1) / leastTriangle * leastTriangle
	early, earlyCount, late, lateCount := first, half, first+half, count-half
	if !t.lower() {
		early, earlyCount, late, lateCount = first+half, count-half, first, half
	}
	t.multiply(late, lateCount, alpha, small)
	t.add(late, lateCount, early, earlyCount, alpha)
	t.multiply(early, earlyCount, alpha, small)
}

// solve solves a*x = alpha*b.
func (t *triangle[T]) solve(alpha T) {
	rowB, columnB, rows, columns := t.ldb, 1, t.size, t.other
	if t.side == blas.Right {
		rowB, columnB, rows, columns = 1, t.ldb, t.other, t.size
	}
	if alpha != 1 {
		t.thread.ForCost(rows, 0.3*float64(columns), func(_ *parallel.Thread, lo, hi int) {
			for i := lo; i < hi; i++ {
				for j, v := range t.b[i*t.ldb:][:columns] {
					t.b[i*t.ldb+j] = alpha * v
				}
			}
		})
	}
	a := factor.Triangle{Upper: t.uplo == blas.Upper, Transposed: t.transposed(), Unit: t.diag == blas.Unit}
	factor.SolveTriangular(t.thread, a, t.size, t.other, t.a, t.lda, t.b, rowB, columnB)
}
