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

	bad := []*nd.Array{nd.FromSlice([]float64{math.NaN(), 7})}
	require.True(t, math.IsNaN(values(optim.ClipNorm(bad, 1))[0]))
	optim.ClipValue(bad, 1)
	require.True(t, math.IsNaN(values(bad[0])[0]))
}
