package distribution

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTruncationAcceptsAtLeastTwoOfFiveTries(t *testing.T) {
	for _, low := range []float64{math.Inf(-1), -30, -3, -1, -1e-3, 0, 1e-3, 0.2, 0.7, 1, 2, 5, 40, 1e8, 1e200} {
		for _, width := range []float64{0.01, 0.3, 1, 2.4, 2.6, 5, 50, math.Inf(1)} {
			high := low + width
			if low < -1e300 {
				high = width - 3
			}
			for _, l := range []truncated{newTruncated(0, 1, low, high), newTruncated(0, 1, -high, -low)} {
				accepted, s := 0, Source{1, 2}
				for i := range uint64(2000) {
					if _, ok := l.try(s.value(i, 0), s.value(i, 1)); ok {
						accepted++
					}
				}
				require.Greater(t, accepted, 780, "from %v to %v, method %v", low, high, l.method)
			}
		}
	}
}

func TestBoundsAreKeptAfterRounding(t *testing.T) {
	least, most := between[float32](0.1, 0.3)
	require.GreaterOrEqual(t, float64(least), 0.1)
	require.LessOrEqual(t, float64(most), 0.3)
	require.Less(t, float64(math.Nextafter32(least, 0)), 0.1)
	least, most = between[float32](0.1, 0.1)
	require.Equal(t, []float32{0.1, 0.1}, []float32{least, most})
	low, high := between[float64](math.Inf(-1), 2)
	require.Equal(t, []float64{math.Inf(-1), 2}, []float64{low, high})
}
