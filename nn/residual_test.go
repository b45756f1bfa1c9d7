package nn_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/random"
)

// residualCases are layers of 8 features that end in every way that matters to a sum.
func residualCases(env *nd.Env) map[string][]nn.Layer {
	return map[string][]nn.Layer{
		"dense":      {nn.NewDense(env, 8, 8)},
		"feed":       {nn.NewLayerNorm(env, 8), nn.NewDense(env, 8, 20), nn.Gelu, nn.NewDense(env, 20, 8)},
		"attention":  {nn.NewLayerNorm(env, 8), nn.NewMultiHeadAttention(env, 8, 2, nn.Causal())},
		"activation": {nn.NewDense(env, 8, 8), nn.Relu},
		"nested":     {nn.NewResidual(nn.NewDense(env, 8, 8)), nn.Tanh},
	}
}

func TestResidualHasTheBitsOfTheSum(t *testing.T) {
	env := nd.DefaultEnv().WithSeed(1)
	for name, layers := range residualCases(env) {
		x := random.Normal(env, dtype.Float32, 0, 1, 2, 5, 8)
		residual, sequential := nn.NewResidual(layers...), nn.NewSequential(layers...)
		params := nn.Params(residual)
		require.Equal(t, nn.Params(sequential), params)
		results := [2][]*nd.Array{}
		for i, forward := range []func(c *nn.Ctx, x *nd.Array) *nd.Array{
			residual.Forward, func(c *nn.Ctx, x *nd.Array) *nd.Array { return x.Add(sequential.Forward(c, x)) },
		} {
			tape := autograd.NewTape()
			watched := tape.Watch(x)
			y := forward(nn.Train(tape, env.Generator()), watched)
			gradients := tape.Gradient(y.Square().Sum(), append(slices.Clone(params), watched)...)
			results[i] = append(append(results[i], y, forward(nn.Infer(), x)), gradients...)
		}
		for i := range results[0] {
			require.Equal(t, text(t, results[1][i]), text(t, results[0][i]), "%s, result %d", name, i)
		}
	}
}

func TestResidualIsInitialisedNamedAndSummarisedAsItsLayers(t *testing.T) {
	env := nd.DefaultEnv().WithSeed(1)
	r := nn.NewResidual(nn.NewBatchNorm(env, 4), nn.NewDense(env, 4, 4))
	require.Equal(t, []string{"0.bias", "0.scale", "1.bias", "1.weight"}, slices.Sorted(maps.Keys(maps.Collect(r.Named()))))
	require.Equal(t, []string{"0.means", "0.variances"}, slices.Sorted(maps.Keys(maps.Collect(r.NamedState()))))
	nn.Initialise(r, env, nn.XavierUniform)
	weight := maps.Collect(r.Named())["1.weight"]
	require.NotEqual(t, text(t, weight), text(t, nd.Zeros[float32](4, 4)))
	s := nn.Summarise(nn.NewSequential(nn.Relu, r), nd.Ones[float32](3, 4))
	require.Len(t, s.Layers, 3)
	require.Equal(t, "1.1", s.Layers[2].Name)
	require.Equal(t, 4*4+4+8, s.Parameters)
}
