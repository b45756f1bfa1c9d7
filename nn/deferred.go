package nn

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// Unknown is a number of inputs or channels that a layer takes from the first array that it is called with. Its parameters are made
// then, with the bits that they would have had if they had been made in that order at once. Before, Params, State, Initialise and
// with them optimisers panic with *nd.Error; see Build.
const Unknown = math.MinInt32

// Build makes the parameters of layers whose numbers of inputs or channels are Unknown, by one call in inference; x is an array such
// as the model will be called with, of which no samples are needed: one of shape (0, axes...) will do.
func Build(l Layer, x *nd.Array) {
	if isNil(l) {
		mistake("Build", fault.ErrMisuse, "the layer is nil")
	}
	l.Forward(Infer(), x)
}

// deferred makes the parameters of a layer when their number is known.
type deferred struct {
	made   atomic.Bool
	making sync.Mutex
	create func(size int) // until they are made
}

// later makes the parameters at once if size is known, else when ready tells it. Mistakes are the maker's.
func (d *deferred) later(maker string, size int, create func(size int)) {
	d.create = func(size int) {
		defer named(maker)
		create(size)
		d.create = nil
		d.made.Store(true)
	}
	if size != Unknown {
		d.create(size)
	}
}

// ready makes the parameters for the size of an axis of x, which may be -1 for the last, if that is still to be done.
func (d *deferred) ready(call string, x *nd.Array, axis int) {
	if d.made.Load() {
		return
	}
	d.making.Lock()
	defer d.making.Unlock()
	if d.made.Load() {
		return
	}
	shape := x.Shape()
	if axis < 0 {
		axis += max(len(shape), 1)
	}
	if axis >= len(shape) || shape[axis] == 0 {
		mistake(call, fault.ErrShape, fmt.Sprintf("the number of parameters follows from axis %d, which %s does not have, or without elements",
			axis, fault.FormatShape(shape)), x)
	}
	d.create(shape[axis])
}

// must fails in the user's line if the parameters are not made.
func (d *deferred) must(layer string) {
	if !d.made.Load() {
		mistake(layer, fault.ErrMisuse, "its parameters are made when it is called first, for a size that is not known yet: call Build before")
	}
}

// known returns a size to check, which may be Unknown.
func known(size int) int {
	if size == Unknown {
		return 0
	}
	return size
}
