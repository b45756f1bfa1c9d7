package autograd_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/storage"
)

func TestGradientsOfAttentionPassWhatIsSeen(t *testing.T) {
	drawn := rand.New(rand.NewPCG(6, 7))
	normal := func(shape ...int) *nd.Array {
		values := make([]float64, storage.Count(shape))
		for i := range values {
			values[i] = drawn.NormFloat64()
		}
		return nd.FromSlice(values, shape...)
	}
	q, k, v := normal(2, 3, 4), normal(2, 5, 4), normal(2, 5, 2)
	mask := nd.FromSlice([]bool{true, false, true, true, false, false, false, false, false, false, false, true, true, false, true}, 3, 5)
	weights := normal(2, 3, 2)
	loss := func(q, k, v *nd.Array) *nd.Array { return nd.Attention(q, k, v, mask).Mul(weights).Sum() }
	tape := autograd.NewTape()
	watched := []*nd.Array{tape.Watch(q), tape.Watch(k), tape.Watch(v)}
	gradients := tape.Gradient(loss(watched[0], watched[1], watched[2]), watched...)
	for operand, g := range gradients {
		got, err := nd.Values[float64](g)
		require.NoError(t, err)
		for i := range got {
			const step = 1e-5
			at := func(by float64) float64 {
				moved := []*nd.Array{q.Copy(), k.Copy(), v.Copy()}
				flat := moved[operand].Reshape(len(got))
				nd.AddInto(flat.Index(i), flat.Index(i), nd.Full(by))
				value, err := nd.Values[float64](loss(moved[0], moved[1], moved[2]))
				require.NoError(t, err)
				return value[0]
			}
			require.InDelta(t, (at(step)-at(-step))/(2*step), got[i], 1e-8, "operand %d, element %d", operand, i)
		}
	}
	queries, err := nd.Values[float64](gradients[0].Index(nd.Whole, 1))
	require.NoError(t, err)
	require.Equal(t, make([]float64, 8), queries) // which see nothing
}
