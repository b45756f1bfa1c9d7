package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/weft-nd/weft/data"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/resource"
)

// A checkpoint is an npz file with all that the rest of a training depends on: the arrays of the network behind "model/", those of
// the optimiser behind "optimiser/", the loss of every step, and the position as JSON.

// position is where a training stands, beside its arrays.
type position struct {
	Recipe    recipe
	Epoch     int // the one that goes on, from 1
	Loader    data.LoaderState
	Generator resource.State
}

// recipe is what must be the same for the rest of a training to be that of an uninterrupted one.
type recipe struct {
	Model                 string
	Images, Batch, Shift  int
	Rate, Decay, Momentum float64
	Seed                  uint64
}

func previous(path string) string { return path + ".previous" }

// saveCheckpoint writes the checkpoint for going on in epoch. The one before is kept as previous; at every moment, whatever
// happens, one of the two is there as a whole.
func (t *trainer) saveCheckpoint(epoch int) error {
	text, err := json.Marshal(position{t.recipe, epoch, t.train.State(), t.env.Generator().State()})
	if err != nil {
		return err
	}
	arrays := map[string]*nd.Array{"position": nd.FromSlice(text), "losses": nd.FromSlice(t.losses)}
	for name, a := range nn.State(t.model) {
		arrays["model/"+name] = a
	}
	for name, a := range t.descent.State() {
		arrays["optimiser/"+name] = a
	}
	path := t.options.checkpoint
	if err := nd.SaveNPZ(path+".new", arrays); err != nil {
		return err
	}
	if err := os.Rename(path, previous(path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(path+".new", path)
}

// resume goes to where the checkpoint tells, or the previous one if it is missing or damaged, and returns the epoch to go on in. It
// tells status which one that is; if there is none training starts at the beginning.
func (t *trainer) resume(status io.Writer) (epoch int, err error) {
	path := t.options.checkpoint
	arrays, at, err := readCheckpoint(path)
	if errors.Is(err, nd.ErrFormat) || errors.Is(err, fs.ErrNotExist) {
		first := err
		path = previous(path)
		arrays, at, err = readCheckpoint(path)
		switch {
		case errors.Is(first, fs.ErrNotExist) && errors.Is(err, fs.ErrNotExist):
			fmt.Fprintf(status, "checkpoint: there is none at %s; training starts at the beginning\n", t.options.checkpoint)
			return 1, nil
		case err != nil:
			return 0, fmt.Errorf("there is no checkpoint to resume from: %w; %w", first, err)
		}
		fmt.Fprintf(status, "checkpoint: %v; the previous one is used\n", first)
		if errors.Is(first, nd.ErrFormat) { // Else the next checkpoint would push out the good one for it.
			if err := os.Rename(t.options.checkpoint, t.options.checkpoint+".damaged"); err != nil {
				return 0, err
			}
		}
	}
	if err == nil {
		err = t.restore(arrays, at)
	}
	if err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	fmt.Fprintf(status, "checkpoint: %s, after step %d\n", path, len(t.losses))
	return at.Epoch, nil
}

// readCheckpoint reads the arrays at path, and from one of them the position. An error has nd.ErrFormat if the file is damaged.
func readCheckpoint(path string) (arrays map[string]*nd.Array, at position, err error) {
	if arrays, err = nd.LoadNPZ(path); err != nil {
		return nil, at, err
	}
	text, losses := arrays["position"], arrays["losses"]
	if text == nil || losses == nil {
		return nil, at, fmt.Errorf("%s is no checkpoint: %w", path, nd.ErrFormat)
	}
	content, err := nd.Values[uint8](text)
	if err == nil {
		err = json.Unmarshal(content, &at)
	}
	if err != nil {
		return nil, at, fmt.Errorf("%s is no checkpoint: %w: %w", path, nd.ErrFormat, err)
	}
	return arrays, at, nil
}

func (t *trainer) restore(arrays map[string]*nd.Array, at position) error {
	if at.Recipe != t.recipe {
		return fmt.Errorf("the checkpoint is of another training: %+v, not %+v", at.Recipe, t.recipe)
	}
	network, optimiser := map[string]*nd.Array{}, map[string]*nd.Array{}
	for name, a := range arrays {
		if within, found := strings.CutPrefix(name, "model/"); found {
			network[within] = a
		} else if within, found := strings.CutPrefix(name, "optimiser/"); found {
			optimiser[within] = a
		}
	}
	losses, err := nd.Values[float64](arrays["losses"])
	if err != nil {
		return err
	}
	if err := nn.SetState(t.model, network); err != nil {
		return err
	}
	if err := t.descent.SetState(optimiser); err != nil {
		return err
	}
	if err := t.train.SetState(at.Loader); err != nil {
		return err
	}
	t.env.Generator().Restore(at.Generator)
	t.losses = losses
	return nil
}
