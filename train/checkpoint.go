package train

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/weft-nd/weft/data"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/resource"
)

// Checkpoint tells where and when the state of a training is saved: after each epoch, and when a context or a callback ends it.
//
// A checkpoint is an npz file with all that the rest of the training depends on: the arrays of the model behind "model/", those of the
// optimiser behind "optimiser/", sums of metrics, and as JSON the position, the generator, and the states of callbacks. The one
// before is kept as Path with ".previous" behind; at every moment, whatever happens, one of the two is there as a whole. Where Path is a
// symbolic link it stays one, and both are at the place that it leads to.
type Checkpoint struct {
	Path  string // none are saved if it is empty
	Every int    // steps after which one is saved too, if it is not 0
	// Recipe tells what must be the same for the rest of the training to be that of an uninterrupted one, such as settings that arrays do
	// not show. A checkpoint of another recipe is refused.
	Recipe string
}

// Previous returns the name of the checkpoint before.
func (c Checkpoint) Previous() string { return c.file() + ".previous" }

// saved is the part of a checkpoint that is JSON.
type saved struct {
	Recipe     string
	Position   position
	Means      []mean // of the epoch that goes on; their sums are in the array "sums"
	Loader     data.LoaderState
	Validation data.LoaderState // between two iterations
	Generator  resource.State
	Callbacks  map[string]json.RawMessage
}

// try fails if no checkpoint can be written, which after the steps of an epoch would be late.
func (c Checkpoint) try() error {
	if c.Path == "" {
		return nil
	}
	err := errors.Join(replaceable(c.Path), replaceable(c.Previous()))
	if err == nil {
		var file *os.File
		if file, err = os.Create(c.unfinished()); err == nil {
			err = errors.Join(file.Close(), os.Remove(c.unfinished()))
		}
	}
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// replaceable fails if there is something other than a file, such as a folder, which a checkpoint would push away.
func replaceable(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%s is no regular file", path)
	}
	return err
}

// file returns the name that Path leads to by symbolic links, also where there is no file yet. Checkpoints are renamed beside it: a name
// beside the link may be on another disk.
func (c Checkpoint) file() string {
	path := c.Path
	for range 40 { // links that lead to one another have no end
		to, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			folder, _ := filepath.Split(path)
			to = folder + to
		}
		path = to
	}
	return path
}

// unfinished returns the name of a checkpoint that is being written. A process that is killed leaves the same file each time, not another.
func (c Checkpoint) unfinished() string { return c.file() + ".new" }

// save writes the checkpoint, if there is to be one.
func (t *Trainer) save() error {
	c := t.Checkpoint
	if c.Path == "" {
		return nil
	}
	err := t.write(c.unfinished())
	if err == nil {
		if err = os.Rename(c.file(), c.Previous()); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	if err == nil {
		err = os.Rename(c.unfinished(), c.file())
	}
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// write writes the state to a file, to the end of it on the disk. After an error there is no file.
func (t *Trainer) write(path string) error {
	arrays, err := t.arrays()
	if err != nil {
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(file, 1<<16)
	err = nd.WriteNPZ(buffered, arrays)
	if err == nil {
		err = errors.Join(buffered.Flush(), file.Sync())
	}
	if err = errors.Join(err, file.Close()); err != nil {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// arrays returns all that a checkpoint holds.
func (t *Trainer) arrays() (map[string]*nd.Array, error) {
	s := saved{
		Recipe: t.Checkpoint.Recipe, Position: t.at, Means: t.at.means.parts, Loader: t.Loader.State(), Validation: t.carried(),
		Generator: t.Env.Generator().State(),
	}
	sums := make([]float64, len(s.Means))
	for i, m := range s.Means {
		sums[i] = m.sum
	}
	var err error
	if s.Callbacks, err = t.callbackStates(); err != nil {
		return nil, err
	}
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	// Sums may be NaN, which JSON cannot tell.
	arrays := map[string]*nd.Array{"position": nd.FromSlice(text), "sums": nd.FromSlice(sums)}
	for name, a := range nn.State(t.Model) {
		arrays["model/"+name] = a
	}
	for name, a := range t.Optimiser.State() {
		arrays["optimiser/"+name] = a
	}
	return arrays, nil
}

// callbackStates returns the states of callbacks by their names.
func (t *Trainer) callbackStates() (map[string]json.RawMessage, error) {
	states := map[string]json.RawMessage{}
	for _, keeper := range t.keepers() {
		state, err := keeper.MarshalJSON()
		if err != nil {
			return nil, fmt.Errorf("the state of callback %q: %w", keeper.Name(), err)
		}
		states[keeper.Name()] = state
	}
	return states, nil
}
