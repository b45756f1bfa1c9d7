package nn

import (
	"iter"
	"slices"
	"strconv"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// Layer maps an array to another, with parameters that are learned. One that is made of others embeds Parts, so that it names, saves and
// initialises all that these have.
type Layer interface {
	// Forward computes the output of the layer for x, whose first axis counts samples.
	Forward(c *Ctx, x *nd.Array) *nd.Array
	// Named yields the parameters with their names within the layer. The arrays are those that optimisers update.
	Named() iter.Seq2[string, *nd.Array]
}

// Params returns the parameters of a layer, in the order of Named; one that several layers share is there once.
func Params(l Layer) []*nd.Array {
	if isNil(l) {
		mistake("Params", fault.ErrMisuse, "the layer is nil")
	}
	return each(l.Named())
}

// each returns the arrays, one that comes several times once.
func each(named iter.Seq2[string, *nd.Array]) []*nd.Array {
	arrays := []*nd.Array{}
	for _, a := range named {
		if !slices.Contains(arrays, a) {
			arrays = append(arrays, a)
		}
	}
	return arrays
}

// Sequential applies layers one after another. A Dense layer and the Relu that follows it are computed as one operator, and in
// inference a Gelu; a Relu is computed after the maxima of windows that follow it, of which there are fewer, and maxima of windows
// beside one another together with the Conv of images before them. The results have the same bits, and take less time and memory; of
// gradients through maxima the sums are made in another order.
type Sequential struct{ layers []Layer }

// NewSequential returns the composition of layers, the first applied first. It panics with *nd.Error if one is nil.
func NewSequential(layers ...Layer) *Sequential {
	checkLayers("NewSequential", layers)
	return &Sequential{slices.Clone(layers)}
}

// Forward implements Layer.
func (s *Sequential) Forward(c *Ctx, x *nd.Array) *nd.Array {
	checkForward("Sequential", c, x)
	flow := between{array: x}
	for i := 0; i < len(s.layers); i++ {
		if y, more := s.together(c, flow.array, i); more > 0 {
			flow.pass(y, true)
			i += more
			continue
		}
		flow.pass(s.layers[i].Forward(c, flow.array), isDiscreet(s.layers[i]))
	}
	return flow.array
}

// together computes layer i and some of the next together, and returns how many these are, 0 if it did not.
func (s *Sequential) together(c *Ctx, x *nd.Array, i int) (y *nd.Array, more int) {
	if i+1 == len(s.layers) {
		return nil, 0
	}
	switch layer := s.layers[i].(type) {
	case *Conv:
		if next, isPool := s.layers[i+1].(*Pool); isPool && layer.pools(x, next) {
			return layer.forwardMaxima(c, x, next, false), 1
		}
		relu, isActivation := s.layers[i+1].(*activation)
		if isActivation && relu.fused == nd.ReluActivation && i+2 < len(s.layers) {
			if next, isPool := s.layers[i+2].(*Pool); isPool && layer.pools(x, next) {
				return layer.forwardMaxima(c, x, next, true), 2
			}
		}
	case *Dense:
		if next, isActivation := s.layers[i+1].(*activation); isActivation && next.fuses(c) {
			return layer.forward(c, x, next.fused), 1
		}
	case *activation:
		if next, isPool := s.layers[i+1].(*Pool); isPool && layer.fused == nd.ReluActivation && next.commutesWithRelu(x) {
			flow := between{array: x}
			flow.pass(next.Forward(c, x), true)
			flow.pass(layer.Forward(c, flow.array), true)
			return flow.array, 1
		}
	}
	return nil, 0
}

// Named implements Layer: names are those within the layers behind the layer's number, such as "0.weight".
func (s *Sequential) Named() iter.Seq2[string, *nd.Array] { return arraysOf(s.numbered(), Layer.Named) }

// NamedState implements Stateful.
func (s *Sequential) NamedState() iter.Seq2[string, *nd.Array] {
	return arraysOf(s.numbered(), stateOf)
}

// numbered yields the layers with their numbers as names.
func (s *Sequential) numbered() iter.Seq2[string, Layer] {
	return func(yield func(string, Layer) bool) {
		for i, l := range s.layers {
			if !yield(strconv.Itoa(i), l) {
				return
			}
		}
	}
}

// Params returns the parameters of all layers.
func (s *Sequential) Params() []*nd.Array { return Params(s) }

// Func is a layer without parameters.
type Func func(x *nd.Array) *nd.Array

// Forward implements Layer.
func (f Func) Forward(c *Ctx, x *nd.Array) *nd.Array {
	checkForward("Func", c, x)
	if f == nil {
		mistake("Func.Forward", fault.ErrMisuse, "the function is nil")
	}
	return f(x)
}

// Named implements Layer.
func (f Func) Named() iter.Seq2[string, *nd.Array] { return func(func(string, *nd.Array) bool) {} }

// Flatten is a layer that joins all axes but the first: arrays of shape (samples, axes...) become (samples, elements).
var Flatten = Func(func(x *nd.Array) *nd.Array {
	if x.Rank() == 0 {
		return x.Reshape(1, 1)
	}
	elements := 1 // counted, as those of no samples do not tell
	for _, n := range x.Shape()[1:] {
		elements *= n
	}
	return x.Reshape(x.Shape()[0], elements)
})
