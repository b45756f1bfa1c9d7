package nn_test

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/device"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/storage"
)

// inUse returns the memory that arrays have when all that was called is done. The collector does not run meanwhile.
func inUse(t *testing.T) int64 {
	require.NoError(t, nd.DefaultEnv().Engine().WaitAll(t.Context()))
	return storage.Usage()[device.CPU(0).String()].InUse
}

func TestWhatIsBetweenLayersGoesBackWithoutTheCollector(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	env := nd.DefaultEnv().WithSeed(1)
	model := nn.NewSequential(
		nn.NewConv2D(env, 1, 8, 3), nn.Relu, nn.NewMaxPool2D(2), nn.NewSequential(nn.NewBatchNorm(env, 8), nn.NewDropout(0.5)),
		nn.NewConv2D(env, 8, 8, 3), nn.Gelu,
	)
	x := nd.Ones[float32](16, 1, 28, 28)
	y := model.Forward(nn.Infer(), x)
	size := int64(y.Count() * 4)
	before := inUse(t)
	again := model.Forward(nn.Infer(), x)
	require.LessOrEqual(t, inUse(t)-before, size+size/4, "the result alone is new")
	require.Equal(t, text(t, y), text(t, again))

	tape := autograd.NewTape()
	before = inUse(t)
	output := model.Forward(nn.Train(tape, env.Generator()), x)
	saved := inUse(t) - before
	require.Greater(t, saved, 3*size, "what the tape has saved")
	gradients := tape.Gradient(output.Sum(), model.Params()...)
	require.LessOrEqual(t, inUse(t)-before, size+size/4)
	runtime.KeepAlive(gradients)
	runtime.KeepAlive(output)
}

func TestWhatIsWithinResidualsGoesBackWithoutTheCollector(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	env := nd.DefaultEnv().WithSeed(1)
	model := nn.NewSequential(
		nn.NewResidual(nn.NewLayerNorm(env, 64), nn.NewMultiHeadAttention(env, 64, 2, nn.Causal())),
		nn.NewResidual(nn.NewDense(env, 64, 256), nn.Gelu, nn.NewDense(env, 256, 64)), nn.NewResidual(nn.NewDense(env, 64, 64), nn.Relu),
	)
	x := nd.Ones[float32](16, 128, 64)
	size := int64(x.Count() * 4)
	for _, train := range []bool{false, true} {
		before, c, tape := inUse(t), nn.Infer(), autograd.NewTape()
		if train {
			c = nn.Train(tape, env.Generator())
		}
		y := model.Forward(c, x)
		var gradients []*nd.Array
		if train {
			require.Greater(t, inUse(t)-before, 10*size, "what the tape has saved")
			gradients = tape.Gradient(y.Sum(), nn.Params(model)...)
		}
		require.LessOrEqual(t, inUse(t)-before, 2*size, "the result alone is new, and gradients of parameters")
		runtime.KeepAlive(y)
		runtime.KeepAlive(gradients)
	}
}

// Layers of users may keep what they see, those that embed a layer of this package as well.
func TestLayersOfUsersMayKeepWhatTheySee(t *testing.T) {
	env := nd.DefaultEnv().WithSeed(1)
	var seen []*nd.Array
	keep := nn.Func(func(x *nd.Array) *nd.Array {
		y := x.MulScalar(2)
		seen = append(seen, x, y)
		return y
	})
	first, middle, last := nn.NewDense(env, 4, 5000), nn.NewDense(env, 5000, 4000), nn.NewDense(env, 4000, 4)
	kept := &keepingLayer{Dense: middle}
	x := nd.Ones[float32](4, 4)
	for _, c := range []*nn.Ctx{nn.Infer(), nn.Train(autograd.NewTape(), env.Generator())} {
		seen, kept.seen = nil, nil
		y := nn.NewSequential(first, nn.NewDropout(0), keep, nn.NewDropout(0), kept, nn.NewSequential(nn.NewDropout(0), last)).Forward(c, x)
		if c.Tape != nil {
			c.Tape.Gradient(y.Sum(), nn.Params(first)...)
		}
		require.Len(t, append(seen, kept.seen...), 4)
		for _, a := range append(seen, kept.seen...) {
			_, err := nd.Values[float32](a)
			require.NoError(t, err)
		}
	}
}

// keepingLayer is a layer of a user.
type keepingLayer struct {
	*nn.Dense
	seen []*nd.Array
}

func (l *keepingLayer) Forward(c *nn.Ctx, x *nd.Array) *nd.Array {
	y := l.Dense.Forward(c, x)
	l.seen = append(l.seen, x, y)
	return y
}

func text(t *testing.T, a *nd.Array) string {
	s, err := a.Text(nd.PrintOptions{})
	require.NoError(t, err)
	return s
}
