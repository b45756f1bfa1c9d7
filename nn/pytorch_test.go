package nn_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
)

// namesOfPyTorch has, for layers of everyLayer, the names that modules of PyTorch give to the arrays; a T behind one means the transpose.
var namesOfPyTorch = map[string]map[string]string{
	"dense":       {"weight": "weight T", "bias": "bias"},
	"convolution": {"weight": "weight", "bias": "bias"},
	"transposed":  {"weight": "weight", "bias": "bias"},
	"batch norm":  {"scale": "weight", "bias": "bias", "means": "running_mean", "variances": "running_var"},
	"layer norm":  {"scale": "weight", "bias": "bias"},
	"rms norm":    {"scale": "weight"},
	"group norm":  {"scale": "weight", "bias": "bias"},
	"embedding":   {"weight": "weight"},
	"attention":   {"project.weight": "in_proj_weight T", "project.bias": "in_proj_bias", "join.weight": "out_proj.weight T", "join.bias": "out_proj.bias"},
	"lstm cell":   {"weight_ih": "weight_ih", "weight_hh": "weight_hh", "bias_ih": "bias_ih", "bias_hh": "bias_hh"},
	"sequential": {
		"0.weight": "0.weight", "0.bias": "0.bias", "1.0.scale": "1.0.weight", "1.0.bias": "1.0.bias", "1.0.means": "1.0.running_mean",
		"1.0.variances": "1.0.running_var", "3.weight": "3.weight T", "3.bias": "3.bias",
	},
}

// fromOurs returns the state of a layer as PyTorch has it.
func fromOurs(t *testing.T, l nn.Layer, names map[string]string) map[string]*nd.Array {
	theirs := map[string]*nd.Array{}
	for name, a := range nn.State(l) {
		require.Contains(t, names, name)
		their := names[name]
		if turned := len(their) - 2; turned > 0 && their[turned:] == " T" {
			their, a = their[:turned], a.T().Copy()
		}
		theirs[their] = a
	}
	return theirs
}

func TestStatesOfPyTorchAreThoseOfTheSameLayers(t *testing.T) {
	for name, names := range namesOfPyTorch {
		t.Run(name, func(t *testing.T) {
			c := everyLayer[name]
			first, second := c.make(nd.DefaultEnv().WithSeed(1)), c.make(nd.DefaultEnv().WithSeed(2))
			for range 2 { // averages that run
				first.Forward(nn.Train(nil, nd.DefaultEnv().WithSeed(3).Generator()), c.x())
			}
			theirs := fromOurs(t, first, names)
			before := maps.Clone(theirs)
			require.NoError(t, nn.SetState(second, nn.FromPyTorch(second, theirs)))
			require.Equal(t, stateBits(t, first), stateBits(t, second))
			require.Equal(t, before, theirs)
		})
	}
}

// tower is a model of one's own, with layers within layers.
type tower struct {
	nn.Parts
	residual *nn.Residual
}

func (m *tower) Forward(c *nn.Ctx, x *nd.Array) *nd.Array { return m.residual.Forward(c, x) }

func newTower(env *nd.Env) *tower {
	m := &tower{residual: nn.NewResidual(nn.NewLayerNorm(env, 4), nn.NewSequential(nn.NewDense(env, 4, 4)))}
	m.Parts = nn.Parts{{Name: "main", Layer: m.residual}}
	return m
}

func TestStatesOfPyTorchAreConvertedInLayersOfLayers(t *testing.T) {
	first, second := newTower(nd.DefaultEnv().WithSeed(1)), newTower(nd.DefaultEnv().WithSeed(2))
	theirs := fromOurs(t, first, map[string]string{"main.0.scale": "main.0.weight", "main.0.bias": "main.0.bias", "main.1.0.weight": "main.1.0.weight T", "main.1.0.bias": "main.1.0.bias"})
	require.NoError(t, nn.SetState(second, nn.FromPyTorch(second, theirs)))
	require.Equal(t, stateBits(t, first), stateBits(t, second))
}

func TestWhatPyTorchDoesNotNameStaysForSetStateToRefuse(t *testing.T) {
	norm, dense := nn.NewBatchNorm(nd.DefaultEnv(), 2), nn.NewDense(nd.DefaultEnv(), 3, 2)
	converted := nn.FromPyTorch(norm, map[string]*nd.Array{"weight": nd.Ones[float32](2), "num_batches_tracked": nd.Full[int64](3), "offset": nd.Ones[float32](2)})
	require.Equal(t, []string{"offset", "scale"}, slices.Sorted(maps.Keys(converted)))
	require.ErrorContains(t, nn.SetState(norm, converted), "the model has no array offset")
	require.ErrorContains(t, nn.SetState(dense, nn.FromPyTorch(dense, map[string]*nd.Array{"weight": nd.Ones[float32](6), "bias": nil})), "weight is float32 (6,), want float32 (3,2)")
	require.Empty(t, nn.FromPyTorch(dense, nil))
	require.NotNil(t, nn.FromPyTorch(dense, nil))
	require.ErrorContains(t, nd.Try(func() { nn.FromPyTorch(nil, nil) }), "FromPyTorch: the layer is nil")
}
