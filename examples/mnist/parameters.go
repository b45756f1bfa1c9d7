package main

import (
	"fmt"
	"maps"
	"slices"

	nd "github.com/weft-nd/weft/ndarray"
)

// save writes the parameters of the network to a file in NumPy's npz format, by their names.
func (t *trainer) save(path string) error {
	return nd.SaveNPZ(path, maps.Collect(t.model.Named()))
}

// load replaces the parameters of the network by those that save wrote.
func (t *trainer) load(path string) error {
	arrays, err := nd.LoadNPZ(path)
	if err != nil {
		return err
	}
	for name, p := range t.model.Named() {
		a := arrays[name]
		if a == nil || a.DType() != p.DType() || !slices.Equal(a.Shape(), p.Shape()) {
			return fmt.Errorf("%s has no parameter %s of shape %v and dtype %v: it is of another model", path, name, p.Shape(), p.DType())
		}
		nd.CopyInto(p, a.In(t.env))
	}
	return nil
}
