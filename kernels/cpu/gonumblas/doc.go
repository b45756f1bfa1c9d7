// Package gonumblas makes gonum multiply matrices with the kernels of weft:
//
//	blas64.Use(gonumblas.Implementation{})
//	blas32.Use(gonumblas.Implementation{})
//
// From then on mat.Dense.Mul, and whatever else of gonum multiplies matrices by blas64.Gemm or blas32.Gemm, runs on all
// threads of package parallel with the widest instructions of the processor.
//
// An Implementation has no state, and its methods may be called from any goroutine. Level 3 of the BLAS is ours: Gemm, Symm, Syrk,
// Syr2k, Trmm and Trsm in both precisions; all else, and what is small, is gonum's own. Ours differ from gonum's in that 0*Inf and
// 0*NaN are NaN in every term, and in the last bits, which depend on nothing but the shapes. Symm takes memory for a whole
// symmetric matrix while it runs.
package gonumblas
