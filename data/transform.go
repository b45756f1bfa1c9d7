package data

import (
	"fmt"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// Transform changes the batches of a Loader, with random numbers for their samples if it needs some. It may be called from several
// goroutines at once, each time with Draws of its own, and leaves the number of samples as it is.
type Transform func(b Batch, d *Draws) (Batch, error)

// Inputs changes the inputs of a batch by a function of arrays. It panics with *nd.Error if that is nil.
func Inputs(change func(x *nd.Array) *nd.Array) Transform {
	checkOption("data.Inputs", change == nil, "the function is nil")
	return func(b Batch, _ *Draws) (Batch, error) {
		b.Inputs = change(b.Inputs)
		return b, nil
	}
}

// Labels changes the labels of a batch by a function of arrays. It panics with *nd.Error if that is nil.
func Labels(change func(labels *nd.Array) *nd.Array) Transform {
	checkOption("data.Labels", change == nil, "the function is nil")
	return func(b Batch, _ *Draws) (Batch, error) {
		if b.Labels == nil {
			return Batch{}, fmt.Errorf("there are no labels")
		}
		b.Labels = change(b.Labels)
		return b, nil
	}
}

// ToFloat makes inputs float32, divided by most: 255 takes bytes to numbers from 0 to 1. It panics with *nd.Error if most is zero.
func ToFloat(most float64) Transform {
	checkOption("data.ToFloat", most == 0, "the divisor is zero")
	return Inputs(func(x *nd.Array) *nd.Array { return x.Cast(dtype.Float32).DivScalar(most) })
}

// Normalise subtracts means from inputs and divides by deviations: one number each for all elements, or one for each
// channel, which is the second axis. Inputs of integers are an error of their batch, since the results are no integers:
// ToFloat goes before it. It panics with *nd.Error if means and deviations are not equally many, or a deviation is not
// positive.
func Normalise(means, deviations []float64) Transform {
	checkOption("data.Normalise", len(means) == 0 || len(means) != len(deviations), fmt.Sprintf("%d means and %d deviations", len(means), len(deviations)))
	for _, d := range deviations {
		checkOption("data.Normalise", !(d > 0), fmt.Sprintf("a deviation is %v (legal: positive)", d))
	}
	return func(b Batch, _ *Draws) (Batch, error) {
		if d := b.Inputs.DType(); !d.IsFloat() && !d.IsComplex() {
			return Batch{}, &nd.Error{Operator: "data.Normalise", Cause: fault.ErrDType,
				Detail: fmt.Sprintf("inputs of %v %s, want floating point: put ToFloat before it", d, fault.FormatShape(b.Inputs.Shape()))}
		}
		shape := make([]int, max(b.Inputs.Rank(), 2))
		for i := range shape {
			shape[i] = 1
		}
		shape[1] = len(means)
		if n := b.Inputs.Shape(); len(means) > 1 && (len(n) < 2 || n[1] != len(means)) {
			return Batch{}, fmt.Errorf("%d means for inputs %s: want one, or one for each channel", len(means), fault.FormatShape(n))
		}
		numbers := func(values []float64) *nd.Array {
			return nd.FromSliceIn(b.Inputs.Env(), values, shape[:max(b.Inputs.Rank(), 1)]...).Cast(b.Inputs.DType())
		}
		b.Inputs = b.Inputs.Sub(numbers(means)).Div(numbers(deviations))
		return b, nil
	}
}

// OneHot makes of integer labels rows with a one at the label and zeros elsewhere, float32. A label out of range is an error of the
// row's array.
func OneHot(classes int) Transform {
	return Labels(func(labels *nd.Array) *nd.Array { return labels.OneHot(classes, dtype.Float32) })
}

// RandomFlip mirrors each sample along the last axis with the given probability. It panics with *nd.Error unless that is from 0 to 1.
func RandomFlip(probability float64) Transform {
	checkOption("data.RandomFlip", !(probability >= 0 && probability <= 1), fmt.Sprintf("probability is %v (legal: from 0 to 1)", probability))
	return func(b Batch, d *Draws) (Batch, error) {
		if b.Inputs.Rank() < 2 {
			return Batch{}, fmt.Errorf("inputs %s have no axis behind the samples", fault.FormatShape(b.Inputs.Shape()))
		}
		flips, shape := make([]bool, b.Count), make([]int, b.Inputs.Rank())
		for i, u := range d.Uniform() {
			flips[i] = u < probability
		}
		for i := range shape {
			shape[i] = 1
		}
		shape[0] = b.Count
		b.Inputs = nd.Where(nd.FromSliceIn(b.Inputs.Env(), flips, shape...), b.Inputs.Flip(-1), b.Inputs)
		return b, nil
	}
}

// RandomShift moves each sample along the last two axes by up to so many elements either way, along each axis by a distance of its
// own; what comes in is zero. It panics with *nd.Error if most is negative.
func RandomShift(most int) Transform {
	checkOption("data.RandomShift", most < 0, fmt.Sprintf("a shift by %d (legal: at least 0)", most))
	return func(b Batch, d *Draws) (Batch, error) {
		if shape := b.Inputs.Shape(); len(shape) >= 3 {
			return crop(b, d, shape[len(shape)-2], shape[len(shape)-1], most)
		}
		return crop(b, d, 1, 1, most)
	}
}

// RandomCrop takes a window of the given height and width from each sample, at a random place of the last two axes, which are padded
// with so many zeros on each side before. It panics with *nd.Error if a size is not positive, or padding negative.
func RandomCrop(height, width, padding int) Transform {
	checkOption("data.RandomCrop", height < 1 || width < 1 || padding < 0, fmt.Sprintf("windows of %d by %d with padding %d", height, width, padding))
	return func(b Batch, d *Draws) (Batch, error) { return crop(b, d, height, width, padding) }
}

// crop reads windows at random places: the elements of a sample are those of the window in the corner, moved by as many elements as
// lie before the place.
func crop(b Batch, d *Draws, height, width, padding int) (Batch, error) {
	shape := b.Inputs.Shape()
	if len(shape) < 3 {
		return Batch{}, fmt.Errorf("inputs %s have no two axes behind the samples", fault.FormatShape(shape))
	}
	axes := len(shape)
	high, wide, channels := shape[axes-2]+2*padding, shape[axes-1]+2*padding, 1
	for _, n := range shape[1 : axes-2] {
		channels *= n
	}
	if height > high || width > wide {
		return Batch{}, fmt.Errorf("a window of %d by %d does not fit into %d by %d", height, width, high, wide)
	}
	corner, moves := make([]int64, 0, channels*height*width), make([]int64, b.Count)
	for channel := range channels {
		for row := range height {
			for column := range width {
				corner = append(corner, int64((channel*high+row)*wide+column))
			}
		}
	}
	down, right := d.Integers(0, high-height), d.Integers(0, wide-width)
	for i := range moves {
		moves[i] = int64(down[i]*wide + right[i])
	}
	x, env := b.Inputs, b.Inputs.Env()
	if padding > 0 {
		around := make([]int, axes)
		around[axes-2], around[axes-1] = padding, padding
		x = x.Pad(0, around, around)
	}
	places := nd.FromSliceIn(env, corner, 1, len(corner)).Add(nd.FromSliceIn(env, moves, b.Count, 1))
	shape[axes-2], shape[axes-1] = height, width
	b.Inputs = x.Reshape(b.Count, channels*high*wide).TakeAlongAxis(places, 1).Reshape(shape...)
	return b, nil
}
