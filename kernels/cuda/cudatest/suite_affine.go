package cudatest

import (
	"errors"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cuda/driver"
)

// multiplyAffine computes p with a bias, and returns the error. The test is skipped where the driver has no cuBLASLt.
func (s *suite) multiplyAffine(p driver.Product, bias driver.Address) error {
	f, err := s.NewAffine(s.stream)
	if errors.Is(err, errors.ErrUnsupported) {
		s.Skip(err)
	}
	require.NoError(s, err)
	planner, err := s.NewAffine(0)
	require.NoError(s, err)
	a, err := planner.Choose(&p)
	require.NoError(s, planner.Close())
	if err == nil {
		var workspace driver.Address
		if a.Workspace > 0 {
			workspace = upload(s, make([]byte, a.Workspace)...)
		}
		err = f.Multiply(&p, bias, &a, workspace)
	}
	require.NoError(s, s.Synchronize(s.stream))
	require.NoError(s, f.Close())
	return err
}

// affineProducts adds a bias to each row of products of 4 x 4 by 4 x 4, of which one operand is given as its transpose.
func affineProducts(s *suite) {
	x, y, bias := make([]float32, 16), make([]float32, 16), []float32{100, 200, 300, 400}
	want := make([]float32, 16)
	for i := range 16 {
		x[i], y[i] = float32(i), float32(i%5-2)
	}
	for column := range 4 {
		for row := range 4 {
			want[column*4+row] = bias[row]
			for k := range 4 {
				want[column*4+row] += x[row*4+k] * y[column*4+k]
			}
		}
	}
	p := driver.Product{TransposeA: true, M: 4, N: 4, K: 4, LeadA: 4, LeadB: 4, LeadC: 4, Count: 1}
	z := upload(s, make([]float32, 16)...)
	p.Precision, p.A, p.B, p.C = driver.Float32, upload(s, x...), upload(s, y...), z
	require.NoError(s, s.multiplyAffine(p, upload(s, bias...)))
	require.Equal(s, want, download[float32](s, z, 16))
	affineOf16Bits(s, p, driver.Float16, dtype.ToF16, dtype.F16.Float32, x, y, bias, want)
	affineOf16Bits(s, p, driver.BFloat16, dtype.ToBF16, dtype.BF16.Float32, []float32{1, 0, 2, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 3}, y, []float32{1, 2, 3, 4}, nil)
	for i := range x {
		x[i] = 1 + float32(1)/4096 // more bits than TF32 has
		y[i] = float32(1 - min(i%4, 1))
	}
	p.Precision, p.A, p.B = driver.Float32, upload(s, x...), upload(s, y...)
	zero := upload(s, make([]float32, 4)...)
	require.NoError(s, s.multiplyAffine(p, zero))
	require.Equal(s, x, download[float32](s, z, 16))
	if s.fake != nil { // A GPU without TF32 computes it in float32.
		p.Precision = driver.TF32
		require.NoError(s, s.multiplyAffine(p, zero))
		require.EqualValues(s, 1, download[float32](s, z, 16)[15])
	}
}

// affineOf16Bits computes p of numbers that are exact in 16 bits; want is computed if it is nil.
func affineOf16Bits[T any](s *suite, p driver.Product, precision driver.Precision, narrow func(float32) T, wide func(T) float32, x, y, bias, want []float32) {
	all := func(values []float32) (narrowed []T) {
		for _, v := range values {
			narrowed = append(narrowed, narrow(v))
		}
		return narrowed
	}
	if want == nil {
		for i := range 16 {
			sum := bias[i%4]
			for k := range 4 {
				sum += x[i%4*4+k] * y[i/4*4+k]
			}
			want = append(want, sum)
		}
	}
	p.Precision, p.A, p.B, p.C = precision, upload(s, all(x)...), upload(s, all(y)...), upload(s, make([]T, 16)...)
	require.NoError(s, s.multiplyAffine(p, upload(s, all(bias)...)))
	for i, v := range download[T](s, p.C, 16) {
		require.Equal(s, want[i], wide(v))
	}
}

func refusedAffineProducts(s *suite) {
	p := driver.Product{M: 4, N: 4, K: 4, LeadA: 1, LeadB: 4, LeadC: 4, Count: 1}
	err := s.multiplyAffine(p, 0)
	require.Error(s, err, "columns are nearer to one another than they are long")
	if s.fake == nil {
		return
	}
	require.ErrorIs(s, err, errors.ErrUnsupported)
	require.ErrorContains(s, err, "cublasLtMatmulAlgoGetHeuristic: CUBLAS_STATUS_INVALID_VALUE")
	p.LeadA = 4
	s.fake.Set("ltDevices", 0)
	require.ErrorIs(s, s.multiplyAffine(p, 0), errors.ErrUnsupported)
	s.fake.Set("ltDevices", -1)
	s.fake.Set("blasFails", 1)
	var refused *driver.BLASError
	err = s.multiplyAffine(p, 0)
	require.ErrorAs(s, err, &refused)
	require.EqualError(s, refused, "cublasLtMatmul: CUBLAS_STATUS_EXECUTION_FAILED")
	require.ErrorIs(s, err, fault.ErrDevice)
	affineProducts(s)
}
