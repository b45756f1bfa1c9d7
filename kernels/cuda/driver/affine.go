package driver

// LtVariable set to 0 leaves layers y = x·weights + bias on GPUs to two launches, of cuBLAS and of a kernel; they are
// one of cuBLASLt, where it is found and takes them, if it is not set.
const LtVariable = "WEFT_CUBLASLT"

// Affine computes products of matrices and a bias on one stream, by cuBLASLt.
type Affine interface {
	// Choose returns the fastest algorithm, by the estimate of cuBLASLt, for p with any addresses that are multiples of 16. Sums are made
	// in float32. If there is none the error wraps errors.ErrUnsupported.
	Choose(p *Product) (AffineAlgorithm, error)
	// Multiply enqueues p, whose Count is 1, by an algorithm that Choose has returned for it, with a number of bias added to each row. If
	// cuBLASLt does not take it after all the error wraps errors.ErrUnsupported.
	Multiply(p *Product, bias Address, a *AffineAlgorithm, workspace Address) error
	// Close gives the handle back.
	Close() error
}

// AffineAlgorithm is how cuBLASLt computes a product.
type AffineAlgorithm struct {
	Data      [8]uint64 // a cublasLtMatmulAlgo_t
	Workspace int       // bytes of temporary memory
}
