package train

import (
	"context"
	"errors"
	"fmt"

	"github.com/weft-nd/weft/data"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/optim"
)

// Trainer fits a model to data. The first five fields are needed. Fields must not be changed while Fit runs.
type Trainer struct {
	// Env is where the training computes. Layers draw from its generator, and what draws in the loaders and callbacks should too:
	// checkpoints keep its state and that of no other.
	Env   *nd.Env
	Model nn.Layer
	// Loss returns an array of one element for what the model gives and the labels of a batch.
	Loss      func(outputs, labels *nd.Array) *nd.Array
	Optimiser *optim.Optimiser
	Loader    *data.Loader

	// Validation is what the model is measured on after each epoch, if it is not nil. A validation that does not come to
	// its end is made again as a whole, with the same random numbers.
	Validation *data.Loader
	// Metrics are measured beside the loss.
	Metrics []Metric
	// Gradients changes the gradients in place before each step, as optim.ClipNorm does, if it is not nil.
	Gradients func(gradients []*nd.Array)
	// Captured makes each step but the first two with batches of one shape a replay of what the second of them called (see
	// nd.Captured), with the same results in every bit and a fraction of the cost of calling. It is for models whose
	// Forward, Loss and Metrics call the same operators for every batch of a shape: a number that they pass, or a way that
	// they choose, stays as it was. Optimiser, Gradients and Callbacks are called as without it, and so is the model in
	// the validation, which gains little: its passes are short and its batches large. Captures take memory for all that a
	// step makes, until Fit returns. Gradients and Event.Outputs are the same arrays in each step.
	Captured bool
	// Callbacks are told of events, in this order.
	Callbacks []Callback
	// Checkpoint tells where and when the state of the training is saved.
	Checkpoint Checkpoint

	at     position
	guard  guard
	pass   *nd.Captured // nil where it is not captured
	epochs int
	begun  int // steps that were made before Fit
}

// position is where a training stands, beside its arrays.
type position struct {
	Epoch   int  // that goes on, from 1; 0 before the first
	Step    int  // steps made
	Stopped bool // by a callback
	Trained bool // the steps of the epoch are made; it is still to be measured and told of
	means   means
}

// Step returns the number of steps that were made, those before a checkpoint included.
func (t *Trainer) Step() int { return t.at.Step }

// Fit trains until so many epochs are over in all, those before a checkpoint included, or a callback returns ErrStop. When ctx ends it
// finishes the step, saves the checkpoint if there is to be one, and returns the cause of ctx; called again it goes on. Errors name
// the step and the epoch: of the data, of a callback, of a batch whose shapes or labels do not fit, and *NotFinite. The model is then
// that of before the step, and Fit, called again, goes on with its batch. A mistake in the fields panics with *nd.Error. If no checkpoint
// can be written Fit returns at once, and tells callbacks neither of a beginning nor of an end.
//
// With a Checkpoint or a Best the first step fails if a layer changes an array that is no parameter, such as a running
// average of a BatchNorm, and that NamedState of the model does not yield (see nn.Stateful): it would not be saved.
// Without them such a model is trained, but what it does not name stays as a step that fails has left it.
func (t *Trainer) Fit(ctx context.Context, epochs int) (err error) {
	if ctx == nil {
		mistake("train.Trainer.Fit", "the context is nil")
	}
	t.check()
	if err := t.Checkpoint.try(); err != nil {
		return err
	}
	t.epochs, t.begun = epochs, t.at.Step
	t.guard = guard{} // the optimiser may be another than before
	t.at.Epoch = max(t.at.Epoch, 1)
	if t.Captured {
		t.pass = nd.NewCaptured(t.Env, t.forwardAndBackward)
		defer func() {
			t.pass.Release()
			t.pass = nil
		}()
	}
	err = t.tell(ctx, &Event{Kind: Began})
	if errors.Is(err, ErrStop) {
		t.at.Stopped = true
		err = t.pause(ctx, t.Loader.State())
	}
	for err == nil && !t.at.Stopped && t.at.Epoch <= epochs {
		err = t.epoch(ctx)
	}
	return t.ended(ctx, err)
}

// ended tells of the end of Fit.
func (t *Trainer) ended(ctx context.Context, err error) error {
	return errors.Join(err, t.tell(context.WithoutCancel(ctx), &Event{Kind: Ended, Err: err}))
}

// check fails in the line that calls Fit or Resume if a field is missing.
func (t *Trainer) check() {
	for name, missing := range map[string]bool{
		"Env": t.Env == nil, "Model": t.Model == nil, "Loss": t.Loss == nil, "Optimiser": t.Optimiser == nil, "Loader": t.Loader == nil,
	} {
		if missing {
			mistake("train.Trainer", name+" is nil")
		}
	}
	checkMetrics(t.Metrics)
	checkCallbacks(t.Callbacks)
	if t.Checkpoint.Every < 0 || t.Checkpoint.Path == "" && t.Checkpoint != (Checkpoint{}) {
		mistake("train.Trainer", "Checkpoint has a negative number of steps, or no path")
	}
}

// mistake panics with the error of a mistaken call, in the user's line.
func mistake(operator, detail string) {
	panic(&nd.Error{Operator: operator, Detail: detail, Cause: fault.ErrMisuse, Site: fault.Here(1)})
}

// epoch goes through the data once, or through what is left of it.
func (t *Trainer) epoch(ctx context.Context) error {
	if t.at.means.empty() {
		t.at.means = newMeans(t.Metrics, false)
	}
	if !t.at.Trained {
		if paused, err := t.steps(ctx); paused || err != nil {
			return err
		}
		t.at.Trained = true
	}
	return t.endEpoch(ctx)
}

// steps makes the steps of an epoch that are left. It has paused if ctx or a callback ended it; the error is then the cause of ctx.
func (t *Trainer) steps(ctx context.Context) (paused bool, err error) {
	for batch, err := range t.Loader.Batches(ctx) {
		at, step := t.Loader.State(), t.at.Step
		if err == nil {
			paused, err = t.stepped(ctx, batch)
			if err != nil && t.at.Step == step { // the batch is to be given again
				at.Given--
			}
		} else if paused = ctx.Err() != nil; !paused {
			err = t.wrap(err)
		}
		switch {
		case paused:
			return true, t.pause(ctx, at)
		case err != nil:
			return false, errors.Join(err, t.Loader.SetState(at))
		}
	}
	if t.at.means.samples() == 0 {
		return false, t.wrap(fmt.Errorf("there is no batch: an iteration of the data set has %d samples, for batches of %d", t.Loader.Samples(), t.Loader.Size()))
	}
	return false, nil
}

// pause saves the checkpoint, and lets the loader go on from a state when Fit is called again.
func (t *Trainer) pause(ctx context.Context, loader data.LoaderState) error {
	err := t.Loader.SetState(loader)
	if err == nil {
		err = t.save()
	}
	if err != nil {
		return t.wrap(err)
	}
	return context.Cause(ctx)
}

// stepped makes a step and tells of it, then saves the checkpoint if it is time to. An epoch's last step is left to endEpoch. It
// reports whether the training is to pause.
func (t *Trainer) stepped(ctx context.Context, batch data.Batch) (pausing bool, err error) {
	e, err := t.step(batch)
	if err != nil {
		return false, err
	}
	t.at.Step++
	err = t.tell(ctx, e)
	if err != nil && !errors.Is(err, ErrStop) {
		return false, err
	}
	t.at.Stopped = err != nil
	if t.at.Stopped || ctx.Err() != nil {
		return true, nil
	}
	if t.Checkpoint.Every > 0 && t.at.Step%t.Checkpoint.Every == 0 && t.Loader.State().Given < t.Loader.Len() {
		if err := t.save(); err != nil {
			return false, t.wrap(err)
		}
	}
	return false, nil
}

// endEpoch measures the model, tells of the epoch, and saves the checkpoint.
func (t *Trainer) endEpoch(ctx context.Context) error {
	e := &Event{Kind: EpochEnded, Values: t.at.means.values()}
	e.Loss, e.Samples = e.Values[lossName], t.at.means.samples()
	delete(e.Values, lossName)
	if t.Validation != nil {
		generator, loader := t.Env.Generator().State(), t.Loader.State()
		values, err := t.Evaluate(ctx, t.Validation)
		if err != nil { // When Fit is called again it is made as a whole, and draws the same.
			t.Env.Generator().Restore(generator)
		}
		switch {
		case err != nil && ctx.Err() != nil:
			return t.pause(ctx, loader)
		case err != nil:
			return t.wrap(fmt.Errorf("validation: %w", err))
		}
		for name, v := range values {
			e.Values[validationPrefix+name] = v
		}
	}
	err := t.tell(ctx, e)
	if err != nil && !errors.Is(err, ErrStop) {
		return err
	}
	t.at.Stopped = err != nil
	t.at.Epoch, t.at.Trained, t.at.means = t.at.Epoch+1, false, means{}
	if err := t.save(); err != nil {
		return t.wrap(err)
	}
	return nil
}

// wrap tells where an error came up.
func (t *Trainer) wrap(err error) error {
	return fmt.Errorf("after step %d, in epoch %d: %w", t.at.Step, t.at.Epoch, err)
}
