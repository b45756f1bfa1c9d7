package nn_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
)

// downsampling is a layer of a user's, made of others.
type downsampling struct {
	nn.Parts
	main, shortcut nn.Layer
}

func newDownsampling(env *nd.Env) *downsampling {
	d := &downsampling{
		main:     nn.NewSequential(nn.NewConv2D(env, 2, 4, 3, nn.Stride(2), nn.Padding(1)), nn.NewBatchNorm(env, 4)),
		shortcut: nn.NewConv2D(env, 2, 4, 1, nn.Stride(2)),
	}
	d.Parts = nn.Parts{{Name: "main", Layer: d.main}, {Name: "shortcut", Layer: d.shortcut}}
	return d
}

// Forward implements nn.Layer.
func (d *downsampling) Forward(c *nn.Ctx, x *nd.Array) *nd.Array {
	return d.main.Forward(c, x).Add(d.shortcut.Forward(c, x)).Relu()
}

func TestParamsOfPartsAreThereOnce(t *testing.T) {
	shared := nn.NewDense(nd.DefaultEnv(), 2, 2)
	parts := nn.Parts{{Name: "first", Layer: shared}, {Name: "norm", Layer: nn.NewBatchNorm(nd.DefaultEnv(), 2)}, {Name: "last", Layer: shared}}
	params := parts.Params()
	require.Len(t, params, 4)
	require.Equal(t, nn.Params(shared), params[:2])
}

func TestALayerMadeOfOthersNamesSavesAndInitialisesThem(t *testing.T) {
	env := nd.DefaultEnv().WithSeed(1)
	model := nn.NewSequential(newDownsampling(env))
	var names []string
	for name := range model.Named() {
		names = append(names, name)
	}
	require.Equal(t, []string{
		"0.main.0.weight", "0.main.0.bias", "0.main.1.scale", "0.main.1.bias", "0.shortcut.weight", "0.shortcut.bias",
	}, names)
	state := nn.State(model)
	require.Len(t, state, 8)
	require.Contains(t, state, "0.main.1.means")
	require.Contains(t, state, "0.main.1.variances")

	bias := state["0.shortcut.bias"]
	nd.CopyInto(bias, nd.OnesLike(bias))
	before := stateBits(t, model)
	nn.Initialise(model, env, nn.XavierUniform)
	after := stateBits(t, model)
	for _, name := range []string{"0.main.0.weight", "0.shortcut.weight", "0.shortcut.bias"} {
		require.NotEqual(t, before[name], after[name], name)
	}
	for name := range model.Named() { // a loop may end early
		require.Equal(t, "0.main.0.weight", name)
		break
	}
}

func TestContextsTellWhatLayersChangeBesideTheParameters(t *testing.T) {
	env := nd.DefaultEnv().WithSeed(1)
	model := nn.NewSequential(newDownsampling(env), nn.Flatten, nn.NewDense(env, 16, 3))
	var changed []*nd.Array
	c := nn.Train(nil, env.Generator())
	c.Changes = func(a *nd.Array) { changed = append(changed, a) }
	model.Forward(c.In(env), drawn(2, 2, 4, 4))
	state := nn.State(model)
	require.Equal(t, []*nd.Array{state["0.main.1.means"], state["0.main.1.variances"]}, changed)
	c.Train = false
	model.Forward(c, drawn(2, 2, 4, 4))
	require.Len(t, changed, 2, "inference changes nothing")
}

func TestParametersThatLayersShareAreThereOnce(t *testing.T) {
	env := nd.DefaultEnv().WithSeed(1)
	shared := nn.NewDense(env, 3, 3)
	model := nn.NewSequential(shared, nn.Tanh, shared)
	require.Equal(t, nn.Params(shared), nn.Params(model))
	require.Len(t, nn.State(model), 4, "each name is in files")

	outputs := func() []float32 {
		y, err := nd.Values[float32](model.Forward(nn.Infer(), nd.FromSlice([]float32{1, -2, 0.5, 3, 0, 1}, 2, 3)))
		require.NoError(t, err)
		return y
	}
	saved, before := map[string]*nd.Array{}, outputs()
	for name, a := range nn.State(model) {
		saved[name] = a.Copy()
	}
	nn.Initialise(model, env, nn.HeNormal)
	require.NotEqual(t, before, outputs())
	require.NoError(t, nn.SetState(model, saved))
	require.Equal(t, before, outputs())
}
