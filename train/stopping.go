package train

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"

	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
)

// best is the best value of a metric so far.
type best struct {
	metric string
	higher bool
	state  bestState
}

// bestState is what a checkpoint keeps of it.
type bestState struct {
	Value *float64 // nil before the first
	Epoch int      // of Value
}

// improved takes the value of an epoch and reports whether it is better than all before. NaN is not.
func (b *best) improved(e *Event) (bool, error) {
	v, found := e.Value(b.metric)
	if !found {
		return false, fmt.Errorf("there is no metric %q", b.metric)
	}
	if math.IsNaN(v) || math.IsInf(v, 0) || b.state.Value != nil && (b.higher && v <= *b.state.Value || !b.higher && v >= *b.state.Value) {
		return false, nil
	}
	b.state = bestState{&v, e.Epoch}
	return true, nil
}

// EarlyStopping is a Callback that ends a training when a metric of its epochs gets no better.
type EarlyStopping struct {
	best
	patience int
}

// NewEarlyStopping returns an EarlyStopping that ends the training when the metric, such as "validation_loss", was not better than the
// best so far in so many epochs one after another: not lower, or, where higher is told, not higher. It panics with *nd.Error if
// patience is not positive.
func NewEarlyStopping(metric string, higher bool, patience int) *EarlyStopping {
	if patience < 1 {
		mistake("train.NewEarlyStopping", fmt.Sprintf("the patience is %d (legal: from 1)", patience))
	}
	return &EarlyStopping{best{metric: metric, higher: higher}, patience}
}

// Handle implements Callback.
func (s *EarlyStopping) Handle(_ context.Context, e *Event) error {
	if e.Kind != EpochEnded {
		return nil
	}
	better, err := s.improved(e)
	if err != nil {
		return fmt.Errorf("early stopping: %w", err)
	}
	if !better && e.Epoch-s.state.Epoch >= s.patience {
		return ErrStop
	}
	return nil
}

// Name implements Stateful.
func (s *EarlyStopping) Name() string { return "early stopping by " + s.metric }

// MarshalJSON implements Stateful.
func (s *EarlyStopping) MarshalJSON() ([]byte, error) { return json.Marshal(s.state) }

// UnmarshalJSON implements Stateful.
func (s *EarlyStopping) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &s.state) }

// Best is a Callback that keeps the best model of the epochs in a file.
type Best struct {
	best
	path string
}

// NewBest returns a Best that writes the arrays of the model, as nn.State has them, to a file when the metric, such as
// "validation_accuracy", is better than in all epochs before: lower, or, where higher is told, higher. The file is in
// the format of safetensors if its name ends in ".safetensors", else in NumPy's npz, and is replaced as a whole. It
// panics with *nd.Error if the path is empty.
func NewBest(path, metric string, higher bool) *Best {
	if path == "" {
		mistake("train.NewBest", "the path is empty")
	}
	return &Best{best{metric: metric, higher: higher}, path}
}

// Handle implements Callback.
func (b *Best) Handle(_ context.Context, e *Event) error {
	better, err, before := false, error(nil), b.state
	switch e.Kind {
	case Began: // rather than after an epoch
		if folder := filepath.Dir(b.path); !isFolder(folder) {
			err = fmt.Errorf("there is no folder %s", folder)
		}
	case EpochEnded:
		better, err = b.improved(e)
	}
	if err == nil && better {
		if err = b.save(nn.State(e.Trainer.Model)); err != nil {
			b.state = before // of the model in the file
		}
	}
	if err != nil {
		return fmt.Errorf("best model: %w", err)
	}
	return nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func (b *Best) save(arrays map[string]*nd.Array) error {
	if filepath.Ext(b.path) == ".safetensors" {
		return nd.SaveSafetensors(b.path, arrays, nil)
	}
	return nd.SaveNPZ(b.path, arrays)
}

// Epoch returns the epoch of the best model, 0 before there is one, and its metric.
func (b *Best) Epoch() (epoch int, value float64) {
	if b.state.Value == nil {
		return 0, math.NaN()
	}
	return b.state.Epoch, *b.state.Value
}

// Name implements Stateful.
func (b *Best) Name() string { return "best model by " + b.metric }

// MarshalJSON implements Stateful.
func (b *Best) MarshalJSON() ([]byte, error) { return json.Marshal(b.state) }

// UnmarshalJSON implements Stateful.
func (b *Best) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &b.state) }
