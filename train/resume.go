package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/weft-nd/weft/data"
	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
)

// Resumed tells what Resume found.
type Resumed struct {
	Path string // of the checkpoint, empty if there is none and the training starts at the beginning
	Step int    // steps made
	// Problem is why the latest checkpoint was not used but the previous one, nil if it was. A damaged one is kept, with ".damaged" behind
	// its name.
	Problem error
}

// String tells it to people.
func (r Resumed) String() string {
	switch {
	case r.Path == "":
		return "there is no checkpoint; training starts at the beginning"
	case r.Problem != nil:
		return fmt.Sprintf("%v; the previous one is used: %s, after step %d", r.Problem, r.Path, r.Step)
	}
	return fmt.Sprintf("%s, after step %d", r.Path, r.Step)
}

// Resume goes to where the checkpoint tells, or the previous one if that is missing or damaged; where there is neither, Fit starts at
// the beginning. A checkpoint of another training is an error that names all that differs; nothing is changed then.
func (t *Trainer) Resume() (Resumed, error) {
	t.check()
	c := t.Checkpoint
	if c.Path == "" {
		mistake("train.Trainer.Resume", "Checkpoint has no path")
	}
	found := Resumed{Path: c.Path}
	arrays, s, err := readCheckpoint(t.Env, c.Path)
	if errors.Is(err, nd.ErrFormat) || errors.Is(err, fs.ErrNotExist) {
		found.Path, found.Problem = c.Previous(), err
		arrays, s, err = readCheckpoint(t.Env, c.Previous())
		switch {
		case errors.Is(found.Problem, fs.ErrNotExist) && errors.Is(err, fs.ErrNotExist):
			return Resumed{}, nil
		case err != nil:
			return found, fmt.Errorf("there is no checkpoint to resume from: %w; %w", found.Problem, err)
		}
	}
	if err == nil {
		err = t.restore(arrays, s)
	}
	if err != nil {
		return found, fmt.Errorf("%s: %w", found.Path, err)
	}
	if errors.Is(found.Problem, nd.ErrFormat) { // Else the next checkpoint would push out the good one for it.
		if err := os.Rename(c.file(), c.file()+".damaged"); err != nil {
			return found, err
		}
	}
	found.Step = t.at.Step
	return found, nil
}

// readCheckpoint reads the arrays at path into env, and from one of them the rest. An error has nd.ErrFormat if the file is damaged.
func readCheckpoint(env *nd.Env, path string) (arrays map[string]*nd.Array, s saved, err error) {
	if arrays, err = nd.LoadNPZIn(env, path); err != nil {
		return nil, s, err
	}
	text, sums := arrays["position"], arrays["sums"]
	if text == nil || sums == nil {
		return nil, s, fmt.Errorf("%s is no checkpoint: %w", path, nd.ErrFormat)
	}
	if err = s.setText(text); err == nil {
		err = s.setSums(sums)
	}
	if err != nil {
		return nil, s, fmt.Errorf("%s is no checkpoint: %w: %w", path, nd.ErrFormat, err)
	}
	return arrays, s, nil
}

// setText sets what is JSON.
func (s *saved) setText(text *nd.Array) error {
	if text.DType() != dtype.Uint8 {
		return fmt.Errorf("the position is %v, want uint8", text.DType())
	}
	content, err := nd.Values[uint8](text)
	if err == nil {
		err = json.Unmarshal(content, s)
	}
	if err == nil && (s.Position.Epoch < 1 || s.Position.Step < 0 || s.Loader.Given < 0) {
		err = fmt.Errorf("there is no epoch %d, step %d, or batch %d", s.Position.Epoch, s.Position.Step, s.Loader.Given)
	}
	return err
}

// setSums sets the sums of the means.
func (s *saved) setSums(sums *nd.Array) error {
	if sums.DType() != dtype.Float64 || sums.Count() != len(s.Means) {
		return fmt.Errorf("there are %v sums of %v for %d means", sums.Shape(), sums.DType(), len(s.Means))
	}
	values, err := nd.Values[float64](sums)
	for i, v := range values {
		s.Means[i].sum = v
	}
	return err
}

// restore goes to the state of a checkpoint, or changes nothing.
func (t *Trainer) restore(arrays map[string]*nd.Array, s saved) error {
	if s.Recipe != t.Checkpoint.Recipe {
		return fmt.Errorf("the checkpoint is of another training: %s, not %s", s.Recipe, t.Checkpoint.Recipe)
	}
	at := s.Position
	if len(s.Means) > 0 {
		at.means = newMeans(t.Metrics, false)
		at.means.goOn(s.Means)
	}
	before, err := t.state()
	if err != nil {
		return err
	}
	for _, keeper := range t.keepers() {
		if _, found := s.Callbacks[keeper.Name()]; !found {
			return fmt.Errorf("the checkpoint has no state of the callback %q", keeper.Name())
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Callbacks)) {
		if _, found := before.callbacks[name]; !found {
			return fmt.Errorf("the checkpoint has the state of a callback %q that the training does not have", name)
		}
	}
	if err := t.load(parts{within(arrays, "model/"), within(arrays, "optimiser/"), s.Loader, s.Validation, s.Callbacks}); err != nil {
		if back := t.load(before); back != nil {
			err = fmt.Errorf("%w; and going back: %w", err, back)
		}
		return err
	}
	t.Env.Generator().Restore(s.Generator)
	t.at = at
	return nil
}

// parts are what load can go back to.
type parts struct {
	model, optimiser   map[string]*nd.Array
	loader, validation data.LoaderState
	callbacks          map[string]json.RawMessage
}

func (t *Trainer) state() (parts, error) {
	copied := func(arrays map[string]*nd.Array) map[string]*nd.Array {
		for name, a := range arrays {
			arrays[name] = a.Copy()
		}
		return arrays
	}
	callbacks, err := t.callbackStates()
	return parts{copied(nn.State(t.Model)), copied(t.Optimiser.State()), t.Loader.State(), t.carried(), callbacks}, err
}

// carried returns what RollOver carries to the next validation: one that does not come to its end leaves nothing else.
func (t *Trainer) carried() data.LoaderState {
	if t.Validation == nil {
		return data.LoaderState{}
	}
	return data.LoaderState{Carried: t.Validation.State().Carried}
}

// load replaces arrays and positions, or tells all that does not fit; then the states of callbacks, up to the first
// that fails. After an error part of it may have been replaced.
func (t *Trainer) load(s parts) error {
	err := errors.Join(nn.SetState(t.Model, s.model), t.Optimiser.SetState(s.optimiser))
	if t.Validation != nil { // before Loader, which may be the same
		err = errors.Join(err, t.Validation.SetState(s.validation))
	}
	err = errors.Join(err, t.Loader.SetState(s.loader))
	for _, keeper := range t.keepers() {
		if err != nil {
			break
		}
		if err = keeper.UnmarshalJSON(s.callbacks[keeper.Name()]); err != nil {
			err = fmt.Errorf("the state of callback %q: %w", keeper.Name(), err)
		}
	}
	return err
}

// within returns the arrays whose names begin with prefix, without it.
func within(arrays map[string]*nd.Array, prefix string) map[string]*nd.Array {
	some := map[string]*nd.Array{}
	for name, a := range arrays {
		if rest, found := strings.CutPrefix(name, prefix); found {
			some[rest] = a
		}
	}
	return some
}
