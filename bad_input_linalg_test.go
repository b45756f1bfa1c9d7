package weft_test

import (
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/linalg"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

func badLinearAlgebra() []badInput {
	a, b, wide, vector := nd.Eye[float64](2), nd.Ones[float64](2, 3), nd.Ones[float64](2, 3), nd.Ones[float64](3)
	half, z, empty := a.Cast(dtype.Float16), a.Cast(dtype.Complex128), nd.Zeros[float64](0, 0)
	singular, released := nd.Ones[float64](2, 2, 2), nd.Ones[float64](2, 2)
	released.Release()
	other := ops.NewEnv(engine.NewNaive())
	elsewhere := nd.OnesIn(other, dtype.Float64, 2, 2)
	return []badInput{
		{"linalg.Cholesky", fault.ErrShape, "a has shape (2,3), want (...,n,n)", func() { linalg.Cholesky(wide) }},
		{"linalg.Cholesky", fault.ErrDType, "no arithmetic for float16 (accepted: [float32 float64 complex64 complex128])", func() { linalg.Cholesky(half) }},
		{"linalg.Cholesky", fault.ErrReleased, "use after release: the array was released", func() { linalg.Cholesky(released) }},
		{"linalg.Cholesky", fault.ErrMisuse, "operand 0 is nil", func() { linalg.Cholesky(nil) }},
		{"linalg.Cholesky", fault.ErrParameter, "the matrix is not positive definite: its pivot 0 is not above zero", func() *nd.Array { return linalg.Cholesky(a.Neg()) }},
		{"linalg.Cholesky", fault.ErrParameter, "the matrix is not positive definite: its pivot 0 is not above zero", func() *nd.Array { return linalg.Cholesky(z.Neg()) }},
		{"linalg.Solve", fault.ErrShape, "a has shape (2,3), want (...,n,n)", func() { linalg.Solve(wide, b) }},
		{"linalg.Solve", fault.ErrShape, "a (2,2) and b (3,) do not fit: want (...,n,n) and (...,n,columns) or (n,)", func() { linalg.Solve(a, vector) }},
		{"linalg.Solve", fault.ErrShape, "shapes (2,) and (3,) do not broadcast (axis 0: 2 against 3)", func() { linalg.Solve(nd.Ones[float64](2, 2, 2), nd.Ones[float64](3, 2, 1)) }},
		{"linalg.Solve", fault.ErrDType, "no arithmetic for float16 (accepted: [float32 float64 complex64 complex128])", func() { linalg.Solve(half, half) }},
		{"linalg.Solve", fault.ErrParameter, "the matrix is singular: pivot 0 of its elimination is zero", func() *nd.Array { return linalg.Solve(z.MulScalar(0), a) }},
		{"linalg.Solve", fault.ErrReleased, "use after release: the array was released", func() { linalg.Solve(a, released) }},
		{"linalg.Solve", fault.ErrDevice, "the operands belong to two engines", func() { linalg.Solve(a, elsewhere) }},
		{"linalg.Solve", fault.ErrParameter, "matrix (0) of the batch is singular: pivot 1 of its elimination is zero", func() *nd.Array { return linalg.Solve(singular, a) }},
		{"linalg.SolveTriangular", fault.ErrShape, "a has shape (3,), want (...,rows,columns)", func() { linalg.SolveTriangular(vector, a) }},
		{"linalg.SolveTriangular", fault.ErrMisuse, "an option is nil", func() { linalg.SolveTriangular(a, b, nil) }},
		{"linalg.SolveTriangular", fault.ErrDevice, "the operands belong to two engines", func() { linalg.SolveTriangular(elsewhere, b) }},
		{"linalg.Inverse", fault.ErrShape, "a has shape (2,3), want (...,n,n)", func() { linalg.Inverse(wide) }},
		{"linalg.Inverse", fault.ErrParameter, "matrix (0) of the batch is singular: pivot 1 of its elimination is zero", func() *nd.Array { return linalg.Inverse(singular) }},
		{"linalg.Determinant", fault.ErrShape, "a has shape (2,3), want (...,n,n)", func() { linalg.Determinant(wide) }},
		{"linalg.Determinant", fault.ErrReleased, "use after release: the array was released", func() { linalg.Determinant(released) }},
		{"linalg.SignLogDeterminant", fault.ErrDType, "no arithmetic for float16 (accepted: [float32 float64 complex64 complex128])", func() { linalg.SignLogDeterminant(half) }},
		{"linalg.QR", fault.ErrShape, "a has shape (3,), want (...,rows,columns)", func() { linalg.QR(vector) }},
		{"linalg.QR", fault.ErrDType, "no arithmetic for float16 (accepted: [float32 float64 complex64 complex128])", func() { linalg.QR(half) }},
		{"linalg.SVD", fault.ErrShape, "a has shape (3,), want (...,rows,columns)", func() { linalg.SVD(vector) }},
		{"linalg.SVD", fault.ErrReleased, "use after release: the array was released", func() { linalg.SVD(released) }},
		{"linalg.SingularValues", fault.ErrDType, "no arithmetic for float16 (accepted: [float32 float64 complex64 complex128])", func() { linalg.SingularValues(half) }},
		{"linalg.EigenSymmetric", fault.ErrShape, "a has shape (2,3), want (...,n,n)", func() { linalg.EigenSymmetric(wide) }},
		{"linalg.EigenvaluesSymmetric", fault.ErrDType, "no arithmetic for float16 (accepted: [float32 float64 complex64 complex128])", func() { linalg.EigenvaluesSymmetric(half) }},
		{"linalg.EigenvaluesSymmetric", fault.ErrParameter, "the matrix has elements that are NaN or infinite", func() *nd.Array { return linalg.EigenvaluesSymmetric(z.DivScalar(0)) }},
		{"linalg.SVD", fault.ErrParameter, "the matrix has elements that are NaN or infinite", func() *nd.Array { u, _, _ := linalg.SVD(z.DivScalar(0)); return u }},
		{"linalg.Eigen", fault.ErrShape, "a has shape (2,3), want (...,n,n)", func() { linalg.Eigen(wide) }},
		{"linalg.Eigenvalues", fault.ErrShape, "a has shape (3,), want (...,rows,columns)", func() { linalg.Eigenvalues(vector) }},
		{"linalg.LeastSquares", fault.ErrShape, "a (2,2) and b (3,1) do not fit: want (...,m,n) and (...,m,columns) or (m,)", func() { linalg.LeastSquares(a, nd.Ones[float64](3, 1), 0) }},
		{"linalg.LeastSquares", fault.ErrDType, "no arithmetic for float16 (accepted: [float32 float64 complex64 complex128])", func() { linalg.LeastSquares(half, half, 0) }},
		{"linalg.LeastSquares", fault.ErrDevice, "the operands belong to two engines", func() { linalg.LeastSquares(a, elsewhere, 0) }},
		{"linalg.LeastSquares", fault.ErrParameter, "rcond is -1 (legal: at least 0)", func() { linalg.LeastSquares(a, b, -1) }},
		{"linalg.PseudoInverse", fault.ErrShape, "a has shape (3,), want (...,rows,columns)", func() { linalg.PseudoInverse(vector, 0) }},
		{"linalg.PseudoInverse", fault.ErrParameter, "rcond is -1 (legal: at least 0)", func() { linalg.PseudoInverse(a, -1) }},
		{"linalg.Norm", fault.ErrShape, "an operand has shape (3,), want (...,rows,columns)", func() { linalg.Norm(vector, linalg.Frobenius) }},
		{"linalg.Norm", fault.ErrShape, "a matrix without elements has no largest sum or singular value", func() { linalg.Norm(empty, linalg.Spectral) }},
		{"linalg.Norm", fault.ErrParameter, "kind is 9 (legal: Frobenius, Nuclear, Spectral, MaxColumns, MaxRows)", func() { linalg.Norm(a, 9) }},
		{"linalg.Condition", fault.ErrShape, "a matrix without elements has no condition", func() { linalg.Condition(empty) }},
		{"linalg.Condition", fault.ErrReleased, "use after release: the array was released", func() { linalg.Condition(released) }},
		{"linalg.MatrixRank", fault.ErrParameter, "rcond is -1 (legal: at least 0)", func() { linalg.MatrixRank(a, -1) }},
		{"linalg.MatrixPower", fault.ErrShape, "a has shape (2,3), want (...,n,n)", func() { linalg.MatrixPower(wide, 2) }},
		{"linalg.MatrixPower", fault.ErrParameter, "matrix (0) of the batch is singular: pivot 1 of its elimination is zero", func() *nd.Array { return linalg.MatrixPower(singular, -1) }},
		{"linalg.Trace", fault.ErrShape, "an operand has shape (3,), want (...,rows,columns)", func() { linalg.Trace(vector) }},
		{"linalg.Trace", fault.ErrReleased, "use after release: the array was released", func() { linalg.Trace(released) }},
		{"linalg.Cross", fault.ErrAxis, "axis 1 is out of range for 1 axes", func() { linalg.Cross(vector, vector, 1) }},
		{"linalg.Cross", fault.ErrShape, "axis 0 has 2 elements, want 3", func() { linalg.Cross(a, a, 0) }},
		{"linalg.Cross", fault.ErrMisuse, "an operand is nil", func() { linalg.Cross(vector, nil, 0) }},
		{"linalg.Cross", fault.ErrShape, "shapes (2,3) and (4,3) do not broadcast (axis 0: 2 against 4)", func() { linalg.Cross(nd.Ones[float64](2, 3), nd.Ones[float64](4, 3), 1) }},
		{"linalg.Cross", fault.ErrDevice, "the operands belong to two engines", func() { linalg.Cross(vector, nd.OnesIn(other, dtype.Float64, 3), 0) }},
		{"linalg.Outer", fault.ErrDevice, "the operands belong to two engines", func() { linalg.Outer(vector, nd.OnesIn(other, dtype.Float64, 3)) }},
		{"linalg.Outer", fault.ErrShape, "the operands have (2,2) and (3,), want (m,) and (n,)", func() { linalg.Outer(a, vector) }},
		{"linalg.Outer", fault.ErrReleased, "use after release: the array was released", func() { linalg.Outer(released, released) }},
		{"linalg.Kron", fault.ErrMisuse, "an operand is nil", func() { linalg.Kron(nil, a) }},
		{"linalg.Kron", fault.ErrReleased, "use after release: the array was released", func() { linalg.Kron(a, released) }},
		{"linalg.Kron", fault.ErrDevice, "the operands belong to two engines", func() { linalg.Kron(a, elsewhere) }},
	}
}
