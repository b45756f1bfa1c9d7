package data

import (
	"fmt"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// Batch is some samples of a data set.
type Batch struct {
	Inputs  *nd.Array // first axis counts samples
	Labels  *nd.Array // as the data set has them, (samples,) of int64 for classes; nil if there are none
	Count   int       // samples
	Padding int       // how many of these, at the end, only fill the batch, see Pad
}

// Dataset is a numbered collection of samples.
type Dataset interface {
	// Len returns the number of samples.
	Len() int
	// Batch returns the samples with the given numbers. It may be called from several goroutines at once.
	Batch(indices []int) (Batch, error)
}

// checkIndices returns an error if a number is not of a sample.
func checkIndices(indices []int, count int) error {
	for _, index := range indices {
		if index < 0 || index >= count {
			return fmt.Errorf("sample %d is out of range for %d samples", index, count)
		}
	}
	return nil
}

// digitSet is labelled images as float32 rows of pixels from 0 to 1.
type digitSet struct {
	env    *nd.Env
	digits *Digits
}

// Dataset returns the images as rows of pixels, float32 from 0 (black) to 1 (white), with arrays made in env. It panics with
// *nd.Error if env is nil, or if there are not as many pixels and labels as the images have.
func (d *Digits) Dataset(env *nd.Env) Dataset {
	problem := ""
	switch i := d.Images; {
	case env == nil:
		problem = "the Env is nil"
	case i == nil:
		problem = "there are no images"
	case len(d.Labels) != i.Count || len(i.Pixels) != i.Count*i.Rows*i.Columns:
		problem = fmt.Sprintf("%d images of %d by %d with %d pixels and %d labels", i.Count, i.Rows, i.Columns, len(i.Pixels), len(d.Labels))
	}
	if problem != "" {
		panic(&nd.Error{Operator: "Digits.Dataset", Detail: problem, Cause: fault.ErrMisuse, Site: fault.Here(1)})
	}
	return digitSet{env, d}
}

// Len implements Dataset.
func (s digitSet) Len() int { return s.digits.Images.Count }

// Batch implements Dataset.
func (s digitSet) Batch(indices []int) (Batch, error) {
	size := s.digits.Images.Rows * s.digits.Images.Columns
	pixels, labels := make([]float32, len(indices)*size), make([]int64, len(indices))
	if err := checkIndices(indices, s.Len()); err != nil {
		return Batch{}, err
	}
	for i, index := range indices {
		labels[i] = int64(s.digits.Labels[index])
		row := pixels[i*size : (i+1)*size]
		for j, p := range s.digits.Images.Pixels[index*size : (index+1)*size] {
			row[j] = float32(p) / 255
		}
	}
	return Batch{
		Inputs: nd.FromSliceIn(s.env, pixels, len(indices), size), Labels: nd.FromSliceIn(s.env, labels, len(indices)), Count: len(indices),
	}, nil
}
