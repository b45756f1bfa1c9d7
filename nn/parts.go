package nn

import (
	"iter"

	nd "github.com/weft-nd/weft/ndarray"
)

// Parts are the layers that a layer of one's own is made of. Embedded in its type they give it Named, NamedState, Params and Initialise: without
// these, optimisers do not learn the parameters of a part, and files lack them and the running averages of a BatchNorm.
type Parts []Part

// Part is a layer with a name, which is that of no other part.
type Part struct {
	Name  string
	Layer Layer
}

// Named yields the parameters of all parts, behind their names, such as "main.weight".
func (p Parts) Named() iter.Seq2[string, *nd.Array] { return arraysOf(p.all(), Layer.Named) }

// NamedState yields the arrays of the parts that are Stateful, behind their names.
func (p Parts) NamedState() iter.Seq2[string, *nd.Array] { return arraysOf(p.all(), stateOf) }

// Params returns the parameters of all parts, each once, see [Params].
func (p Parts) Params() []*nd.Array { return each(p.Named()) }

// Initialise draws the weights of all parts anew, see [Initialise].
func (p Parts) Initialise(env *nd.Env, draw Initialiser) {
	for _, l := range p.all() {
		Initialise(l, env, draw)
	}
}

func (p Parts) all() iter.Seq2[string, Layer] {
	return func(yield func(string, Layer) bool) {
		for _, part := range p {
			if !yield(part.Name, part.Layer) {
				return
			}
		}
	}
}

// arraysOf yields what of gives for each layer, behind the layer's name.
func arraysOf(layers iter.Seq2[string, Layer], of func(Layer) iter.Seq2[string, *nd.Array]) iter.Seq2[string, *nd.Array] {
	return func(yield func(string, *nd.Array) bool) {
		for name, l := range layers {
			for inner, a := range of(l) {
				if !yield(name+"."+inner, a) {
					return
				}
			}
		}
	}
}

// stateOf yields the arrays of a layer that is Stateful.
func stateOf(l Layer) iter.Seq2[string, *nd.Array] {
	if stateful, ok := l.(Stateful); ok {
		return stateful.NamedState()
	}
	return func(func(string, *nd.Array) bool) {}
}
