package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/weft-nd/weft/data"
	nd "github.com/weft-nd/weft/ndarray"
)

// Kind is what an Event tells of.
type Kind int

const (
	// Began tells that Fit goes on after Event.Step steps, 0 in a new training.
	Began Kind = iota
	// Stepped tells of a step: Batch, Outputs, Loss and the metrics of the batch in Values.
	Stepped
	// EpochEnded tells of an epoch: the mean Loss of its samples, and in Values the means of the metrics, and, behind "validation_",
	// the loss and the metrics on the validation data.
	EpochEnded
	// Ended tells that Fit returns, with Err.
	Ended
)

// Event is something that happens in a training. It is valid while callbacks are told of it; they may add to Values for those behind.
type Event struct {
	Kind    Kind
	Trainer *Trainer
	Epoch   int // that goes on, from 1
	Epochs  int // that Fit was asked for
	Step    int // steps made

	Samples int                // of the batch or the epoch
	Batch   data.Batch         // of a step
	Outputs *nd.Array          // what the model gave for it, before the step
	Loss    float64            // of the batch, or the mean of the epoch
	Values  map[string]float64 // metrics, by their names; see Stepped and EpochEnded
	Err     error              // why the training has ended; nil if it is complete
}

// Value returns Loss for "loss", and what Values has under other names.
func (e *Event) Value(name string) (v float64, found bool) {
	if name == lossName {
		return e.Loss, e.Kind == Stepped || e.Kind == EpochEnded
	}
	v, found = e.Values[name]
	return v, found
}

// Callback is told of the events of a training, one after another.
type Callback interface {
	// Handle ends the training if it returns an error: without one if that is ErrStop. The error of ctx, or its cause, once ctx has ended, is
	// the end of ctx: see Trainer.Fit.
	Handle(ctx context.Context, e *Event) error
}

// ErrStop is what a Callback returns to end the training after the event. It is kept in the checkpoint: the training stays ended.
var ErrStop = errors.New("train: stop")

// Func is a Callback made of a function.
type Func func(ctx context.Context, e *Event) error

// Handle implements Callback.
func (f Func) Handle(ctx context.Context, e *Event) error { return f(ctx, e) }

// Stateful is a Callback whose state belongs to the training: checkpoints keep it by its name. Where Resume fails it
// gives a callback the state back that it had, by UnmarshalJSON of what MarshalJSON has returned before.
type Stateful interface {
	Callback
	// Name tells the callback apart from others of the training.
	Name() string
	json.Marshaler
	json.Unmarshaler
}

// keepers returns the callbacks that are Stateful.
func (t *Trainer) keepers() (keepers []Stateful) {
	for _, c := range t.Callbacks {
		if s, ok := c.(Stateful); ok {
			keepers = append(keepers, s)
		}
	}
	return keepers
}

// checkCallbacks fails if one is nil or two have the same name.
func checkCallbacks(callbacks []Callback) {
	names := map[string]bool{}
	for i, c := range callbacks {
		if f, isFunc := c.(Func); c == nil || isFunc && f == nil {
			mistake("train.Trainer", fmt.Sprintf("callback %d is nil", i))
		}
		if s, ok := c.(Stateful); ok {
			if names[s.Name()] {
				mistake("train.Trainer", fmt.Sprintf("there are two callbacks %q", s.Name()))
			}
			names[s.Name()] = true
		}
	}
}

// isEndOf reports whether err is that of ctx, which has ended.
func isEndOf(ctx context.Context, err error) bool {
	return ctx.Err() != nil && (errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx)))
}

// tell tells all callbacks of e, also when one returns ErrStop, up to the first that fails; of the end of the training it tells all.
func (t *Trainer) tell(ctx context.Context, e *Event) (stop error) {
	e.Trainer, e.Epoch, e.Epochs, e.Step = t, t.at.Epoch, t.epochs, t.at.Step
	var failures []error
	for _, c := range t.Callbacks {
		switch err := c.Handle(ctx, e); {
		case err == nil:
		case errors.Is(err, ErrStop) && e.Kind != Ended:
			stop = ErrStop
		case isEndOf(ctx, err): // to which Fit sees when the event is over
		case e.Kind == Ended:
			failures = append(failures, t.wrap(err))
		default:
			return t.wrap(err)
		}
	}
	return errors.Join(append(failures, stop)...)
}
