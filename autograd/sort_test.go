package autograd_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/autograd"
	nd "github.com/weft-nd/weft/ndarray"
)

func TestGradientsOfSortingGoWhereElementsCameFrom(t *testing.T) {
	require := require.New(t)
	gradient := func(of func(x *nd.Array) *nd.Array) []float64 {
		tape := autograd.NewTape()
		x := tape.Watch(nd.FromSlice([]float64{3, 1, 2, 0}))
		y := of(x)
		found, err := nd.Values[float64](tape.Gradient(y.Mul(nd.FromSlice([]float64{1, 10, 100, 1000}[:y.Count()])).Sum(), x)[0])
		require.NoError(err)
		return found
	}
	require.Equal([]float64{1000, 10, 100, 1}, gradient(func(x *nd.Array) *nd.Array { return x.Sort(0) }))
	require.Equal([]float64{1, 100, 10, 1000}, gradient(func(x *nd.Array) *nd.Array { return x.SortDescending(0) }))
	require.Equal([]float64{1, 0, 10, 0}, gradient(func(x *nd.Array) *nd.Array { values, _ := x.TopK(2, 0); return values }))
	require.Equal([]float64{0, 0.5, 0.5, 0}, gradient(func(x *nd.Array) *nd.Array { return x.Median(0).Reshape(1) }))
	require.Equal([]float64{10, 1, 10, 100}, gradient(func(x *nd.Array) *nd.Array {
		sums, err := nd.BincountWeighted(context.Background(), nd.FromSlice([]int32{1, 0, 1, 2}), x, 0)
		require.NoError(err)
		return sums
	}))
}
