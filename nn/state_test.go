package nn_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/ops"
)

func newStateful(env *nd.Env) *nn.Sequential {
	return nn.NewSequential(nn.NewConv2D(env, 1, 2, 3), nn.NewSequential(nn.NewBatchNorm(env, 2), nn.Relu), nn.Flatten, nn.NewDense(env, 8, 3))
}

func TestModelsWithTheSameStateComputeTheSame(t *testing.T) {
	env, x := nd.DefaultEnv().WithSeed(3), nd.Linspace[float32](-1, 1, 32).Reshape(2, 1, 4, 4)
	first, second := newStateful(env), newStateful(env)
	first.Forward(nn.Train(nil, env.Generator()), x) // moves the running averages
	state := nn.State(first)
	require.Contains(t, state, "1.0.variances")
	require.Len(t, state, 8)
	require.NoError(t, nn.SetState(second, state))
	want, err := nd.Values[float32](first.Forward(nn.Infer(), x))
	require.NoError(t, err)
	got, err := nd.Values[float32](second.Forward(nn.Infer(), x))
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func TestStateThatDoesNotFitIsNamedAndChangesNothing(t *testing.T) {
	env := nd.DefaultEnv().WithSeed(3)
	model := nn.NewDense(env, 2, 2)
	state := map[string]*nd.Array{"weight": nd.Ones[float32](2, 3), "further": nd.Ones[float32](1)}
	err := nn.SetState(model, state)
	require.ErrorContains(t, err, "there is no array bias")
	require.ErrorContains(t, err, "weight is float32 (2,3), want float32 (2,2)")
	require.ErrorContains(t, err, "the model has no array further")
	other, err := engine.New("naive")
	require.NoError(t, err)
	state["bias"] = nd.OnesIn(ops.NewEnv(other), dtype.Float32, 2)
	require.ErrorContains(t, nn.SetState(model, state), "bias belongs to another engine")
	delete(state, "bias")
	delete(state, "further")
	state["weight"] = nd.Ones[float32](2, 2)
	require.Error(t, nn.SetState(model, state))
	weight, err := nd.Values[float32](nn.Params(model)[0])
	require.NoError(t, err)
	require.NotEqual(t, []float32{1, 1, 1, 1}, weight)
	require.ErrorIs(t, nd.Try(func() { nn.State(nil) }), fault.ErrMisuse)
}

func TestStateMayBeMadeOfTheModelsOwnArrays(t *testing.T) {
	env := nd.DefaultEnv().WithSeed(4)
	model := nn.NewSequential(nn.NewDense(env, 2, 2), nn.NewDense(env, 2, 2))
	state := nn.State(model)
	first, second := elements(t, state["0.weight"]), elements(t, state["1.weight"])
	state["0.weight"], state["1.weight"] = state["1.weight"], state["0.weight"]
	require.NoError(t, nn.SetState(model, state))
	require.Equal(t, second, elements(t, nn.State(model)["0.weight"]))
	require.Equal(t, first, elements(t, nn.State(model)["1.weight"]))
}

func TestStateOfNoUseChangesNothing(t *testing.T) {
	env := nd.DefaultEnv().WithSeed(5)
	released, failed := nd.Ones[float32](2, 2), nd.Ones[float32](3, 2).Take(nd.FromSlice([]int64{0, 9}), 0)
	released.Release()
	for want, weight := range map[error]*nd.Array{fault.ErrReleased: released, fault.ErrIndex: failed} {
		for range 10 { // arrays of a model have no order
			model := nn.NewDense(env, 2, 2)
			before := elements(t, nn.State(model)["weight"])
			var err error
			if mistake := nd.Try(func() { err = nn.SetState(model, map[string]*nd.Array{"weight": weight, "bias": nd.Ones[float32](2)}) }); mistake != nil {
				err = mistake
			}
			require.ErrorIs(t, err, want)
			require.Equal(t, before, elements(t, nn.State(model)["weight"]))
			require.Equal(t, []float64{0, 0}, elements(t, nn.State(model)["bias"]))
		}
	}
}

func TestInitialisersDrawWithTheirVariance(t *testing.T) {
	env := nd.DefaultEnv().WithSeed(5)
	for name, c := range map[string]struct {
		draw  nn.Initialiser
		dense float64 // variance for 300 inputs and 200 outputs
		conv  float64 // for 20 channels to 30 filters of 5×5
	}{
		"he uniform":     {nn.HeUniform, 2. / 300, 2. / 500},
		"he normal":      {nn.HeNormal, 2. / 300, 2. / 500},
		"xavier uniform": {nn.XavierUniform, 2. / 500, 2. / 1250},
		"xavier normal":  {nn.XavierNormal, 2. / 500, 2. / 1250},
	} {
		model := nn.NewSequential(nn.NewDense(env, 300, 200), nn.Relu, nn.NewConv2D(env, 20, 30, 5))
		for _, i := range []int{1, 3} {
			bias := model.Params()[i]
			nd.CopyInto(bias, nd.OnesLike(bias))
		}
		nn.Initialise(model, env, c.draw)
		for i, want := range map[int]float64{0: c.dense, 2: c.conv} {
			weight := model.Params()[i]
			mean, err := nd.Item[float32](weight.Mean())
			require.NoError(t, err)
			variance, err := nd.Item[float32](weight.Var(0))
			require.NoError(t, err)
			require.InDelta(t, 0, mean, 6*math.Sqrt(want/float64(weight.Count())), name)
			require.InEpsilon(t, want, variance, 0.06, name)
			for _, b := range elements(t, model.Params()[i+1]) {
				require.Zero(t, b, name)
			}
		}
	}
	require.ErrorIs(t, nd.Try(func() { nn.Initialise(nn.Relu, env, nil) }), fault.ErrMisuse)
	require.ErrorIs(t, nd.Try(func() { nn.Initialise(nil, env, nn.HeNormal) }), fault.ErrMisuse)
}

func TestEmbeddingLooksVectorsUp(t *testing.T) {
	layer := nn.NewEmbedding(nd.DefaultEnv().WithSeed(1), 5, 3)
	table, err := nd.Values[float32](nn.Params(layer)[0])
	require.NoError(t, err)
	got := layer.Forward(nn.Infer(), nd.FromSlice([]int32{4, 0, -1, 1}, 2, 2))
	require.Equal(t, []int{2, 2, 3}, got.Shape())
	values, err := nd.Values[float32](got)
	require.NoError(t, err)
	for i, thing := range []int{4, 0, 4, 1} {
		require.Equal(t, table[thing*3:][:3], values[i*3:][:3])
	}
	_, err = nd.Values[float32](layer.Forward(nn.Infer(), nd.FromSlice([]int32{5})))
	require.ErrorIs(t, err, fault.ErrIndex)
}
