package optim_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/device"
	_ "github.com/weft-nd/weft/kernels/sim"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/optim"
)

func TestClippingLimitsGradientsInPlace(t *testing.T) {
	values := func(a *nd.Array) []float64 {
		v, err := nd.ValuesAs[float64](a)
		require.NoError(t, err)
		return v
	}
	gradients := func() []*nd.Array {
		return []*nd.Array{nd.FromSlice([]float64{3, -4}), nd.FromSlice([]float32{12, 0})}
	}
	g := gradients()
	optim.ClipValue(g, 3.5)
	require.Equal(t, [][]float64{{3, -3.5}, {3.5, 0}}, [][]float64{values(g[0]), values(g[1])})
	g = gradients()
	require.InDelta(t, 13, values(optim.ClipNorm(g, 26))[0], 1e-12)
	require.Equal(t, [][]float64{{3, -4}, {12, 0}}, [][]float64{values(g[0]), values(g[1])})
	require.InDelta(t, 13, values(optim.ClipNorm(g, 6.5))[0], 1e-12)
	require.Equal(t, [][]float64{{1.5, -2}, {6, 0}}, [][]float64{values(g[0]), values(g[1])})
	require.Zero(t, values(optim.ClipNorm(nil, 1))[0])

	for most, want := range map[float64][][]float64{26: {{3, -4}, {12, 0}}, 6.5: {{1.5, -2}, {6, 0}}} {
		g = gradients()
		g[1] = g[1].To(device.Sim(0)) // on two devices
		require.InDelta(t, 13, values(optim.ClipNorm(g, most))[0], 1e-12)
		require.Equal(t, want, [][]float64{values(g[0]), values(g[1])})
		require.Equal(t, device.Sim(0), g[1].Device())
	}

	g = gradients()
	require.InDelta(t, 13, values(optim.ClipNorm([]*nd.Array{g[0], g[1], g[0]}, 6.5))[0], 1e-12)
	require.Equal(t, [][]float64{{1.5, -2}, {6, 0}}, [][]float64{values(g[0]), values(g[1])}, "one that is given twice counts once")

	bad := []*nd.Array{nd.FromSlice([]float64{math.NaN(), 7})}
	require.True(t, math.IsNaN(values(optim.ClipNorm(bad, 1))[0]))
	optim.ClipValue(bad, 1)
	require.True(t, math.IsNaN(values(bad[0])[0]))
}

// TestNormsOfGradientsNeitherOverflowNorUnderflow has Pythagorean triples at the edges of float64, on one device and on two.
func TestNormsOfGradientsNeitherOverflowNorUnderflow(t *testing.T) {
	for _, scale := range []float64{6e306, 1e300, 1e160, 1e-160, 1e-200, 1e-300} {
		for _, second := range []device.Device{device.CPU(0), device.Sim(0)} {
			for _, most := range []float64{6.5 * scale, 26 * scale, 6.5} {
				factor := min(1, most/(13*scale))
				g := []*nd.Array{nd.FromSlice([]float64{3 * scale, 0, -4 * scale}), nd.FromSlice([]float64{0, 12 * scale}).To(second), nd.Zeros[float32](2)}
				norm, err := nd.Item[float64](optim.ClipNorm(g, most))
				require.NoError(t, err)
				require.InEpsilon(t, 13*scale, norm, 1e-15, "%v on %v", scale, second)
				for i, want := range [][]float64{{3 * scale, 0, -4 * scale}, {0, 12 * scale}} {
					got, err := nd.Values[float64](g[i])
					require.NoError(t, err)
					for k := range want {
						require.InDelta(t, want[k]*factor, got[k], 1e-14*scale*factor, "%v on %v, at most %v", scale, second, most)
					}
				}
			}
		}
	}
}

func TestGradientsThatAreComplexAreClippedByTheirMagnitudes(t *testing.T) {
	for _, second := range []device.Device{device.CPU(0), device.Sim(0)} {
		g := []*nd.Array{nd.FromSlice([]complex128{3 - 4i}), nd.FromSlice([]complex64{0, 12i}).To(second)}
		norm, err := nd.Item[float64](optim.ClipNorm(g, 6.5))
		require.NoError(t, err)
		require.InDelta(t, 13, norm, 1e-12)
		large, err := nd.Values[complex128](g[0])
		require.NoError(t, err)
		require.Equal(t, []complex128{1.5 - 2i}, large)
		small, err := nd.Values[complex64](g[1])
		require.NoError(t, err)
		require.Equal(t, []complex64{0, 6i}, small)
	}
}
