package train_test

import (
	"context"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/data"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/optim"
	"github.com/weft-nd/weft/train"
)

const (
	samples  = 44
	features = 6
	classes  = 3
	size     = 8 // of a batch
	steps    = 6 // of an epoch
)

// newSet returns points that lie around a place for each class.
func newSet(env *nd.Env) data.Dataset {
	values, labels := make([]float32, samples*features), make([]int64, samples)
	for i := range samples {
		labels[i] = int64(i % classes)
		for j := range features {
			values[i*features+j] = float32((i*7+j*13)%11)/11 + float32((i%classes)*(j%classes))
		}
	}
	return data.Arrays(nd.FromSliceIn(env, values, samples, features), nd.FromSliceIn(env, labels, samples))
}

// newTrainer returns a small training in which all that is random has a part, and so has all that has a state.
func newTrainer(change ...func(*train.Trainer)) *train.Trainer {
	env := nd.DefaultEnv().WithSeed(7)
	model := nn.NewSequential(nn.NewDense(env, features, 8), nn.NewBatchNorm(env, 8), nn.Relu, nn.NewDropout(0.2), nn.NewDense(env, 8, classes))
	set := newSet(nd.DefaultEnv()) // of another generator
	noise := func(b data.Batch, d *data.Draws) (data.Batch, error) {
		drawn := make([]float32, b.Count)
		for i, u := range d.Uniform() {
			drawn[i] = float32(u) / 10
		}
		b.Inputs = b.Inputs.Add(nd.FromSliceIn(env, drawn, b.Count, 1))
		return b, nil
	}
	t := &train.Trainer{
		Env: env, Model: model, Loss: nn.SoftmaxCrossEntropy,
		Optimiser:  optim.NewAdamW(model.Params(), 0.01, optim.Scheduled(optim.Cosine(0.01, 0.001, 50))),
		Loader:     data.NewLoader(set, size, data.Shuffle(env), data.Transformed(env, noise), data.Workers(2)),
		Validation: data.NewLoader(set, 10, data.Last(data.Pad)),
		Metrics:    []train.Metric{{Name: "accuracy", Of: nn.Accuracy}},
	}
	for _, c := range change {
		c(t)
	}
	return t
}

// ways calls body for trainings whose steps are called, and for those whose steps are captured: way makes a training one of these.
func ways(t *testing.T, body func(t *testing.T, way func(*train.Trainer))) {
	for name, captured := range map[string]bool{"called": false, "captured": true} {
		t.Run(name, func(t *testing.T) {
			body(t, func(tr *train.Trainer) { tr.Captured = captured })
		})
	}
}

// bits returns all arrays of a training.
func bits(t *testing.T, tr *train.Trainer) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for _, arrays := range []map[string]*nd.Array{nn.State(tr.Model), tr.Optimiser.State()} {
		for name, a := range arrays {
			content, err := a.MarshalBinary()
			require.NoError(t, err)
			all[name] = content
		}
	}
	generator, err := json.Marshal(tr.Env.Generator().State())
	require.NoError(t, err)
	all["generator"] = generator
	return all
}

func fit(t *testing.T, tr *train.Trainer, epochs int) *train.Trainer {
	t.Helper()
	require.NoError(t, tr.Fit(context.Background(), epochs))
	return tr
}

// at returns a change of a training that saves checkpoints to path.
func at(path string, every int) func(*train.Trainer) {
	return func(t *train.Trainer) { t.Checkpoint = train.Checkpoint{Path: path, Every: every, Recipe: "small"} }
}

// with returns a change that adds a callback.
func with(c train.Callback) func(*train.Trainer) {
	return func(t *train.Trainer) { t.Callbacks = append(t.Callbacks, c) }
}

// entries returns what a log tells, without rates, which are those of a clock.
func entries(t *testing.T, path string) []train.Entry {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	all, err := train.ReadLog(file)
	require.NoError(t, err)
	for _, e := range all {
		require.Positive(t, e.Values["samples_per_second"])
		delete(e.Values, "samples_per_second")
	}
	return all
}
