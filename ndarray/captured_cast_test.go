package ndarray_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
)

// TestOperandsOfACapturedCallAreCastInTheCapture has operands of other element types, which lie outside of it and change between replays.
func TestOperandsOfACapturedCallAreCastInTheCapture(t *testing.T) {
	mask := nd.FromSlice([]float64{1, 0, 2}).Greater(nd.Zeros[float64](3)) // by an operator
	half := nd.FromSlice([]float32{1, 2, 3})
	counts := nd.FromSlice([]int64{1, 2, 3})
	nd.AddInto(counts, counts, nd.FromSlice([]int64{1, 1, 1}))
	function := func(_ *nd.Env, in []*nd.Array) []*nd.Array {
		sum := nd.ZerosIn(in[0].Env(), dtype.Float64, 3)
		nd.AddInto(sum, sum, half)
		return []*nd.Array{in[0].Mul(mask), in[0].Mul(half), in[0].Add(counts), sum}
	}
	c := nd.NewCaptured(nd.DefaultEnv(), function)
	defer c.Release()
	for i := range 5 {
		nd.Set(half, float32(i), 1)
		nd.Set(counts, int64(i), 2)
		x := nd.FromSlice([]float64{float64(i), 2, 3})
		for j, want := range function(nd.DefaultEnv(), []*nd.Array{x}) {
			require.Equal(t, values64(t, want), values64(t, c.Call(x)[j]), "call %d, result %d", i, j)
		}
	}
}

// TestACaptureKeepsTheCastsOfItsCalls is the same for Env.Capture.
func TestACaptureKeepsTheCastsOfItsCalls(t *testing.T) {
	half, x := nd.FromSlice([]float32{1, 2, 3}), nd.FromSlice([]float64{1, 1, 1})
	var product *nd.Array
	c := nd.DefaultEnv().Capture(func(env *nd.Env) { product = x.In(env).Mul(half) })
	defer c.Release()
	nd.Set(half, float32(7), 0)
	c.Replay()
	require.Equal(t, []float64{7, 2, 3}, values64(t, product))
}
