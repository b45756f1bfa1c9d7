//go:build linux && amd64

package train_test

import (
	"context"
	"flag"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/data"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cuda/cudatest"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/ops"
	"github.com/weft-nd/weft/optim"
	"github.com/weft-nd/weft/random"
	"github.com/weft-nd/weft/train"

	_ "github.com/weft-nd/weft/kernels/cuda"
)

// onReal makes the tests of GPUs run on those of the machine, in place of the fake driver.
var onReal = flag.Bool("gpu", false, "run the tests of GPUs on the GPUs of the machine")

// networks read images of digits, as rows of pixels.
var networks = map[string]func(env *nd.Env) *nn.Sequential{
	"mlp": func(env *nd.Env) *nn.Sequential {
		return nn.NewSequential(nn.NewDense(env, 784, 32), nn.Relu, nn.NewDense(env, 32, 10))
	},
	"lenet": func(env *nd.Env) *nn.Sequential {
		image := nn.Func(func(x *nd.Array) *nd.Array { return x.Reshape(-1, 1, 28, 28) })
		return nn.NewSequential(image,
			nn.NewConv2D(env, 1, 6, 5), nn.Relu, nn.NewMaxPool2D(2),
			nn.NewConv2D(env, 6, 12, 5), nn.Relu, nn.NewMaxPool2D(2),
			nn.Flatten, nn.NewDense(env, 12*4*4, 30), nn.Relu, nn.NewDense(env, 30, 10),
		)
	},
	"normalised": func(env *nd.Env) *nn.Sequential {
		image := nn.Func(func(x *nd.Array) *nd.Array { return x.Reshape(-1, 1, 28, 28) })
		return nn.NewSequential(image,
			nn.NewConv2D(env, 1, 4, 5, nn.Stride(2)), nn.NewBatchNorm(env, 4), nn.Relu, nn.NewAveragePool2D(2),
			nn.Flatten, nn.NewLayerNorm(env, 4*6*6), nn.NewDense(env, 4*6*6, 10),
		)
	},
}

var optimisers = map[string]func(params []*nd.Array) *optim.Optimiser{
	"SGD":  func(params []*nd.Array) *optim.Optimiser { return optim.NewSGD(params, 0.02, optim.Momentum(0.9)) },
	"Adam": func(params []*nd.Array) *optim.Optimiser { return optim.NewAdam(params, 0.01) },
}

// digits trains a network for epochs of three steps, and returns its losses.
func digits(t *testing.T, env *nd.Env, network, optimiser string, epochs int, captured bool) (losses []float64) {
	env = env.WithSeed(7)
	const images = 24
	x, labels := random.Uniform(env, dtype.Float32, 0, 1, images, 784), nd.FromSliceIn(env, make([]int64, images), images)
	model := networks[network](env)
	trainer := &train.Trainer{
		Env: env, Model: model, Loss: nn.SoftmaxCrossEntropy, Loader: data.NewLoader(data.Arrays(x, labels), 8, data.Shuffle(env)),
		Optimiser: optimisers[optimiser](model.Params()), Captured: captured,
		Callbacks: []train.Callback{train.Func(func(_ context.Context, e *train.Event) error {
			if e.Kind == train.Stepped {
				losses = append(losses, e.Loss)
			}
			return nil
		})},
	}
	require.NoError(t, trainer.Fit(context.Background(), epochs))
	require.Len(t, losses, 3*epochs)
	return losses
}

func TestTrainingOnAGPUNeedsNoKernelOfTheCPU(t *testing.T) {
	replays := func() int { return 1 }
	if !*onReal {
		fake := cudatest.Install(t)
		replays = func() int { return fake.Get("replays") }
	}
	cpu := nd.DefaultEnv()
	gpu := cpu.WithDevice(device.GPU(0))
	for network := range networks {
		for optimiser := range optimisers {
			t.Run(network+" "+optimiser, func(t *testing.T) {
				want, before := digits(t, cpu, network, optimiser, 2, false), ops.Fallbacks()
				called := digits(t, gpu, network, optimiser, 1, false)
				captured := digits(t, gpu, network, optimiser, 2, true)
				require.InDeltaSlice(t, want, captured, 1e-4)
				require.Equal(t, called, captured[:3])
				require.Positive(t, replays())
				after := ops.Fallbacks()
				maps.DeleteFunc(after, func(operator string, count uint64) bool { return before[operator] == count })
				require.Empty(t, after)
			})
		}
	}
}
