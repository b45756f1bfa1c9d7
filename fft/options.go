package fft

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// Option changes what a transform goes along, and what its results are divided by.
type Option func(o *options)

type options struct {
	axes, lengths []int
	norm          Norm
}

// Along names the axes that are transformed, one for FFT, two for FFT2; negative ones count from the end. Of the
// transforms of real numbers the last one named has half of the numbers.
func Along(axes ...int) Option {
	axes = slices.Clone(axes)
	return func(o *options) { o.axes = axes }
}

// Lengths tells how many numbers are transformed along each of the axes: those behind are left out, and those that lack
// are zeros. −1 stands for as many as there are. For transforms to real numbers lengths are those of the result.
// Without Along they are of the last axes.
func Lengths(lengths ...int) Option {
	lengths = slices.Clone(lengths)
	return func(o *options) { o.lengths = lengths }
}

// Norm tells which transforms are divided by n, how many numbers are transformed together.
type Norm string

// The norms.
const (
	Backward Norm = "backward" // the inverse ones
	Ortho    Norm = "ortho"    // both, by the root of n, which makes them unitary
	Forward  Norm = "forward"  // those that are not inverse
)

// Normed chooses what results are divided by; it is Backward where it is not chosen.
func Normed(norm Norm) Option { return func(o *options) { o.norm = norm } }

// transform calls an operator along the last axes, so many of them, unless options tell otherwise; 0 stands for all.
func transform(function string, op *ops.Operator, x *nd.Array, inverse bool, rank int, given []Option) *nd.Array {
	o := options{norm: Backward}
	for _, option := range given {
		if option == nil {
			mistake(function, fault.ErrMisuse, "an option is nil")
		}
		option(&o)
	}
	checkNotNil(function, x)
	if len(o.axes) == 0 {
		for axis := range o.count(function, x, rank) {
			o.axes = append(o.axes, -1-axis)
		}
		slices.Reverse(o.axes)
	}
	if rank > 0 && len(o.axes) != rank {
		mistake(function, fault.ErrAxis, fmt.Sprintf("axes %v are named, want %d", o.axes, rank), x)
	}
	p := ops.FourierParams{Axes: o.axes, Lengths: o.lengths, Inverse: inverse, Norm: string(o.norm)}
	return (*nd.Array)(ops.InvokeOne(op.CalledBy("fft."+function), p, (*ops.Tensor)(x)))
}

// count returns how many of the last axes of x are transformed where none are named.
func (o *options) count(function string, x *nd.Array, wanted int) int {
	switch rank := x.Rank(); {
	case wanted > rank || rank == 0:
		mistake(function, fault.ErrShape, fmt.Sprintf("the array has %d axes, want at least %d", rank, max(wanted, 1)), x)
	case wanted > 0:
		return wanted
	case len(o.lengths) > rank:
		mistake(function, fault.ErrParameter, fmt.Sprintf("%d lengths for %d axes", len(o.lengths), rank), x)
	case len(o.lengths) > 0:
		return len(o.lengths)
	}
	return x.Rank()
}

func checkNotNil(function string, x *nd.Array) {
	if x == nil {
		mistake(function, fault.ErrMisuse, "the array is nil")
	}
	(*ops.Tensor)(x).CheckAccess("fft."+function, engine.Read, fault.Here(2))
}

// mistake panics with the error of a mistaken call.
func mistake(function string, reason error, detail string, operands ...*nd.Array) {
	panic(fault.Mistake(fault.Here(2), "fft."+function, reason, detail, operands...))
}
