// Package linalg is linear algebra of dense matrices: the functions of numpy.linalg and torch.linalg on arrays.
//
//	l := linalg.Cholesky(a)
//	x := linalg.Solve(a, b)
//	u, s, vt := linalg.SVD(a)
//
// Matrices are the last two axes of an array; the axes in front are a batch, whose matrices are computed side by side,
// and broadcast where a function has several operands. Any view will do, and any size may be zero.
//
//   - Equations: Solve, SolveTriangular, Inverse, LeastSquares, PseudoInverse.
//   - Factors: Cholesky, QR, SVD, EigenSymmetric, Eigen, and SingularValues, EigenvaluesSymmetric, Eigenvalues without vectors.
//   - Numbers: Determinant, SignLogDeterminant, Trace, Norm, Condition, MatrixRank.
//   - Products: MatrixPower, MatrixExponential, Kron, Cross, Outer.
//
// # Element types
//
// What factors matrices takes float32, float64, complex64 and complex128, and casts integers and bools to float64.
// Cholesky, Solve, SolveTriangular, Inverse, QR and the determinants compute in the type itself. The others compute in
// float64 or complex128, and round at the end. Symmetric and Hermitian matrices are reflected to real tridiagonal ones,
// whose eigenvectors are found by divide and conquer (Gu and Eisenstat, "A divide-and-conquer algorithm for the symmetric
// tridiagonal eigenproblem", 1995). For singular values and vectors matrices are reflected to real bidiagonal ones, which go
// by divide and conquer, too ("A divide-and-conquer algorithm for the bidiagonal SVD", 1995); small real ones are left to
// gonum's LAPACK. The eigenvalues of other matrices are those of gonum's LAPACK if the matrices are real, and go by the QR
// algorithm if they are complex.
//
// Where a function is documented for symmetric matrices, complex ones have to be Hermitian, and Lᵀ stands for Lᴴ, the
// transposed L of conjugate elements. Singular values, eigenvalues of Hermitian matrices, norms and conditions are real.
//
// # Errors
//
// Shapes and types that do not fit panic with *nd.Error at the call. A matrix that is singular, not positive definite or has elements that
// are not finite, where a function says that this is an error, is known when it runs: the error sticks to the results, names the matrix of
// the batch, and has the cause fault.ErrParameter.
//
// # Gradients
//
// All functions have gradients of any order where calculus gives one, but Determinant of a singular matrix. Of
// Cholesky, EigenSymmetric and EigenvaluesSymmetric, which read the lower triangle of a symmetric matrix, the gradient
// is that of the elements that are read: zeros above the diagonal, and below it what PyTorch divides among both
// elements. Gradients of complex matrices are ∂L/∂x + i·∂L/∂y of elements x + i·y, as all of this module.
//
// # Bits
//
// Results are the same for every number of workers. What is computed in the type itself is the same on every processor too, the rest as far
// as gonum is.
//
// # Concurrency
//
// Every function may be called from any goroutine, and returns at once, as operators do. Operands are not changed.
//
// # What it does not do
//
// There are no sparse matrices, and no kernels for GPUs: there these functions run on the CPU, with copies to and fro.
package linalg
