package optim_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	_ "github.com/weft-nd/weft/kernels/sim"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/optim"
	"github.com/weft-nd/weft/random"
)

// TestACapturedStepOfTrainingTrains compares steps that are called with replays, in every bit, dropout's too.
func TestACapturedStepOfTrainingTrains(t *testing.T) {
	for _, place := range []device.Device{device.CPU(0), device.Sim(0)} {
		train := func(captured bool) (weights [][]float32) {
			env := nd.DefaultEnv().WithDevice(place).WithSeed(5)
			model := nn.NewSequential(nn.NewDense(env, 4, 6), nn.Relu, nn.NewDropout(0.3), nn.NewDense(env, 6, 2))
			optimiser := optim.NewSGD(model.Params(), 0.1, optim.Momentum(0.9))
			x, labels := random.Normal(env, dtype.Float32, 0, 1, 8, 4), nd.FromSliceIn(env, []int64{0, 1, 1, 0, 1, 0, 0, 1})
			step := func(env *nd.Env) {
				tape := autograd.NewTape()
				loss := nn.SoftmaxCrossEntropy(model.Forward(nn.Train(tape, env.Generator()), x.In(env)), labels)
				require.NoError(t, optimiser.Minimise(t.Context(), tape, loss))
			}
			if captured {
				c := env.Capture(step)
				for range 4 {
					c.Replay()
				}
			} else {
				for range 5 {
					step(env)
				}
			}
			for _, p := range model.Params() {
				values, err := nd.Values[float32](p)
				require.NoError(t, err)
				weights = append(weights, values)
			}
			return weights
		}
		require.Equal(t, train(false), train(true), place)
	}
}
