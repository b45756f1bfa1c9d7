package main

import (
	"fmt"

	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
)

// save writes the arrays of the network to a file in NumPy's npz format, by their names.
func (t *trainer) save(path string) error { return nd.SaveNPZ(path, nn.State(t.Model)) }

// load replaces the arrays of the network by those that save wrote.
func (t *trainer) load(path string) error {
	arrays, err := nd.LoadNPZIn(t.Env, path)
	if err != nil {
		return err
	}
	if err := nn.SetState(t.Model, arrays); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
