package train_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/data"
	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/optim"
	"github.com/weft-nd/weft/random"
	"github.com/weft-nd/weft/train"
)

// recurrentModel is a change of a training to one whose features are three times of two.
func recurrentModel(t *train.Trainer) {
	t.Model = nn.NewSequential(
		nn.Func(func(x *nd.Array) *nd.Array { return x.Reshape(-1, 3, 2) }),
		nn.NewLSTM(t.Env, 2, 4, nn.Stacked(2), nn.DropBetween(0.2), nn.Bidirectional()), nn.NewGRU(t.Env, 8, 4), nn.NewRNN(t.Env, 4, 5),
		nn.Func(func(x *nd.Array) *nd.Array { return x.Index(nd.Whole, -1) }), nn.NewDense(t.Env, 5, classes),
	)
	t.Optimiser = optim.NewAdamW(nn.Params(t.Model), 0.01)
	t.Loader = data.NewLoader(newSet(nd.DefaultEnv()), size, data.Shuffle(t.Env))
}

func TestResumedRecurrentTrainingHasTheBitsOfAnUninterruptedOne(t *testing.T) {
	ways(t, func(t *testing.T, way func(*train.Trainer)) {
		path := filepath.Join(t.TempDir(), "checkpoint.npz")
		want := bits(t, fit(t, newTrainer(recurrentModel), 3))
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		first := newTrainer(way, recurrentModel, at(path, 0), with(train.Func(func(_ context.Context, e *train.Event) error {
			if e.Kind == train.Stepped && e.Step == steps+1 {
				cancel()
			}
			return nil
		})))
		require.ErrorIs(t, first.Fit(ctx, 3), context.Canceled)
		second := newTrainer(way, recurrentModel, at(path, 0))
		_, err := second.Resume()
		require.NoError(t, err)
		require.Equal(t, want, bits(t, fit(t, second, 3)))
	})
}

// TestAnLSTMLearnsToAdd trains on the adding problem (Hochreiter and Schmidhuber, 1997): the sum of the two numbers of a sequence that are
// marked. Always to say 1 has a loss of 1/6.
func TestAnLSTMLearnsToAdd(t *testing.T) {
	env := nd.DefaultEnv().WithSeed(1)
	const samples, times = 32, 12
	l, head := nn.NewLSTM(env, 2, 24), nn.NewDense(env, 24, 1)
	parameters := append(nn.Params(l), nn.Params(head)...)
	opt := optim.NewAdam(parameters, 0.01)
	last := 1.0
	for step := 0; step < 600 && last > 0.01; step++ {
		numbers := random.Uniform(env, dtype.Float32, 0, 1, samples, times)
		first := random.Integers[int64](env, 0, times/2-1, samples).OneHot(times, dtype.Float32)
		second := random.Integers[int64](env, times/2, times-1, samples).OneHot(times, dtype.Float32)
		marks := first.Add(second)
		x, want := nd.Stack(2, numbers, marks), numbers.Mul(marks).SumKeepDims(1)
		tape := autograd.NewTape()
		c := nn.Train(tape, env.Generator())
		_, h, _ := l.Run(c, x, nil, nil, nil)
		loss := nn.SquaredError(head.Forward(c, h.Index(0)), want)
		require.NoError(t, opt.Step(context.Background(), tape.Gradient(loss, parameters...)))
		if step%20 == 19 {
			value, err := nd.Item[float32](loss)
			require.NoError(t, err)
			last = float64(value)
		}
	}
	require.Less(t, last, 0.01)
}
