package nn_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/random"
)

// drawn returns normal numbers with the mean 3 and the deviation 2.
func drawn(shape ...int) *nd.Array {
	return random.Normal(nd.DefaultEnv().WithSeed(7), dtype.Float32, 3, 2, shape...)
}

// requireStandard requires that the mean over axes is zero and the mean square one.
func requireStandard(t *testing.T, y *nd.Array, centred bool, axes ...int) {
	t.Helper()
	if centred {
		for _, mean := range elements(t, y.Mean(axes...)) {
			require.InDelta(t, 0, mean, 1e-5)
		}
	}
	for _, square := range elements(t, y.Square().Mean(axes...)) {
		require.InDelta(t, 1, square, 1e-4)
	}
}

func TestNormalisationsStandardiseTheirAxes(t *testing.T) {
	env, x := nd.DefaultEnv(), drawn(6, 4, 5, 7)
	for _, c := range []*nn.Ctx{nn.Infer(), {Train: true}} {
		requireStandard(t, nn.NewLayerNorm(env, 5, 7).Forward(c, x), true, 2, 3)
		requireStandard(t, nn.NewRMSNorm(env, 7).Forward(c, x), false, 3)
		requireStandard(t, nn.NewGroupNorm(env, 2, 4).Forward(c, x).Reshape(6, 2, 2, 5, 7), true, 2, 3, 4)
		requireStandard(t, nn.NewGroupNorm(env, 4, 4).Forward(c, x), true, 2, 3)
	}
	requireStandard(t, nn.NewBatchNorm(env, 4).Forward(&nn.Ctx{Train: true}, x), true, 0, 2, 3)
}

func TestNormalisationsScaleAndShiftAndLearnBoth(t *testing.T) {
	env, x := nd.DefaultEnv(), drawn(3, 4, 2)
	for name, layer := range map[string]nn.Layer{
		"layer": nn.NewLayerNorm(env, 4, 2), "rms": nn.NewRMSNorm(env, 4, 2), "batch": nn.NewBatchNorm(env, 4), "group": nn.NewGroupNorm(env, 2, 4),
	} {
		plain := elements(t, layer.Forward(&nn.Ctx{Train: true}, x))
		names := []string{}
		for name, p := range layer.Named() {
			names = append(names, name)
			nd.AddInto(p, p, nd.Ones[float32](p.Shape()...))
		}
		bias := float64(len(names) - 1)
		tape := autograd.NewTape()
		y := layer.Forward(nn.Train(tape, env.Generator()), x)
		for i, v := range elements(t, y) {
			require.InDelta(t, 2*plain[i]+bias, v, 1e-5, name)
		}
		for i, g := range tape.Gradient(y.Square().Sum(), nn.Params(layer)...) {
			require.Equal(t, nn.Params(layer)[i].Shape(), g.Shape())
			for _, v := range elements(t, g) {
				require.NotZero(t, v, name)
			}
		}
	}
}

func TestBatchNormFollowsBatchesInTrainingAndUsesThatInInference(t *testing.T) {
	layer, x := nn.NewBatchNorm(nd.DefaultEnv(), 2), nd.FromSlice([]float32{1, 10, 2, 20, 3, 60}, 3, 2)
	c := &nn.Ctx{Train: true}
	layer.Forward(c, x)
	means, variances := layer.Running()
	require.InDeltaSlice(t, []float64{0.2, 3}, elements(t, means), 1e-6)
	require.InDeltaSlice(t, []float64{0.9 + 0.1*1, 0.9 + 0.1*700}, elements(t, variances), 1e-4)

	y := elements(t, layer.Forward(nn.Infer(), x))
	require.InDelta(t, (1-0.2)/math.Sqrt(1+1e-5), y[0], 1e-5)
	require.InDelta(t, (60-3)/math.Sqrt(70.9+1e-5), y[5], 1e-4)
	require.InDeltaSlice(t, []float64{0.2, 3}, elements(t, means), 1e-6) // inference changes nothing

	layer.Forward(c, x)
	require.InDeltaSlice(t, []float64{0.38, 5.7}, elements(t, means), 1e-6)
	layer.Forward(c, nd.Ones[float32](1, 2)) // one element has no variance
	layer.Forward(c, nd.Zeros[float32](0, 2))
	require.InDeltaSlice(t, []float64{0.38, 5.7}, elements(t, means), 1e-6)
	layer.Forward(c, x.Cast(dtype.Float64))
	require.InDeltaSlice(t, []float64{0.542, 8.13}, elements(t, means), 1e-5)
}

func TestNormalisationsAddTheEpsilonThatIsSet(t *testing.T) {
	env, x := nd.DefaultEnv(), nd.FromSlice([]float32{1, 3, 2, 6}, 2, 2)
	layer, rms, group, batch := nn.NewLayerNorm(env, 2), nn.NewRMSNorm(env, 2), nn.NewGroupNorm(env, 1, 2), nn.NewBatchNorm(env, 2)
	layer.Epsilon, rms.Epsilon, group.Epsilon, batch.Epsilon = 3, 11, 3, 15
	require.InDeltaSlice(t, []float64{-0.5, 0.5, -2 / math.Sqrt(7), 2 / math.Sqrt(7)}, elements(t, layer.Forward(nn.Infer(), x)), 1e-6)
	require.InDeltaSlice(t, []float64{0.25, 0.75, 2 / math.Sqrt(31), 6 / math.Sqrt(31)}, elements(t, rms.Forward(nn.Infer(), x)), 1e-6)
	require.InDeltaSlice(t, []float64{-0.5, 0.5, -2 / math.Sqrt(7), 2 / math.Sqrt(7)}, elements(t, group.Forward(nn.Infer(), x)), 1e-6)
	require.InDeltaSlice(t, []float64{0.25, 0.75, 0.5, 1.5}, elements(t, batch.Forward(nn.Infer(), x)), 1e-6) // the running variances are 1
	trained := elements(t, batch.Forward(&nn.Ctx{Train: true}, x))
	require.InDeltaSlice(t, []float64{-0.5 / math.Sqrt(15.25), -1.5 / math.Sqrt(17.25), 0.5 / math.Sqrt(15.25), 1.5 / math.Sqrt(17.25)}, trained, 1e-6)
	layer.Epsilon = -1
	require.ErrorIs(t, nd.Try(func() { layer.Forward(nn.Infer(), x) }), fault.ErrParameter)
}

func TestBatchNormFollowsByTheMomentumThatIsSet(t *testing.T) {
	layer, x := nn.NewBatchNorm(nd.DefaultEnv(), 1), nd.FromSlice([]float32{1, 3}, 2, 1)
	means, variances := layer.Running()
	for _, c := range []struct{ momentum, mean, variance float64 }{{0.5, 1, 1.5}, {1, 2, 2}, {0, 2, 2}} {
		layer.Momentum = c.momentum
		layer.Forward(&nn.Ctx{Train: true}, x)
		require.Equal(t, []float64{c.mean}, elements(t, means))
		require.Equal(t, []float64{c.variance}, elements(t, variances))
	}
	layer.Momentum = 2
	require.ErrorIs(t, nd.Try(func() { layer.Forward(&nn.Ctx{Train: true}, x) }), fault.ErrParameter)
}

func TestGradientsReachXThroughTheMomentsOfABatch(t *testing.T) {
	x := nd.FromSlice([]float64{1, 2, 4, 3, 5, 9}, 3, 2)
	one, zero := nd.Ones[float64](2), nd.Zeros[float64](2)
	tape := autograd.NewTape()
	_, means, variances := tape.Watch(x).BatchNorm(one, zero, 0)
	g := elements(t, tape.Gradient(means.Mul(nd.FromSlice([]float64{3, 6})).Sum().Add(variances.Sum()), x)[0])
	for i, v := range []float64{1, 2, 4, 3, 5, 9} {
		mean := []float64{10.0 / 3, 14.0 / 3}[i%2]
		require.InDelta(t, float64(1+i%2)+2*(v-mean)/3, g[i], 1e-12)
	}
}

func TestPoolsOfImages(t *testing.T) {
	x := nd.Arange(0, 16, 1).Cast(dtype.Float32).Reshape(1, 1, 4, 4)
	require.Equal(t, []float64{5, 7, 13, 15}, elements(t, nn.NewMaxPool2D(2).Forward(nn.Infer(), x)))
	require.Equal(t, []float64{2.5, 4.5, 10.5, 12.5}, elements(t, nn.NewAveragePool2D(2).Forward(nn.Infer(), x)))
	require.Equal(t, []float64{5, 7, 13, 15}, elements(t, nn.NewMaxPool2D(3, nn.Stride(2), nn.Padding(1)).Forward(nn.Infer(), x)))
	require.Equal(t, []float64{2.5, 4, 8.5, 10}, elements(t, nn.NewAveragePool2D(3, nn.Stride(2), nn.Padding(1)).Forward(nn.Infer(), x)))
	pooled := nn.GlobalAveragePool2D.Forward(nn.Infer(), x)
	require.Equal(t, []int{1, 1}, pooled.Shape())
	require.Equal(t, []float64{7.5}, elements(t, pooled))
	require.Equal(t, []float64{15}, elements(t, x.GlobalMaxPool()))
	require.Equal(t, []int{1, 1, 1, 1}, x.GlobalAveragePool().Shape())
	require.Empty(t, nn.Params(nn.NewMaxPool2D(2)))
	_, positions := x.MaxPoolPositions(nd.PoolParams{Kernel: []int{2, 2}})
	require.Equal(t, []float64{5, 7, 13, 15}, elements(t, positions))
}

func TestPoolsAndNormalisationsRefuseWhatDoesNotFit(t *testing.T) {
	x := nd.Ones[float32](2, 3, 4, 4)
	for _, call := range []func(){
		func() { nn.NewMaxPool2D(5).Forward(nn.Infer(), x) },
		func() { nn.NewAveragePool2D(2).Forward(nn.Infer(), nd.Ones[float32](3, 4, 4)) },
		func() { nn.NewLayerNorm(nd.DefaultEnv(), 3).Forward(nn.Infer(), x) },
		func() { nn.NewBatchNorm(nd.DefaultEnv(), 4).Forward(nn.Infer(), x) },
		func() { nn.NewGroupNorm(nd.DefaultEnv(), 2, 4).Forward(nn.Infer(), x) },
		func() { nd.Ones[float32](2, 3).GlobalAveragePool() },
	} {
		err := nd.Try(call)
		require.ErrorIs(t, err, fault.ErrShape)
		require.Contains(t, err.Error(), "norm_test.go")
	}
}
