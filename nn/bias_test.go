package nn_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
)

func TestUnbiasedLayersComputeWhatThoseWithBiasesOfZeroDo(t *testing.T) {
	env := nd.DefaultEnv()
	image := nd.Linspace[float32](-1, 1, 2*2*5*5).Sin().Reshape(2, 2, 5, 5)
	samples := nd.Linspace[float32](-3, 2, 12).Reshape(3, 4)
	sequences := samples.Reshape(1, 3, 4)
	dense := func(unbiased bool) *nn.Dense {
		if unbiased {
			return nn.NewDense(env, 4, 4, nn.Unbiased())
		}
		return nn.NewDense(env, 4, 4)
	}
	convolution := func(make func(*nd.Env, int, int, int, ...nn.WindowOption) *nn.Conv, unbiased bool) *nn.Conv {
		if unbiased {
			return make(env, 2, 3, 2, nn.Stride(1), nn.Unbiased())
		}
		return make(env, 2, 3, 2, nn.Stride(1))
	}
	attention := func(unbiased bool) *nn.MultiHeadAttention {
		if unbiased {
			return nn.NewMultiHeadAttention(env, 4, 2, nn.Unbiased(), nn.Causal())
		}
		return nn.NewMultiHeadAttention(env, 4, 2, nn.Causal())
	}
	for name, c := range map[string]struct {
		make func(unbiased bool) nn.Layer
		x    *nd.Array
	}{
		"dense":       {func(u bool) nn.Layer { return dense(u) }, samples},
		"dense relu":  {func(u bool) nn.Layer { return nn.NewSequential(dense(u), nn.Relu) }, samples},
		"dense gelu":  {func(u bool) nn.Layer { return nn.NewSequential(dense(u), nn.Gelu) }, samples},
		"residual":    {func(u bool) nn.Layer { return nn.NewResidual(dense(u)) }, samples},
		"convolution": {func(u bool) nn.Layer { return convolution(nn.NewConv2D, u) }, image},
		"transposed":  {func(u bool) nn.Layer { return convolution(nn.NewConvTranspose2D, u) }, image},
		"maxima":      {func(u bool) nn.Layer { return nn.NewSequential(convolution(nn.NewConv2D, u), nn.NewMaxPool2D(2)) }, image},
		"rectified": {func(u bool) nn.Layer {
			return nn.NewSequential(convolution(nn.NewConv2D, u), nn.Relu, nn.NewMaxPool2D(2))
		}, image},
		"attention":       {func(u bool) nn.Layer { return attention(u) }, sequences},
		"added attention": {func(u bool) nn.Layer { return nn.NewResidual(attention(u)) }, sequences},
		"other sequences": {func(u bool) nn.Layer { return attending{attention(u)} }, sequences},
	} {
		t.Run(name, func(t *testing.T) {
			biased, unbiased := c.make(false), c.make(true)
			nn.Initialise(biased, env, nn.HeNormal)
			state := nn.State(biased)
			maps.DeleteFunc(state, func(name string, _ *nd.Array) bool { return strings.HasSuffix(name, "bias") })
			require.NoError(t, nn.SetState(unbiased, state))
			require.Equal(t, elements(t, biased.Forward(nn.Infer(), c.x)), elements(t, unbiased.Forward(nn.Infer(), c.x)))

			var gradients [2][]*nd.Array
			for i, l := range []nn.Layer{biased, unbiased} {
				tape := autograd.NewTape()
				loss := l.Forward(nn.Train(tape, env.Generator()), c.x).Square().Sum()
				gradients[i] = tape.Gradient(loss, slices.Collect(weightsOf(l))...)
				require.Len(t, gradients[i], len(state))
			}
			for i := range gradients[0] {
				require.InDeltaSlice(t, elements(t, gradients[0][i]), elements(t, gradients[1][i]), 1e-4)
			}
			nn.Initialise(unbiased, env, nn.XavierNormal)
		})
	}
}

// attending lets sequences look at themselves turned round.
type attending struct{ *nn.MultiHeadAttention }

func (a attending) Forward(c *nn.Ctx, x *nd.Array) *nd.Array { return a.Attend(c, x, x.Flip(1), nil) }

// weightsOf yields the parameters but for biases.
func weightsOf(l nn.Layer) func(yield func(*nd.Array) bool) {
	return func(yield func(*nd.Array) bool) {
		for name, p := range l.Named() {
			if !strings.HasSuffix(name, "bias") && !yield(p) {
				return
			}
		}
	}
}

func TestUnbiasedLayersTakeStatesOfPyTorch(t *testing.T) {
	env := nd.DefaultEnv()
	model := nn.NewSequential(nn.NewConv2D(env, nn.Unknown, 2, 3, nn.Unbiased()), nn.Flatten, nn.NewDense(env, nn.Unknown, 1, nn.Unbiased()))
	nn.Build(model, nd.Zeros[float32](0, 3, 3, 3))
	theirs := map[string]*nd.Array{"0.weight": nd.Ones[float32](2, 3, 3, 3), "2.weight": nd.FromSlice([]float32{1, 10}, 1, 2)}
	require.NoError(t, nn.SetState(model, nn.FromPyTorch(model, theirs)))
	require.Equal(t, []float64{27 * 11}, elements(t, model.Forward(nn.Infer(), nd.Ones[float32](1, 3, 3, 3))))
}

func TestPoolsHaveNoBiasToLeaveOut(t *testing.T) {
	err := nd.Try(func() { nn.NewMaxPool2D(2, nn.Unbiased()) })
	require.ErrorIs(t, err, fault.ErrParameter)
	require.ErrorContains(t, err, "NewMaxPool2D: the layer has no bias to leave out")
}
