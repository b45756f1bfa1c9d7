package nn_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
)

func TestPositionalEmbeddingAddsTheVectorOfEachPlace(t *testing.T) {
	layer := nn.NewPositionalEmbedding(nd.DefaultEnv().WithSeed(1), 5, 3)
	vectors := elements(t, nn.Params(layer)[0])
	for _, shape := range [][]int{{2, 5, 3}, {2, 2, 3}, {4, 3}, {2, 2, 1, 3}, {0, 5, 3}, {2, 0, 3}} {
		x := drawn(shape...)
		tape := autograd.NewTape()
		y := layer.Forward(nn.Train(tape, nd.DefaultEnv().Generator()), x)
		require.Equal(t, shape, y.Shape())
		want := elements(t, x)
		times := shape[len(shape)-2]
		for i := range want {
			want[i] = float64(float32(want[i]) + float32(vectors[i%(times*3)]))
		}
		require.Equal(t, want, elements(t, y), "%v", shape)

		slope := make([]float64, 15) // how often each vector was added
		for i := range want {
			slope[i%(times*3)]++
		}
		require.Equal(t, slope, elements(t, tape.Gradient(y.Sum(), nn.Params(layer)...)[0]), "%v", shape)
	}
}

func TestPositionalEmbeddingOfTooManyTimesIsAnError(t *testing.T) {
	layer := nn.NewPositionalEmbedding(nd.DefaultEnv(), 5, 3)
	for _, shape := range [][]int{{3}, {2, 6, 3}, {2, 5, 4}, {2, 5, 1}} {
		err := nd.Try(func() { layer.Forward(nn.Infer(), drawn(shape...)) })
		require.ErrorIs(t, err, fault.ErrShape, "%v", shape)
		require.ErrorContains(t, err, "want (...,times,3) with up to 5 times")
	}
	require.ErrorIs(t, nd.Try(func() { nn.NewPositionalEmbedding(nd.DefaultEnv(), 0, 3) }), fault.ErrParameter)
	require.True(t, slices.Equal([]int{5, 3}, nn.Params(layer)[0].Shape()))
}
