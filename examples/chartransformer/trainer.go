package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"

	"github.com/weft-nd/weft/autograd"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/optim"
)

// trainer fits a network to a text.
type trainer struct {
	options   *options
	env       *nd.Env
	corpus    *corpus
	model     *transformer
	optimiser *optim.Optimiser
}

// steepest is the norm that gradients are clipped to.
const steepest = 1

func newTrainer(o *options, c *corpus) *trainer {
	env := nd.DefaultEnv().WithSeed(o.seed)
	t := &trainer{options: o, env: env, corpus: c, model: newTransformer(env, o, len(c.alphabet))}
	warm := o.steps / 10
	schedule := optim.WarmUp(warm, optim.Cosine(o.rate, o.rate/10, max(1, o.steps-warm)))
	t.optimiser = optim.NewAdamW(nn.Params(t.model), o.rate, optim.Scheduled(schedule))
	return t
}

// size returns the number of parameters.
func (t *trainer) size() (count int) {
	for _, p := range nn.Params(t.model) {
		count += p.Count()
	}
	return count
}

// train makes the steps, and tells status the mean loss of every so many of them.
func (t *trainer) train(ctx context.Context, status io.Writer) error {
	o, random := t.options, rand.New(rand.NewPCG(t.options.seed, 0))
	sum, count := 0.0, 0
	for step := 1; step <= o.steps; step++ {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		loss, err := t.step(t.corpus.draw(random, o.batch, o.context))
		if err != nil {
			return err
		}
		if math.IsNaN(loss) || math.IsInf(loss, 0) {
			return fmt.Errorf("the loss is %v at step %d: a lower -lr may help", loss, step)
		}
		sum, count = sum+loss, count+1
		if step%o.every == 0 || step == o.steps {
			fmt.Fprintf(status, "step %d of %d: loss %.4f\n", step, o.steps, sum/float64(count))
			sum, count = 0, 0
		}
	}
	return nil
}

// step fits the network to pieces of text, and returns the mean loss before.
func (t *trainer) step(pieces, following []int64) (float64, error) {
	tape := autograd.NewTape()
	defer tape.Close()
	x := nd.FromSliceIn(t.env, pieces, t.options.batch, t.options.context)
	scores := t.model.Forward(nn.Train(tape, t.env.Generator()), x)
	loss := nn.SoftmaxCrossEntropy(scores.Reshape(-1, len(t.corpus.alphabet)), nd.FromSliceIn(t.env, following))
	gradients := tape.Gradient(loss, nn.Params(t.model)...)
	optim.ClipNorm(gradients, steepest)
	if err := t.optimiser.Step(context.Background(), gradients); err != nil {
		return 0, err
	}
	value, err := nd.Item[float32](loss)
	return float64(value), err
}

// save writes the parameters to a file in NumPy's npz format, by their names.
func (t *trainer) save(path string) error { return nd.SaveNPZ(path, maps.Collect(t.model.Named())) }

// load replaces the parameters by those that save wrote.
func (t *trainer) load(path string) error {
	arrays, err := nd.LoadNPZ(path)
	if err != nil {
		return fmt.Errorf("-load: %w", err)
	}
	if err := nn.SetState(t.model, arrays); err != nil {
		return fmt.Errorf("-load %s: %w", path, err)
	}
	return nil
}
