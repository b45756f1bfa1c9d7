package data

import (
	"fmt"
	"slices"
	"sort"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// subset is some samples of a data set.
type subset struct {
	whole   Dataset
	indices []int
}

// Subset returns the data set of the samples of d with the given numbers, in that order; a number may come again. It panics with
// *nd.Error if d is nil, or a number is not of a sample.
func Subset(d Dataset, indices ...int) Dataset {
	checkSet("data.Subset", d)
	if err := checkIndices(indices, d.Len()); err != nil {
		mistake("data.Subset", fault.ErrIndex, err.Error())
	}
	return subset{d, slices.Clone(indices)}
}

// Len implements Dataset.
func (s subset) Len() int { return len(s.indices) }

// Batch implements Dataset.
func (s subset) Batch(indices []int) (Batch, error) {
	if err := checkIndices(indices, s.Len()); err != nil {
		return Batch{}, err
	}
	within := make([]int, len(indices))
	for i, index := range indices {
		within[i] = s.indices[index]
	}
	return s.whole.Batch(within)
}

// chain is data sets one behind another.
type chain struct {
	sets []Dataset
	ends []int // number of samples up to the end of each
}

// Concat returns the data set of the samples of all sets, one set behind another. Their inputs have one shape and dtype but for the
// first axis, and so have their labels. It panics with *nd.Error if one is nil.
func Concat(sets ...Dataset) Dataset {
	c, end := chain{sets: slices.Clone(sets)}, 0
	for _, d := range sets {
		checkSet("data.Concat", d)
		end += d.Len()
		c.ends = append(c.ends, end)
	}
	return c
}

// Len implements Dataset.
func (c chain) Len() int {
	if len(c.ends) == 0 {
		return 0
	}
	return c.ends[len(c.ends)-1]
}

// Batch implements Dataset: it asks each set once for all its samples, and puts them in order if they are not.
func (c chain) Batch(indices []int) (Batch, error) {
	if err := checkIndices(indices, c.Len()); err != nil {
		return Batch{}, err
	}
	within, places := make([][]int, len(c.sets)), make([][]int, len(c.sets))
	for place, index := range indices {
		set := sort.SearchInts(c.ends, index+1)
		start := c.ends[set] - c.sets[set].Len()
		within[set], places[set] = append(within[set], index-start), append(places[set], place)
	}
	var inputs, labels []*nd.Array
	for set := range c.sets {
		if len(within[set]) == 0 {
			continue
		}
		part, err := c.sets[set].Batch(within[set])
		if err != nil {
			return Batch{}, fmt.Errorf("data set %d: %w", set, err)
		}
		inputs = append(inputs, part.Inputs)
		if part.Labels != nil {
			labels = append(labels, part.Labels)
		}
	}
	switch {
	case len(inputs) == 0:
		return Batch{}, fmt.Errorf("a batch of no samples has no shape")
	case len(labels) != 0 && len(labels) != len(inputs):
		return Batch{}, fmt.Errorf("some data sets have labels, and some have none")
	}
	joined := slices.Concat(places...)
	order := make([]int, len(joined))
	for from, to := range joined {
		order[to] = from
	}
	ordered := func(parts []*nd.Array) *nd.Array {
		switch {
		case len(parts) == 0:
			return nil
		case len(parts) == 1:
			return parts[0]
		}
		return rows(nd.Concat(0, parts...), order)
	}
	return Batch{Inputs: ordered(inputs), Labels: ordered(labels), Count: len(indices)}, nil
}

// mapped is a data set whose batches a function changes.
type mapped struct {
	Dataset
	change func(Batch) (Batch, error)
}

// Map returns the data set d with every batch changed by a function, which may be called from several goroutines at once. What is to
// be random belongs to Transformed. It panics with *nd.Error if d or the function is nil.
func Map(d Dataset, change func(Batch) (Batch, error)) Dataset {
	checkSet("data.Map", d)
	if change == nil {
		mistake("data.Map", fault.ErrMisuse, "the function is nil")
	}
	return mapped{d, change}
}

// Batch implements Dataset.
func (m mapped) Batch(indices []int) (Batch, error) {
	batch, err := m.Dataset.Batch(indices)
	if err != nil {
		return Batch{}, err
	}
	return m.change(batch)
}

// checkSet fails in the line that calls the function.
func checkSet(function string, d Dataset) {
	if d == nil {
		mistake(function, fault.ErrMisuse, "a data set is nil")
	}
}
