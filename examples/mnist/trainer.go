package main

import (
	"context"
	"fmt"
	"math"
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
	recipe  recipe
	env     *nd.Env
	model   *nn.Sequential
	shifter *shifter
	descent *optim.Optimiser
	train   *data.Loader
	test    *data.Loader
	losses  []float64 // of every step
	log     *log
}

const pixels, classes = side * side, 10

func newTrainer(o *options, train, test *data.Digits) (*trainer, error) {
	for _, d := range []*data.Digits{train, test} {
		if d.Images.Rows != side || d.Images.Columns != side {
			return nil, fmt.Errorf("images have %d×%d pixels, want 28×28", d.Images.Rows, d.Images.Columns)
		}
	}
	env := nd.DefaultEnv().WithDevice(o.device).WithSeed(o.seed)
	t := &trainer{
		options: o, env: env, model: models[o.model].build(env), shifter: newShifter(env, o.shift),
		recipe: recipe{o.model, train.Images.Count, o.batch, o.shift, o.rate, o.decay, o.momentum, o.seed},
		train:  data.NewLoader(train.Dataset(env), o.batch, data.Shuffle(env)),
		test:   data.NewLoader(test.Dataset(env), 500),
	}
	schedule := optim.StepDecay(o.rate, o.decay, max(t.train.Len(), 1))
	t.descent = optim.NewSGD(t.model.Params(), o.rate, optim.Momentum(o.momentum), optim.Scheduled(schedule))
	return t, nil
}

// epoch goes through the training data once, or through what is left of it. When ctx ends it finishes the step, writes the
// checkpoint, and returns the cause.
func (t *trainer) epoch(ctx context.Context, epoch int, status *os.File) error {
	images := t.recipe.Images
	progress := NewProgress(status, epoch, t.options.epochs, images)
	defer progress.Finish()
	progress.Skip(min(t.train.State().Given*t.options.batch, images))
	trained := 0
	for batch, err := range t.train.Batches(context.WithoutCancel(ctx)) {
		if err != nil {
			return err
		}
		loss, err := t.step(epoch, batch)
		if err != nil {
			return err
		}
		trained += batch.Count
		progress.Add(batch.Count, loss)
		if err := t.rest(ctx, epoch); err != nil {
			return err
		}
	}
	return t.endEpoch(epoch, trained)
}

// step fits the network to one batch, and returns the mean loss before.
func (t *trainer) step(epoch int, batch data.Batch) (float64, error) {
	tape := autograd.NewTape()
	defer tape.Close()
	c := nn.Train(tape, t.env.Generator())
	scores := t.model.Forward(c, t.shifter.shift(batch.Inputs, batch.Count))
	mean := nn.SoftmaxCrossEntropy(scores, batch.Labels)
	gradients := tape.Gradient(mean, t.model.Params()...)
	if err := t.descent.Step(context.Background(), gradients); err != nil {
		return 0, err
	}
	value, err := nd.Item[float32](mean)
	if err != nil {
		return 0, err
	}
	loss := float64(value)
	t.losses = append(t.losses, loss)
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return 0, fmt.Errorf("the loss is %v at step %d, in epoch %d: a lower -lr may help", loss, len(t.losses), epoch)
	}
	if t.log == nil {
		return loss, nil
	}
	var counts [classes][classes]int
	if err := count(context.Background(), &counts, scores.Detach(), batch.Labels); err != nil {
		return 0, err
	}
	return loss, t.log.write(record{Kind: "step", Epoch: epoch, Step: len(t.losses), Loss: loss, Accuracy: accuracy(counts)}, batch.Count)
}

// rest writes the checkpoint after a step, if it is time to. An epoch's last step is left to endEpoch, unless ctx has ended.
func (t *trainer) rest(ctx context.Context, epoch int) error {
	o := t.options
	due := o.every > 0 && len(t.losses)%o.every == 0 && t.train.State().Given < t.train.Len()
	if o.checkpoint != "" && (due || ctx.Err() != nil) {
		if err := t.saveCheckpoint(epoch); err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// endEpoch tells the log of an epoch, in which this process trained with so many images, and writes the checkpoint.
func (t *trainer) endEpoch(epoch, images int) error {
	if t.log != nil {
		counts, err := t.confusion(context.Background())
		if err != nil {
			return err
		}
		r := record{Kind: "epoch", Epoch: epoch, Step: len(t.losses), Accuracy: accuracy(counts)}
		steps := t.losses[len(t.losses)-t.train.Len():]
		for _, loss := range steps {
			r.Loss += loss / float64(len(steps))
		}
		if err := t.log.write(r, images); err != nil {
			return err
		}
	}
	if t.options.checkpoint == "" {
		return nil
	}
	return t.saveCheckpoint(epoch + 1)
}
