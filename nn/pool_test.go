package nn_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
)

func TestPoolsHaveAnAxisForEachOfTheirWindows(t *testing.T) {
	options := []nn.WindowOption{nn.Stride(1), nn.Padding(1)}
	for axes, layers := range map[int][2]nn.Layer{
		1: {nn.NewMaxPool1D(2, options...), nn.NewAveragePool1D(2, options...)},
		2: {nn.NewMaxPool2D(2, options...), nn.NewAveragePool2D(2, options...)},
		3: {nn.NewMaxPool3D(2, options...), nn.NewAveragePool3D(2, options...)},
	} {
		shape, window := []int{2, 3}, nd.PoolParams{Stride: []int{1}, Padding: []int{1}}
		for range axes {
			shape, window.Kernel = append(shape, 4), append(window.Kernel, 2)
		}
		x := drawn(shape...)
		require.Equal(t, elements(t, x.MaxPool(window)), elements(t, layers[0].Forward(nn.Infer(), x)))
		require.Equal(t, elements(t, x.AveragePool(window)), elements(t, layers[1].Forward(nn.Infer(), x)))
		for _, layer := range layers {
			err := nd.Try(func() { layer.Forward(nn.Infer(), drawn(2, 3, 4, 4, 4, 4)) })
			require.ErrorIs(t, err, fault.ErrShape)
		}
	}
}

func TestMaximaOfOneAndThreeAxesFollowConvolutions(t *testing.T) {
	env := nd.DefaultEnv().WithSeed(5)
	for _, c := range []struct {
		x      *nd.Array
		layers []nn.Layer
	}{
		{drawn(2, 2, 9), []nn.Layer{nn.NewConv1D(env, 2, 3, 2), nn.Relu, nn.NewMaxPool1D(2)}},
		{drawn(2, 2, 5, 5, 5), []nn.Layer{nn.NewConv3D(env, 2, 3, 2), nn.Relu, nn.NewMaxPool3D(2)}},
	} {
		want := c.x
		for _, layer := range c.layers {
			want = layer.Forward(nn.Infer(), want)
		}
		require.Equal(t, elements(t, want), elements(t, nn.NewSequential(c.layers...).Forward(nn.Infer(), c.x)))
	}
	mixed := nn.NewSequential(nn.NewConv2D(env, 2, 3, 2), nn.Relu, nn.NewMaxPool1D(2))
	require.ErrorIs(t, nd.Try(func() { mixed.Forward(nn.Infer(), drawn(2, 2, 5, 5)) }), fault.ErrShape)
}
