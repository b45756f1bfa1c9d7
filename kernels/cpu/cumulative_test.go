package cpu

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// TestCumulativeExtremesAreThoseOfEveryBeginning looks at all bits, with values that order finds hard at random places.
func TestCumulativeExtremesAreThoseOfEveryBeginning(t *testing.T) {
	nan, infinity, zero := math.NaN(), math.Inf(1), math.Copysign(0, -1)
	checkExtremes(t, []float32{0, float32(zero), 1, -1, 1e-45, -1e-45, float32(infinity), float32(-infinity)}, float32(nan))
	checkExtremes(t, []float64{0, zero, 1, -1, 5e-324, -5e-324, infinity, -infinity}, nan)
	checkExtremes(t, []int64{0, 1, -1, math.MaxInt64, math.MinInt64, 7}, 3)
	checkExtremes(t, []uint64{0, 1, math.MaxInt64, math.MaxUint64, 1 << 63}, 3)
}

func checkExtremes[T dtype.Real](t *testing.T, values []T, rare T) {
	r := random()
	text := func(x []T) []uint64 {
		bits := make([]uint64, len(x))
		for i, v := range x {
			if bits[i] = math.Float64bits(float64(v)); v != v {
				bits[i] = math.Float64bits(math.NaN())
			}
		}
		return bits
	}
	features.Each(func(features.Level) {
		for _, count := range []int{1, 2, 7, 8, 15, 16, 17, 40, 100, 1000} {
			for few := 1; few <= len(values); few++ {
				x := make([]T, count)
				for i := range x {
					if x[i] = values[r.IntN(few)]; r.IntN(200) == 0 {
						x[i] = rare
					}
				}
				largest, smallest := append([]T{}, x...), append([]T{}, x...)
				for i := 1; i < count; i++ {
					largest[i], smallest[i] = max(largest[i-1], x[i]), min(smallest[i-1], x[i])
				}
				own := append([]T{}, x...)
				maxScan[T]().prefix(own)
				require.Equal(t, text(largest), text(own), "largest of %v", x)
				own = append([]T{}, x...)
				minScan[T]().prefix(own)
				require.Equal(t, text(smallest), text(own), "smallest of %v", x)
			}
		}
	})
}
