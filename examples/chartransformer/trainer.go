package main

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"maps"

	"github.com/weft-nd/weft/data"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/optim"
	"github.com/weft-nd/weft/train"
)

// trainer fits a network to a text: its only epoch has all steps.
type trainer struct {
	*train.Trainer
	options *options
}

// steepest is the norm that gradients are clipped to.
const steepest = 1

// recipe is what must be the same for the rest of a training to be that of an uninterrupted one.
type recipe struct {
	Text                   uint32 // a checksum
	Heads, Context         int    // other sizes of the network are those of its arrays
	Dropout                float64
	Steps, Batch, LossesOf int
	Rate                   float64
	Seed                   uint64
}

func newTrainer(o *options, c *corpus, status io.Writer) *trainer {
	env := nd.DefaultEnv().WithDevice(o.device).WithSeed(o.seed)
	model := newTransformer(env, o, len(c.alphabet))
	warm := o.steps / 10
	schedule := optim.WarmUp(warm, optim.Cosine(o.rate, o.rate/10, max(1, o.steps-warm)))
	set := pieces{env, c.letters, o.context}
	t := &trainer{options: o}
	t.Trainer = &train.Trainer{
		Env: env, Model: model, Loss: nn.SoftmaxCrossEntropy, Loader: data.NewLoader(set, o.batch, data.Sampled(env, draws{o.steps * o.batch, set.Len()})),
		Optimiser: optim.NewAdamW(nn.Params(model), o.rate, optim.Scheduled(schedule)),
		Captured:  true,
		Gradients: func(gradients []*nd.Array) { optim.ClipNorm(gradients, steepest) },
		Callbacks: []train.Callback{&losses{status: status, steps: o.steps, every: o.every}},
	}
	if o.checkpoint != "" {
		r := recipe{crc32.ChecksumIEEE([]byte(c.text)), o.heads, o.context, o.dropout, o.steps, o.batch, o.every, o.rate, o.seed}
		t.Checkpoint = train.Checkpoint{Path: o.checkpoint, Every: o.every, Recipe: fmt.Sprintf("%+v", r)}
	}
	return t
}

// size returns the number of parameters.
func (t *trainer) size() (count int) {
	for _, p := range t.Optimiser.Params() {
		count += p.Count()
	}
	return count
}

// learn makes the steps that are left.
func (t *trainer) learn(ctx context.Context) error {
	if t.options.steps == 0 {
		return nil
	}
	return t.Fit(ctx, 1)
}

// losses tells the mean loss of every so many steps.
type losses struct {
	status       io.Writer
	steps, every int
	sums
}

// Handle implements train.Callback.
func (l *losses) Handle(_ context.Context, e *train.Event) error {
	if e.Kind != train.Stepped {
		return nil
	}
	l.Sum, l.Count = l.Sum+e.Loss, l.Count+1
	if e.Step%l.every == 0 || e.Step == l.steps {
		fmt.Fprintf(l.status, "step %d of %d: loss %.4f\n", e.Step, l.steps, l.Sum/float64(l.Count))
		l.Sum, l.Count = 0, 0
	}
	return nil
}

// Name implements train.Stateful.
func (*losses) Name() string { return "losses" }

// sums is what a checkpoint keeps of losses.
type sums struct {
	Sum   float64 // of the losses of the steps since it was told last
	Count int
}

// MarshalJSON implements train.Stateful.
func (l *losses) MarshalJSON() ([]byte, error) { return json.Marshal(l.sums) }

// UnmarshalJSON implements train.Stateful.
func (l *losses) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &l.sums) }

// save writes the parameters to a file in NumPy's npz format, by their names.
func (t *trainer) save(path string) error { return nd.SaveNPZ(path, maps.Collect(t.Model.Named())) }

// load replaces the parameters by those that save wrote.
func (t *trainer) load(path string) error {
	arrays, err := nd.LoadNPZIn(t.Env, path)
	if err != nil {
		return fmt.Errorf("-load: %w", err)
	}
	if err := nn.SetState(t.Model, arrays); err != nil {
		return fmt.Errorf("-load %s: %w", path, err)
	}
	return nil
}
