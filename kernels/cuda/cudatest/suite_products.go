package cudatest

import (
	"errors"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cuda/driver"
)

// multiply computes one call of cuBLAS with a handle of its own.
func (s *suite) multiply(p driver.Product) error {
	b, err := s.NewBLAS(s.stream)
	require.NoError(s, err)
	err = b.Multiply(&p)
	require.NoError(s, s.Synchronize(s.stream))
	require.NoError(s, b.Close())
	return err
}

// A is 2 x 3, B 3 x 2: two of each.
func products(s *suite) {
	x := upload[float64](s, 1, 2, 3, 4, 5, 6, 1, 0, 0, 1, 0, 0)
	y := upload[float64](s, 1, 0, 2, 0, 1, 0, 1, 0, 0, 0, 1, 0)
	z := upload(s, make([]float64, 8)...)
	both := driver.Product{
		Precision: driver.Float64, M: 2, N: 2, K: 3, A: x, B: y, C: z, LeadA: 2, LeadB: 3, LeadC: 2, Count: 2, NextA: 6, NextB: 6, NextC: 4,
	}
	require.NoError(s, s.multiply(both))
	require.Equal(s, []float64{11, 14, 3, 4, 1, 0, 0, 1}, download[float64](s, z, 8))
	transposed := driver.Product{
		Precision: driver.Float64, TransposeA: true, TransposeB: true, M: 2, N: 2, K: 3, A: x, B: y, C: z, LeadA: 3, LeadB: 2, LeadC: 2, Count: 1,
	}
	require.NoError(s, s.multiply(transposed))
	require.Equal(s, []float64{8, 20, 0, 0}, download[float64](s, z, 4))
}

// precisions computes 3·2 in a batch of one and of two, in every precision.
func precisions(s *suite) {
	three, two := dtype.ToF16(3), dtype.ToF16(2)
	brainThree, brainTwo := dtype.ToBF16(3), dtype.ToBF16(2)
	for _, count := range []int{1, 2} {
		one := func(precision driver.Precision, x, y, z driver.Address) {
			require.NoError(s, s.multiply(driver.Product{
				Precision: precision, M: 1, N: 1, K: 1, A: x, B: y, C: z, LeadA: 1, LeadB: 1, LeadC: 1, Count: count, NextA: 1, NextB: 1, NextC: 1,
			}))
		}
		singles, doubles := upload[float32](s, 0, 0), upload[float64](s, 0, 0)
		halves, brains := upload(s, make([]dtype.F16, 2)...), upload(s, make([]dtype.BF16, 2)...)
		one(driver.Float32, upload[float32](s, 3, 3), upload[float32](s, 2, 2), singles)
		one(driver.Float64, upload[float64](s, 3, 3), upload[float64](s, 2, 2), doubles)
		one(driver.Float16, upload(s, three, three), upload(s, two, two), halves)
		one(driver.BFloat16, upload(s, brainThree, brainThree), upload(s, brainTwo, brainTwo), brains)
		require.EqualValues(s, 6, download[float32](s, singles, 2)[count-1])
		require.EqualValues(s, 6, download[float64](s, doubles, 2)[count-1])
		require.EqualValues(s, 6, download[dtype.F16](s, halves, 2)[count-1].Float32())
		require.EqualValues(s, 6, download[dtype.BF16](s, brains, 2)[count-1].Float32())
		fine := 1 + float32(1)/4096 // more bits than TF32 has
		one(driver.Float32, upload(s, fine, fine), upload[float32](s, 1, 1), singles)
		require.Equal(s, fine, download[float32](s, singles, 2)[count-1])
		if s.fake != nil { // A GPU without TF32 computes it in float32.
			one(driver.TF32, upload(s, fine, fine), upload[float32](s, 1, 1), singles)
			require.EqualValues(s, 1, download[float32](s, singles, 2)[count-1])
		}
	}
}

func refusedProducts(s *suite) {
	b, err := s.NewBLAS(s.stream)
	require.NoError(s, err)
	x, z := upload[float32](s, 3), upload[float32](s, 0)
	for _, precision := range []driver.Precision{driver.Float32, driver.Float64, driver.Float16} {
		for _, count := range []int{1, 2} {
			err := b.Multiply(&driver.Product{Precision: precision, M: 2, N: 2, K: 2, A: x, B: x, C: z, LeadA: 1, LeadB: 1, LeadC: 1, Count: count})
			var refused *driver.BLASError
			require.ErrorAs(s, err, &refused)
			require.EqualValues(s, 7, refused.Status)
			require.Regexp(s, "^cublas[A-Z]", refused.Call)
			require.ErrorIs(s, err, fault.ErrDevice)
			require.ErrorIs(s, err, errors.ErrUnsupported)
		}
		good := driver.Product{M: 1, N: 1, K: 1, A: x, B: x, C: z, LeadA: 1, LeadB: 1, LeadC: 1, Count: 1}
		require.NoError(s, b.Multiply(&good), "the handle goes on")
		require.Equal(s, []float32{9}, download[float32](s, z, 1))
	}
	require.NoError(s, b.Close())
}
