//go:build linux && (amd64 || arm64)

package bind

import (
	"errors"
	"runtime"
	"unsafe"

	"github.com/weft-nd/weft/kernels/cuda/driver"
)

// blasCalls are the functions of cuBLAS. Their signatures are the same from version 11 on.
type blasCalls struct {
	Create       symbol `c:"cublasCreate_v2"`
	Destroy      symbol `c:"cublasDestroy_v2"`
	SetStream    symbol `c:"cublasSetStream_v2"`
	SgemmBatched symbol `c:"cublasSgemmStridedBatched"`
	DgemmBatched symbol `c:"cublasDgemmStridedBatched"`
	Sgemm        symbol `c:"cublasSgemm_v2"`
	Dgemm        symbol `c:"cublasDgemm_v2"`
	SetMathMode  symbol `c:"cublasSetMathMode"`
	GemmEx       symbol `c:"cublasGemmEx"`
	BatchedEx    symbol `c:"cublasGemmStridedBatchedEx"`
}

// blas is a handle of cuBLAS.
type blas struct {
	context *context
	calls   *blasCalls
	handle  uintptr
	factors *factors // of the product, which cuBLAS reads while it is enqueued
}

// factors are alpha and beta.
type factors struct {
	one32, zero32 float32
	one64, zero64 float64
}

// NewBLAS implements driver.Context.
func (c *context) NewBLAS(s driver.Stream) (driver.BLAS, error) {
	calls, err := c.driver.blas()
	if err != nil {
		return nil, err
	}
	b := &blas{context: c, calls: calls, factors: &factors{one32: 1, one64: 1}}
	if err := b.call(calls.Create, uintptr(unsafe.Pointer(&b.handle))); err != nil {
		return nil, err
	}
	err = b.call(calls.SetStream, b.handle, uintptr(s))
	if err == nil {
		err = b.call(calls.SetMathMode, b.handle, disallowReducedPrecision)
	}
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

// call calls s with the context current on the thread.
//
//go:uintptrescapes
func (b *blas) call(s symbol, arguments ...uintptr) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := b.context.enter(); err != nil {
		return err
	}
	if result := s.call(arguments...); result != 0 {
		return &driver.BLASError{Call: s.name, Status: driver.BLASStatus(result)}
	}
	return nil
}

// Close implements driver.BLAS.
func (b *blas) Close() error { return b.call(b.calls.Destroy, b.handle) }

// disallowReducedPrecision is the cublasMath_t by which sums are made in the precision that is asked for.
const disallowReducedPrecision = 16

// extended are the cudaDataType_t and cublasComputeType_t of products that have no function of their own.
var extended = map[driver.Precision][2]uintptr{
	driver.Float16: {2, 68}, driver.BFloat16: {14, 68}, // sums of float32
	driver.TF32: {0, 77},
}

// Multiply implements driver.BLAS.
func (b *blas) Multiply(p *driver.Product) error {
	return driver.Unsupported(b.multiply(p), driver.BLASNotSupported, driver.BLASInvalidValue, driver.BLASArchMismatch)
}

func (b *blas) multiply(p *driver.Product) error {
	single, batched := b.calls.Sgemm, b.calls.SgemmBatched
	one, zero := unsafe.Pointer(&b.factors.one32), unsafe.Pointer(&b.factors.zero32)
	if types, ok := extended[p.Precision]; ok {
		return b.multiplyExtended(p, types[0], types[1])
	}
	if p.Precision == driver.Float64 {
		single, batched = b.calls.Dgemm, b.calls.DgemmBatched
		one, zero = unsafe.Pointer(&b.factors.one64), unsafe.Pointer(&b.factors.zero64)
	}
	if p.Count == 1 {
		return b.call(single, b.handle, operation(p.TransposeA), operation(p.TransposeB), uintptr(p.M), uintptr(p.N), uintptr(p.K),
			uintptr(one), uintptr(p.A), uintptr(p.LeadA), uintptr(p.B), uintptr(p.LeadB), uintptr(zero), uintptr(p.C), uintptr(p.LeadC))
	}
	return b.call(batched, b.handle, operation(p.TransposeA), operation(p.TransposeB), uintptr(p.M), uintptr(p.N), uintptr(p.K),
		uintptr(one), uintptr(p.A), uintptr(p.LeadA), uintptr(p.NextA), uintptr(p.B), uintptr(p.LeadB), uintptr(p.NextB),
		uintptr(zero), uintptr(p.C), uintptr(p.LeadC), uintptr(p.NextC), uintptr(p.Count))
}

// multiplyExtended computes a product of matrices of the data type kind. CUBLAS_GEMM_DEFAULT is -1, which leaves the choice of the
// algorithm to cuBLAS.
func (b *blas) multiplyExtended(p *driver.Product, kind, compute uintptr) error {
	one, zero := unsafe.Pointer(&b.factors.one32), unsafe.Pointer(&b.factors.zero32)
	const choose = ^uintptr(0)
	if p.Count == 1 {
		return b.call(b.calls.GemmEx, b.handle, operation(p.TransposeA), operation(p.TransposeB), uintptr(p.M), uintptr(p.N), uintptr(p.K),
			uintptr(one), uintptr(p.A), kind, uintptr(p.LeadA), uintptr(p.B), kind, uintptr(p.LeadB),
			uintptr(zero), uintptr(p.C), kind, uintptr(p.LeadC), compute, choose)
	}
	return b.call(b.calls.BatchedEx, b.handle, operation(p.TransposeA), operation(p.TransposeB), uintptr(p.M), uintptr(p.N), uintptr(p.K),
		uintptr(one), uintptr(p.A), kind, uintptr(p.LeadA), uintptr(p.NextA), uintptr(p.B), kind, uintptr(p.LeadB), uintptr(p.NextB),
		uintptr(zero), uintptr(p.C), kind, uintptr(p.LeadC), uintptr(p.NextC), uintptr(p.Count), compute, choose)
}

// operation is the cublasOperation_t.
func operation(transpose bool) uintptr {
	if transpose {
		return 1
	}
	return 0
}
