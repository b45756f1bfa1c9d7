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
	if err := b.call(calls.SetStream, b.handle, uintptr(s)); err != nil {
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

// Multiply implements driver.BLAS.
func (b *blas) Multiply(p *driver.Product) error {
	single, batched := b.calls.Sgemm, b.calls.SgemmBatched
	one, zero := unsafe.Pointer(&b.factors.one32), unsafe.Pointer(&b.factors.zero32)
	if p.Double {
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

// operation is the cublasOperation_t.
func operation(transpose bool) uintptr {
	if transpose {
		return 1
	}
	return 0
}
