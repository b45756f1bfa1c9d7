package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/weft-nd/weft/data"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/optim"
	"github.com/weft-nd/weft/train"
)

// trainer fits a network to a data set.
type trainer struct {
	*train.Trainer
	test   *data.Loader
	losses *losses
}

const pixels, classes = side * side, 10

// recipe is what must be the same for the rest of a training to be that of an uninterrupted one.
type recipe struct {
	Model                 string
	Images, Batch, Shift  int
	Rate, Decay, Momentum float64
	Seed                  uint64
}

func newTrainer(o *options, learned, test *data.Digits, status *os.File) (*trainer, error) {
	for _, d := range []*data.Digits{learned, test} {
		if d.Images.Rows != side || d.Images.Columns != side {
			return nil, fmt.Errorf("images have %d×%d pixels, want 28×28", d.Images.Rows, d.Images.Columns)
		}
	}
	env := nd.DefaultEnv().WithDevice(o.device).WithSeed(o.seed)
	model := models[o.model].build(env)
	loader := data.NewLoader(learned.Dataset(env), o.batch, data.Shuffle(env), shifted(env, o.shift))
	schedule := optim.StepDecay(o.rate, o.decay, max(loader.Len(), 1))
	t := &trainer{test: data.NewLoader(test.Dataset(env), 500), losses: &losses{}}
	t.Trainer = &train.Trainer{
		Env: env, Model: model, Loss: nn.SoftmaxCrossEntropy, Loader: loader,
		Optimiser: optim.NewSGD(model.Params(), o.rate, optim.Momentum(o.momentum), optim.Scheduled(schedule)),
		Captured:  o.profile == "", // else operators are to be seen
		Callbacks: []train.Callback{t.losses, &progressOfEpochs{status: status, images: learned.Images.Count, batch: o.batch}},
	}
	if o.checkpoint != "" {
		r := recipe{o.model, learned.Images.Count, o.batch, o.shift, o.rate, o.decay, o.momentum, o.seed}
		t.Checkpoint = train.Checkpoint{Path: o.checkpoint, Every: o.every, Recipe: fmt.Sprintf("%+v", r)}
	}
	if o.log != "" {
		t.Validation, t.Metrics = t.test, []train.Metric{{Name: "accuracy", Of: nn.Accuracy}}
		t.Callbacks = append(t.Callbacks, train.NewLog(o.log))
	}
	return t, nil
}

// shifted moves images, rows of pixels, by up to most pixels, so that a network learns digits wherever they stand.
func shifted(env *nd.Env, most int) data.LoaderOption {
	if most == 0 {
		return data.Transformed(env)
	}
	square := data.Inputs(func(x *nd.Array) *nd.Array { return x.Reshape(-1, side, side) })
	row := data.Inputs(func(x *nd.Array) *nd.Array { return x.Reshape(-1, pixels) })
	return data.Transformed(env, square, data.RandomShift(most), row)
}

// losses keeps the loss of every step for the charts.
type losses struct{ all []float64 }

// Handle implements train.Callback.
func (l *losses) Handle(_ context.Context, e *train.Event) error {
	if e.Kind == train.Stepped {
		l.all = append(l.all, e.Loss)
	}
	return nil
}

// Name implements train.Stateful.
func (*losses) Name() string { return "losses" }

// MarshalJSON implements train.Stateful.
func (l *losses) MarshalJSON() ([]byte, error) { return json.Marshal(l.all) }

// UnmarshalJSON implements train.Stateful.
func (l *losses) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &l.all) }

// progressOfEpochs shows how each epoch goes.
type progressOfEpochs struct {
	status        *os.File
	images, batch int
	epoch         *Progress // nil between epochs
}

// Handle implements train.Callback.
func (p *progressOfEpochs) Handle(_ context.Context, e *train.Event) error {
	switch e.Kind {
	case train.Began:
		p.begin(e, e.Epoch)
	case train.Stepped:
		p.epoch.Add(e.Samples, e.Loss)
	case train.EpochEnded:
		p.end()
		p.begin(e, e.Epoch+1)
	case train.Ended:
		p.end()
	}
	return nil
}

func (p *progressOfEpochs) begin(e *train.Event, epoch int) {
	if epoch <= e.Epochs {
		p.epoch = NewProgress(p.status, epoch, e.Epochs, p.images)
		p.epoch.Skip(min(e.Trainer.Loader.State().Given*p.batch, p.images))
	}
}

func (p *progressOfEpochs) end() {
	if p.epoch != nil {
		p.epoch.Finish()
		p.epoch = nil
	}
}
