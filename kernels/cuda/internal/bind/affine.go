//go:build linux && (amd64 || arm64)

package bind

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/weft-nd/weft/kernels/cuda/driver"
)

// ltCalls are the functions of cuBLASLt. Their signatures are the same from version 11 on.
type ltCalls struct {
	GetVersion        symbol `c:"cublasLtGetVersion"`
	Create            symbol `c:"cublasLtCreate"`
	Destroy           symbol `c:"cublasLtDestroy"`
	CreateProduct     symbol `c:"cublasLtMatmulDescCreate"`
	SetProduct        symbol `c:"cublasLtMatmulDescSetAttribute"`
	DestroyProduct    symbol `c:"cublasLtMatmulDescDestroy"`
	CreateLayout      symbol `c:"cublasLtMatrixLayoutCreate"`
	DestroyLayout     symbol `c:"cublasLtMatrixLayoutDestroy"`
	CreatePreference  symbol `c:"cublasLtMatmulPreferenceCreate"`
	SetPreference     symbol `c:"cublasLtMatmulPreferenceSetAttribute"`
	DestroyPreference symbol `c:"cublasLtMatmulPreferenceDestroy"`
	Choose            symbol `c:"cublasLtMatmulAlgoGetHeuristic"`
	Multiply          symbol `c:"cublasLtMatmul"`
}

// Attributes of cublasLtMatmulDesc_t and cublasLtMatmulPreference_t, and their values.
const (
	ltTransposeA, ltTransposeB, ltEpilogue, ltBias = 3, 4, 7, 8
	ltAddsBias                                     = 4

	ltMostBytes, ltReductions, ltAlignment = 1, 3, 5 // and three more, of A to D
	ltExactReductions                      = 2       // of sums of parts in float32; 1 and 4 round them to the type of the result
)

// ltBytes is the most temporary memory, which NVIDIA recommends for GPUs of compute capability 9.0.
const ltBytes = 32 << 20

// oldestLt is the oldest version of cuBLASLt, as it tells it: those before 12.1 compute some products wrongly, of large dimensions and
// of 16-bit elements whose rows have room behind them.
const oldestLt = 120100

// formatLtVersion writes a version as people do: 120304 is 12.3.4, and 11605, as early ones count, 11.6.5.
func formatLtVersion(version int) string {
	unit := 10000
	if version < 100000 {
		unit = 1000
	}
	return fmt.Sprintf("%d.%d.%d", version/unit, version%unit/100, version%100)
}

// affine is a handle of cuBLASLt.
type affine struct {
	context *context
	calls   *ltCalls
	handle  uintptr
	stream  driver.Stream
	memory  *ltMemory
}

// ltMemory is what calls read and write by pointer.
type ltMemory struct {
	one, zero float32
	number    int32
	bytes     uint64
	count     int32
	found     struct { // cublasLtMatmulHeuristicResult_t
		algorithm [8]uint64
		workspace uint64
		state     int32
		_         float32 // waves
		_         [4]int32
	}
	algorithm [8]uint64
}

// ltProduct is the descriptors of a product.
type ltProduct struct{ product, a, b, c uintptr }

// NewAffine implements driver.Context.
func (c *context) NewAffine(s driver.Stream) (driver.Affine, error) {
	if c.driver.lt == nil {
		return nil, fmt.Errorf("there is no cuBLASLt: %w", errors.ErrUnsupported)
	}
	f := &affine{context: c, calls: c.driver.lt, stream: s, memory: &ltMemory{one: 1}}
	if err := f.call(f.calls.Create, uintptr(unsafe.Pointer(&f.handle))); err != nil {
		return nil, err
	}
	return f, nil
}

// call calls s with the context current on the thread.
//
//go:uintptrescapes
func (f *affine) call(s symbol, arguments ...uintptr) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := f.context.enter(); err != nil {
		return err
	}
	if result := s.call(arguments...); result != 0 {
		return &driver.BLASError{Call: s.name, Status: driver.BLASStatus(result)}
	}
	return nil
}

// Close implements driver.Affine.
func (f *affine) Close() error { return f.call(f.calls.Destroy, f.handle) }

// describe returns the descriptors of p with a bias; close gives them back, with an error too.
func (f *affine) describe(p *driver.Product, bias driver.Address) (d ltProduct, err error) {
	kind, compute := uintptr(0), uintptr(68) // CUDA_R_32F, CUBLAS_COMPUTE_32F
	if types, ok := extended[p.Precision]; ok {
		kind, compute = types[0], types[1]
	}
	if err = f.call(f.calls.CreateProduct, uintptr(unsafe.Pointer(&d.product)), compute, 0); err != nil {
		return d, err
	}
	for _, set := range []struct {
		attribute, value uintptr
	}{{ltTransposeA, operation(p.TransposeA)}, {ltTransposeB, operation(p.TransposeB)}, {ltEpilogue, ltAddsBias}} {
		f.memory.number = int32(set.value)
		if err = f.call(f.calls.SetProduct, d.product, set.attribute, uintptr(unsafe.Pointer(&f.memory.number)), 4); err != nil {
			return d, err
		}
	}
	f.memory.bytes = uint64(bias)
	if err = f.call(f.calls.SetProduct, d.product, ltBias, uintptr(unsafe.Pointer(&f.memory.bytes)), 8); err != nil {
		return d, err
	}
	for _, m := range []struct {
		at                  *uintptr
		transposed          bool
		rows, columns, lead int
	}{{&d.a, p.TransposeA, p.M, p.K, p.LeadA}, {&d.b, p.TransposeB, p.K, p.N, p.LeadB}, {&d.c, false, p.M, p.N, p.LeadC}} {
		if m.transposed {
			m.rows, m.columns = m.columns, m.rows
		}
		if err = f.call(f.calls.CreateLayout, uintptr(unsafe.Pointer(m.at)), kind, uintptr(m.rows), uintptr(m.columns), uintptr(m.lead)); err != nil {
			return d, err
		}
	}
	return d, nil
}

func (f *affine) close(d ltProduct) (err error) {
	for _, made := range []struct {
		destroy symbol
		handle  uintptr
	}{{f.calls.DestroyProduct, d.product}, {f.calls.DestroyLayout, d.a}, {f.calls.DestroyLayout, d.b}, {f.calls.DestroyLayout, d.c}} {
		if made.handle != 0 {
			err = errors.Join(err, f.call(made.destroy, made.handle))
		}
	}
	return err
}

// Choose implements driver.Affine.
func (f *affine) Choose(p *driver.Product) (a driver.AffineAlgorithm, err error) {
	d, err := f.describe(p, 16)
	defer func() { err = errors.Join(err, f.close(d)) }()
	if err != nil {
		return a, err
	}
	m := f.memory
	var preference uintptr
	if err := f.call(f.calls.CreatePreference, uintptr(unsafe.Pointer(&preference))); err != nil {
		return a, err
	}
	defer func() { err = errors.Join(err, f.call(f.calls.DestroyPreference, preference)) }()
	m.bytes = ltBytes
	err = f.call(f.calls.SetPreference, preference, ltMostBytes, uintptr(unsafe.Pointer(&m.bytes)), 8)
	for attribute, value := range map[uintptr]int32{ltReductions: ltExactReductions, ltAlignment: 16, ltAlignment + 1: 16, ltAlignment + 2: 16, ltAlignment + 3: 16} {
		if m.number = value; err == nil {
			err = f.call(f.calls.SetPreference, preference, attribute, uintptr(unsafe.Pointer(&m.number)), 4)
		}
	}
	if err != nil {
		return a, err
	}
	m.count = 0
	err = f.call(f.calls.Choose, f.handle, d.product, d.a, d.b, d.c, d.c, preference, 1, uintptr(unsafe.Pointer(&m.found)), uintptr(unsafe.Pointer(&m.count)))
	if err != nil {
		return a, driver.Unsupported(err, driver.BLASNotSupported, driver.BLASInvalidValue, driver.BLASArchMismatch)
	}
	if m.count == 0 || m.found.state != 0 {
		return a, fmt.Errorf("cuBLASLt has no algorithm for it: %w", errors.ErrUnsupported)
	}
	return driver.AffineAlgorithm{Data: m.found.algorithm, Workspace: int(m.found.workspace)}, nil
}

// Multiply implements driver.Affine.
func (f *affine) Multiply(p *driver.Product, bias driver.Address, a *driver.AffineAlgorithm, workspace driver.Address) (err error) {
	d, err := f.describe(p, bias)
	defer func() { err = errors.Join(err, f.close(d)) }()
	if err != nil {
		return err
	}
	m := f.memory
	m.algorithm = a.Data
	err = f.call(f.calls.Multiply, f.handle, d.product, uintptr(unsafe.Pointer(&m.one)), uintptr(p.A), d.a, uintptr(p.B), d.b,
		uintptr(unsafe.Pointer(&m.zero)), uintptr(p.C), d.c, uintptr(p.C), d.c, uintptr(unsafe.Pointer(&m.algorithm)),
		uintptr(workspace), uintptr(a.Workspace), uintptr(f.stream))
	return driver.Unsupported(err, driver.BLASNotSupported)
}
