package gorgonia

// #cgo CFLAGS: -I/usr/local/cuda/include
// #cgo LDFLAGS: -lcublas -L/usr/local/cuda/lib64
// #include <cublas_v2.h>
//
// // Factors of products: alpha is 1, beta 0.
// static const float one32 = 1, zero32 = 0;
// static const double one64 = 1, zero64 = 0;
//
// static const void *at(unsigned long long address) { return (const void *)address; }
//
// static cublasStatus_t multiply(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, unsigned long long a, int lda,
//     unsigned long long b, int ldb, unsigned long long c, int ldc, cudaDataType_t type, cublasComputeType_t compute) {
// 	return cublasGemmEx(h, ta, tb, m, n, k, &one32, at(a), type, lda, at(b), type, ldb, &zero32, (void *)c, type, ldc, compute, CUBLAS_GEMM_DEFAULT);
// }
//
// static cublasStatus_t multiplyAll(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, unsigned long long a, int lda,
//     long long nextA, unsigned long long b, int ldb, long long nextB, unsigned long long c, int ldc, long long nextC, int count, cudaDataType_t type,
//     cublasComputeType_t compute) {
// 	if (type == CUDA_R_64F)
// 		return cublasDgemmStridedBatched(h, ta, tb, m, n, k, &one64, at(a), lda, nextA, at(b), ldb, nextB, &zero64, (double *)c, ldc, nextC, count);
// 	if (compute == CUBLAS_COMPUTE_32F && type == CUDA_R_32F)
// 		return cublasSgemmStridedBatched(h, ta, tb, m, n, k, &one32, at(a), lda, nextA, at(b), ldb, nextB, &zero32, (float *)c, ldc, nextC, count);
// 	return cublasGemmStridedBatchedEx(h, ta, tb, m, n, k, &one32, at(a), type, lda, nextA, at(b), type, ldb, nextB, &zero32, (void *)c, type, ldc,
// 	    nextC, count, compute, CUBLAS_GEMM_DEFAULT);
// }
import "C"

import (
	"errors"
	"reflect"
	"unsafe"

	"github.com/weft-nd/weft/kernels/cuda/driver"
	gonum "gonum.org/v1/gonum/blas"
	cublas "gorgonia.org/cu/blas"
)

// blas is a handle of cuBLAS.
type blas struct {
	context  *context
	stream   driver.Stream
	standard *cublas.Standard
}

// NewBLAS implements driver.Context.
func (c *context) NewBLAS(s driver.Stream) (driver.BLAS, error) {
	b := &blas{context: c, stream: s}
	if err := b.open(); err != nil {
		return nil, err
	}
	return b, nil
}

func (b *blas) open() error {
	b.standard = new(cublas.Standard)
	var created error
	err := b.context.do("cublasCreate", func() error {
		created = b.standard.Init()
		return nil
	})
	if err = errors.Join(err, checkBLAS("cublasCreate", created)); err != nil {
		return err
	}
	err = b.call("cublasSetStream", func(h C.cublasHandle_t) C.cublasStatus_t {
		return C.cublasSetStream(h, C.cudaStream_t(pointer(b.stream)))
	})
	if err == nil {
		err = b.call("cublasSetMathMode", func(h C.cublasHandle_t) C.cublasStatus_t {
			return C.cublasSetMathMode(h, C.CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION)
		})
	}
	if err != nil {
		return errors.Join(err, b.Close())
	}
	return nil
}

// call calls f with the context current on the thread. The handle is what gorgonia.org/cu/blas keeps in a field named h, and does not
// give out.
func (b *blas) call(name string, f func(h C.cublasHandle_t) C.cublasStatus_t) error {
	h := C.cublasHandle_t(reflect.ValueOf(b.standard).Elem().FieldByName("h").UnsafePointer())
	var status C.cublasStatus_t
	err := b.context.do(name, func() error {
		status = f(h)
		return nil
	})
	if err == nil && status != C.CUBLAS_STATUS_SUCCESS {
		err = &driver.BLASError{Call: name, Status: driver.BLASStatus(status)}
	}
	return err
}

// Close implements driver.BLAS.
func (b *blas) Close() error {
	var closed error
	err := b.context.do("cublasDestroy", func() error {
		closed = b.standard.Close()
		return nil
	})
	return errors.Join(err, checkBLAS("cublasDestroy", closed))
}

// elements are how elements and sums of a precision are told to cuBLAS.
var elements = map[driver.Precision]struct {
	kind    C.cudaDataType_t
	compute C.cublasComputeType_t
}{
	driver.Float32:  {C.CUDA_R_32F, C.CUBLAS_COMPUTE_32F},
	driver.Float64:  {C.CUDA_R_64F, C.CUBLAS_COMPUTE_64F},
	driver.Float16:  {C.CUDA_R_16F, C.CUBLAS_COMPUTE_32F},
	driver.BFloat16: {C.CUDA_R_16BF, C.CUBLAS_COMPUTE_32F},
	driver.TF32:     {C.CUDA_R_32F, C.CUBLAS_COMPUTE_32F_FAST_TF32},
}

// Multiply implements driver.BLAS.
func (b *blas) Multiply(p *driver.Product) error {
	return driver.Unsupported(b.multiply(p), driver.BLASNotSupported, driver.BLASInvalidValue, driver.BLASArchMismatch)
}

func (b *blas) multiply(p *driver.Product) error {
	e := elements[p.Precision]
	switch {
	case p.Count == 1 && p.Precision == driver.Float32:
		return b.single("cublasSgemm", func(s *cublas.Standard) {
			s.Sgemm(transpose(p.TransposeA), transpose(p.TransposeB), p.M, p.N, p.K, 1, slice[float32](p.A), p.LeadA, slice[float32](p.B), p.LeadB, 0, slice[float32](p.C), p.LeadC)
		})
	case p.Count == 1 && p.Precision == driver.Float64:
		return b.single("cublasDgemm", func(s *cublas.Standard) {
			s.Dgemm(transpose(p.TransposeA), transpose(p.TransposeB), p.M, p.N, p.K, 1, slice[float64](p.A), p.LeadA, slice[float64](p.B), p.LeadB, 0, slice[float64](p.C), p.LeadC)
		})
	case p.Count == 1:
		return b.call("cublasGemmEx", func(h C.cublasHandle_t) C.cublasStatus_t {
			return C.multiply(h, operation(p.TransposeA), operation(p.TransposeB), C.int(p.M), C.int(p.N), C.int(p.K), C.ulonglong(p.A), C.int(p.LeadA),
				C.ulonglong(p.B), C.int(p.LeadB), C.ulonglong(p.C), C.int(p.LeadC), e.kind, e.compute)
		})
	}
	return b.call("cublasGemmStridedBatched", func(h C.cublasHandle_t) C.cublasStatus_t {
		return C.multiplyAll(h, operation(p.TransposeA), operation(p.TransposeB), C.int(p.M), C.int(p.N), C.int(p.K), C.ulonglong(p.A), C.int(p.LeadA),
			C.longlong(p.NextA), C.ulonglong(p.B), C.int(p.LeadB), C.longlong(p.NextB), C.ulonglong(p.C), C.int(p.LeadC), C.longlong(p.NextC),
			C.int(p.Count), e.kind, e.compute)
	})
}

// single computes a product by gorgonia.org/cu/blas. After an error that does nothing any more, and so another takes its place.
func (b *blas) single(name string, product func(s *cublas.Standard)) error {
	var problem error
	err := b.context.do(name, func() error {
		product(b.standard)
		problem = checkBLAS(name, b.standard.Err())
		return nil
	})
	if err != nil || problem == nil {
		return err
	}
	if err := errors.Join(b.Close(), b.open()); err != nil {
		return errors.Join(problem, err)
	}
	return problem
}

// slice is how gorgonia.org/cu/blas takes device memory: of the slice it looks at the address alone.
func slice[T float32 | float64](p driver.Address) []T {
	return unsafe.Slice((*T)(pointer(uintptr(p))), 1)
}

func transpose(is bool) gonum.Transpose {
	if is {
		return gonum.Trans
	}
	return gonum.NoTrans
}

func operation(transposed bool) C.cublasOperation_t {
	if transposed {
		return C.CUBLAS_OP_T
	}
	return C.CUBLAS_OP_N
}
