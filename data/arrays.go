package data

import (
	"fmt"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// arrays is samples that lie in arrays.
type arrays struct {
	inputs, labels *nd.Array
}

// Arrays returns the data set whose sample i is inputs[i], with labels[i]; labels may be nil. Batches are copies; the arrays are not
// copied, and must not be written while the data set is read. It panics with *nd.Error if inputs is nil, an array has no axes, or
// their numbers of samples differ.
func Arrays(inputs, labels *nd.Array) Dataset {
	switch {
	case inputs == nil:
		mistake("data.Arrays", fault.ErrMisuse, "the inputs are nil")
	case inputs.Rank() == 0 || labels != nil && (labels.Rank() == 0 || labels.Shape()[0] != inputs.Shape()[0]):
		labelled := "none"
		if labels != nil {
			labelled = fault.FormatShape(labels.Shape())
		}
		mistake("data.Arrays", fault.ErrShape, fmt.Sprintf("inputs %s and labels %s: want a first axis that counts the same samples",
			fault.FormatShape(inputs.Shape()), labelled))
	}
	return arrays{inputs, labels}
}

// Len implements Dataset.
func (a arrays) Len() int { return a.inputs.Shape()[0] }

// Batch implements Dataset.
func (a arrays) Batch(indices []int) (Batch, error) {
	if err := checkIndices(indices, a.Len()); err != nil {
		return Batch{}, err
	}
	batch := Batch{Inputs: rows(a.inputs, indices), Count: len(indices)}
	if a.labels != nil {
		batch.Labels = rows(a.labels, indices)
	}
	return batch, nil
}

// rows returns the parts of a with the given numbers along the first axis.
func rows(a *nd.Array, numbers []int) *nd.Array {
	wide := make([]int64, len(numbers))
	for i, n := range numbers {
		wide[i] = int64(n)
	}
	return a.Take(nd.FromSliceIn(a.Env(), wide), 0)
}

// samples is a data set of single samples.
type samples struct {
	count int
	load  func(index int) (input, label *nd.Array, err error)
}

// Samples returns the data set of so many samples each of which load returns; labels may be nil, of all or none. All inputs have one
// shape and dtype, and so have all labels. Load may be called from several goroutines at once. It panics with *nd.Error if load is
// nil or count negative.
func Samples(count int, load func(index int) (input, label *nd.Array, err error)) Dataset {
	if load == nil || count < 0 {
		mistake("data.Samples", fault.ErrMisuse, fmt.Sprintf("%d samples, or the function is nil", count))
	}
	return samples{count, load}
}

// Len implements Dataset.
func (s samples) Len() int { return s.count }

// Batch implements Dataset.
func (s samples) Batch(indices []int) (Batch, error) {
	if err := checkIndices(indices, s.count); err != nil {
		return Batch{}, err
	}
	var inputs, labels []*nd.Array
	for _, index := range indices {
		input, label, err := s.load(index)
		switch {
		case err != nil:
			return Batch{}, fmt.Errorf("sample %d: %w", index, err)
		case input == nil || (label == nil) != (len(labels) == 0) && len(inputs) > 0:
			return Batch{}, fmt.Errorf("sample %d has no input, or unlike others a label or none", index)
		}
		inputs = append(inputs, input)
		if label != nil {
			labels = append(labels, label)
		}
	}
	if len(inputs) == 0 {
		return Batch{}, fmt.Errorf("a batch of no samples has no shape")
	}
	batch := Batch{Inputs: nd.Stack(0, inputs...), Count: len(indices)}
	if len(labels) > 0 {
		batch.Labels = nd.Stack(0, labels...)
	}
	return batch, nil
}
