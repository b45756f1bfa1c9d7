// Package factor factors matrices of float32, float64, complex64 or complex128 and solves equations with the factors:
// Cholesky, LU with partial pivoting, QR by reflections, and triangular matrices.
//
// Matrices are slices in row-major order with a stride, the distance of rows, which is at least the number of columns.
//
// # How
//
// Each function but QR, which says how it goes, halves its matrix until the parts are small (Toledo, "Locality of
// reference in LU decomposition with partial pivoting", 1997; Elmroth, Gustavson, Jonsson, Kågström, "Recursive blocked
// algorithms and hybrid data structures for dense matrix library software", 2004), so that nearly all work is products
// of matrices, those of package gemm. The parts that are left are plain loops: rows or columns of a few unknowns,
// several at a time. Products of complex matrices are real ones of twice as many terms, and loops on complex numbers
// those on real ones of their parts, copied apart.
//
// # Bits
//
// Where a matrix is halved follows from its size alone, and products and loops give each element the same bits for every number of
// threads and on every processor. A column of several right sides may have other bits than the same column alone.
//
// # Contract
//
// A function runs in the calling goroutine and in the workers that join it through its parallel.Thread. Functions may run at the same time
// on different matrices. Sizes and lengths of slices are not checked. Elements that are not finite make results that are not, and end
// nothing early but Cholesky, to which NaN is no positive number. Some temporary memory is kept between calls; that of QR, as much as its
// operands, is new.
package factor
