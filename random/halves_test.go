package random_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/random"
)

var halves = []dtype.DType{dtype.Float16, dtype.BFloat16}

// rounded returns the number of type d that is nearest to the float32 number nearest to v.
func rounded(d dtype.DType, v float64) float64 {
	switch d {
	case dtype.Float16:
		return float64(dtype.ToF16(float32(v)).Float32())
	case dtype.BFloat16:
		return float64(dtype.ToBF16(float32(v)).Float32())
	case dtype.Float32:
		return float64(float32(v))
	}
	return v
}

func floatsOf(t testing.TB, a *nd.Array) []float64 {
	t.Helper()
	x, err := nd.ValuesAs[float64](a)
	require.NoError(t, err)
	return x
}

// TestNarrowNumbersAreRounded compares with the numbers of float64 of the same seed, or of float32 where Uniform and Normal
// have their own. Where there are bounds, see TestBoundsHoldAfterRounding.
func TestNarrowNumbersAreRounded(t *testing.T) {
	t.Parallel()
	for i, test := range continuous {
		draw := func(d dtype.DType) []float64 { return floatsOf(t, test.draw(seeded(uint64(i)), d, 10_000)) }
		wide, single := draw(dtype.Float64), draw(dtype.Float32)
		if test.own {
			requireExact(t, slices.Clone(single), test.exact)
			wide = single
		}
		for j, v := range wide {
			require.True(t, rounded(dtype.Float32, v) == single[j], "%s: %v became %v", test.name, v, single[j])
		}
		for _, d := range halves {
			for j, v := range draw(d) {
				if !(v == rounded(d, wide[j])) && !test.bounded {
					require.Failf(t, "not rounded", "%s: %v became %v in %v", test.name, wide[j], v, d)
				}
				if distance := math.Abs(v - wide[j]); !(v == rounded(d, wide[j])) && !(distance <= math.Abs(wide[j])/128) && !(math.Abs(wide[j]) < 0x1p-14 && distance < 0x1p-23) {
					require.Failf(t, "far off", "%s: %v became %v in %v", test.name, wide[j], v, d)
				}
			}
		}
	}
}

func TestBoundsHoldAfterRounding(t *testing.T) {
	t.Parallel()
	for _, d := range append(halves, dtype.Float32, dtype.Float64) {
		for i, bounds := range [][2]float64{
			{0, 1}, {-1, 0}, {0.1, 0.3}, {-0.3, -0.1}, {1, 1.2}, {0.7, 0.70001}, {5, 5}, {0, 1e-7}, {-1e-7, 0}, {-7, 65500}, {-1e-4, 1e-4}, {1000.3, 1001.7},
		} {
			low, high := bounds[0], bounds[1]
			for _, x := range floatsOf(t, random.Uniform(seeded(uint64(i)), d, low, high, 3000)) {
				require.True(t, x >= min(low, rounded(d, low)) && (x < high || x == rounded(d, low)), "%v of %v from %v to %v", x, d, low, high)
			}
			for _, x := range floatsOf(t, random.TruncatedNormal(seeded(uint64(i)), d, 0.5, 1, low, high, 3000)) {
				require.True(t, x >= low && x <= high || x == rounded(d, low), "%v of %v from %v to %v", x, d, low, high)
			}
		}
	}
}

// TestHalvesReachBothEnds draws all numbers between narrow bounds.
func TestHalvesReachBothEnds(t *testing.T) {
	t.Parallel()
	for d, step := range map[dtype.DType]float64{dtype.Float16: 0x1p-10, dtype.BFloat16: 0x1p-7} {
		x := floatsOf(t, random.Uniform(seeded(1), d, 1, 1+3*step, 3000))
		require.Equal(t, []float64{1, 1 + 2*step}, []float64{slices.Min(x), slices.Max(x)})
		x = floatsOf(t, random.TruncatedNormal(seeded(1), d, 1, 1, 1+step/2, 1+3.5*step, 3000))
		require.Equal(t, []float64{1 + step, 1 + 3*step}, []float64{slices.Min(x), slices.Max(x)})
	}
}
