package main

import (
	"context"
	"fmt"
	"os"

	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/data"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/optim"
)

// trainer fits a network to a data set.
type trainer struct {
	options *options
	env     *nd.Env
	model   *nn.Sequential
	descent *optim.Optimiser
	train   *data.Loader
	test    *data.Loader
	images  int
	losses  []float64 // of every step
}

const pixels, classes = 28 * 28, 10

func newTrainer(o *options, train, test *data.Digits) (*trainer, error) {
	for _, d := range []*data.Digits{train, test} {
		if d.Images.Rows*d.Images.Columns != pixels {
			return nil, fmt.Errorf("images have %d×%d pixels, want 28×28", d.Images.Rows, d.Images.Columns)
		}
	}
	env := nd.DefaultEnv().WithDevice(o.device).WithSeed(o.seed)
	model := nn.NewSequential(
		nn.NewDense(env, pixels, 128), nn.Relu,
		nn.NewDense(env, 128, 64), nn.Relu,
		nn.NewDense(env, 64, classes),
	)
	return &trainer{
		options: o, env: env, model: model, images: train.Images.Count,
		descent: optim.NewSGD(model.Params(), o.rate, optim.Momentum(o.momentum)),
		train:   data.NewLoader(train.Dataset(env), o.batch, data.Shuffle(env)),
		test:    data.NewLoader(test.Dataset(env), 500),
	}, nil
}

// epoch goes through the training data once.
func (t *trainer) epoch(ctx context.Context, epoch int, status *os.File) error {
	progress := NewProgress(status, epoch, t.options.epochs, t.images)
	defer progress.Finish()
	for batch, err := range t.train.Batches(ctx) {
		if err != nil {
			return err
		}
		loss, err := t.step(ctx, batch)
		if err != nil {
			return err
		}
		t.losses = append(t.losses, loss)
		progress.Add(batch.Count, loss)
	}
	t.descent.SetLearningRate(t.descent.LearningRate() * t.options.decay)
	return nil
}

// step fits the network to one batch, and returns the mean loss before.
func (t *trainer) step(ctx context.Context, batch data.Batch) (float64, error) {
	tape := autograd.NewTape()
	defer tape.Close()
	c := nn.Train(tape, t.env.Generator())
	loss := nn.SoftmaxCrossEntropy(t.model.Forward(c, batch.Inputs), batch.Labels)
	gradients := tape.Gradient(loss, t.model.Params()...)
	if err := t.descent.Step(ctx, gradients); err != nil {
		return 0, err
	}
	value, err := nd.Item[float32](loss)
	return float64(value), err
}

// confusion counts, for each digit of the test data, what it was taken for.
func (t *trainer) confusion(ctx context.Context) (counts [10][10]int, err error) {
	for batch, err := range t.test.Batches(ctx) {
		if err != nil {
			return counts, err
		}
		predicted, err := nd.ValuesContext[int64](ctx, t.model.Forward(nn.Infer(), batch.Inputs).ArgMax(1))
		if err != nil {
			return counts, err
		}
		digits, err := nd.ValuesContext[int64](ctx, batch.Labels)
		if err != nil {
			return counts, err
		}
		for i, digit := range digits {
			counts[digit][predicted[i]]++
		}
	}
	return counts, nil
}
