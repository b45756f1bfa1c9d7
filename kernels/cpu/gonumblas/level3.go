package gonumblas

import "gonum.org/v1/gonum/blas"

// Ssymm computes c = alpha*a*b + beta*c, or c = alpha*b*a + beta*c if a is on the right side, where a is symmetric and ul tells
// which triangle of it is stored. It panics as gonum's does; c does not overlap a or b.
func (i Implementation) Ssymm(s blas.Side, ul blas.Uplo, m, n int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	if !symmetricProduct(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc) {
		i.Implementation.Ssymm(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Dsymm is Ssymm for float64.
func (i Implementation) Dsymm(s blas.Side, ul blas.Uplo, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if !symmetricProduct(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc) {
		i.Implementation.Dsymm(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Ssyrk computes one triangle of c = alpha*op(a)*op(a)ᵀ + beta*c, where op(a) has n rows and k columns. It panics as gonum's does;
// c does not overlap a.
func (i Implementation) Ssyrk(ul blas.Uplo, tA blas.Transpose, n, k int, alpha float32, a []float32, lda int, beta float32, c []float32, ldc int) {
	if !rankUpdate(ul, tA, n, k, alpha, a, lda, nil, 0, beta, c, ldc) {
		i.Implementation.Ssyrk(ul, tA, n, k, alpha, a, lda, beta, c, ldc)
	}
}

// Dsyrk is Ssyrk for float64.
func (i Implementation) Dsyrk(ul blas.Uplo, tA blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	if !rankUpdate(ul, tA, n, k, alpha, a, lda, nil, 0, beta, c, ldc) {
		i.Implementation.Dsyrk(ul, tA, n, k, alpha, a, lda, beta, c, ldc)
	}
}

// Ssyr2k computes one triangle of c = alpha*op(a)*op(b)ᵀ + alpha*op(b)*op(a)ᵀ + beta*c, where op(a) and op(b) have n rows and k
// columns. It panics as gonum's does; c does not overlap a or b.
func (i Implementation) Ssyr2k(ul blas.Uplo, tA blas.Transpose, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	if b == nil || !rankUpdate(ul, tA, n, k, alpha, a, lda, b, ldb, beta, c, ldc) {
		i.Implementation.Ssyr2k(ul, tA, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Dsyr2k is Ssyr2k for float64.
func (i Implementation) Dsyr2k(ul blas.Uplo, tA blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if b == nil || !rankUpdate(ul, tA, n, k, alpha, a, lda, b, ldb, beta, c, ldc) {
		i.Implementation.Dsyr2k(ul, tA, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Strmm computes b = alpha*op(a)*b, or b = alpha*b*op(a) if a is on the right side, where a is triangular. It panics as gonum's
// does; b does not overlap a.
func (i Implementation) Strmm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float32, a []float32, lda int, b []float32, ldb int) {
	if t, ok := newTriangle(s, ul, tA, d, m, n, alpha, a, lda, b, ldb); ok {
		t.multiply(0, t.size, alpha, i.Implementation.Strmm)
		return
	}
	i.Implementation.Strmm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

// Dtrmm is Strmm for float64.
func (i Implementation) Dtrmm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	if t, ok := newTriangle(s, ul, tA, d, m, n, alpha, a, lda, b, ldb); ok {
		t.multiply(0, t.size, alpha, i.Implementation.Dtrmm)
		return
	}
	i.Implementation.Dtrmm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

// Strsm solves op(a)*x = alpha*b, or x*op(a) = alpha*b if a is on the right side, where a is triangular, and writes x to b. It
// panics as gonum's does; b does not overlap a.
func (i Implementation) Strsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float32, a []float32, lda int, b []float32, ldb int) {
	if t, ok := newTriangle(s, ul, tA, d, m, n, alpha, a, lda, b, ldb); ok {
		t.solve(alpha)
		return
	}
	i.Implementation.Strsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

// Dtrsm is Strsm for float64.
func (i Implementation) Dtrsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	if t, ok := newTriangle(s, ul, tA, d, m, n, alpha, a, lda, b, ldb); ok {
		t.solve(alpha)
		return
	}
	i.Implementation.Dtrsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}
