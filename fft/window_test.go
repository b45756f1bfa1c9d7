package fft_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/fft"
	nd "github.com/weft-nd/weft/ndarray"
)

func TestWindowsAreTheirSumsOfCosines(t *testing.T) {
	for name, c := range map[string]struct {
		window func(n int) *nd.Array
		want   func(angle float64) float64
	}{
		"Hann":     {fft.Hann, func(a float64) float64 { return 0.5 - 0.5*math.Cos(a) }},
		"Hamming":  {fft.Hamming, func(a float64) float64 { return 0.54 - 0.46*math.Cos(a) }},
		"Blackman": {fft.Blackman, func(a float64) float64 { return 0.42 - 0.5*math.Cos(a) + 0.08*math.Cos(2*a) }},
	} {
		for _, n := range []int{0, 1, 2, 3, 8, 51} {
			got, err := nd.Values[float64](c.window(n))
			require.NoError(t, err)
			require.Len(t, got, n)
			for k, w := range got {
				want := 1.0
				if n > 1 {
					want = c.want(2 * math.Pi * float64(k) / float64(n-1))
				}
				require.InDelta(t, want, w, 1e-14, "%s of %d at %d", name, n, k)
			}
			turned := slices.Clone(got)
			slices.Reverse(turned)
			require.Equal(t, got, turned, "%s of %d is symmetric", name, n)
		}
		require.ErrorIs(t, nd.Try(func() { c.window(-1) }), fault.ErrParameter)
	}
}
