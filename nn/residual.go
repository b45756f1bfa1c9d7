package nn

import (
	"fmt"
	"iter"
	"slices"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// Residual adds to its input what layers make of it, one after another (He, Zhang, Ren and Sun, "Deep residual learning for image
// recognition", CVPR 2016). Where the last of them is a Dense layer or a MultiHeadAttention the sum is made in its operator, which
// has the same bits for float32 and float64, and for float16 and bfloat16 is rounded once, at the end.
type Residual struct {
	layers *Sequential
	before *Sequential // without the last layer, where that adds
	last   func(c *Ctx, x *nd.Array, addends ...*nd.Array) *nd.Array
}

// NewResidual returns x + layers(x). What the layers return, the first applied first, has the shape of x. It panics with *nd.Error if
// there are none, or one is nil.
func NewResidual(layers ...Layer) *Residual {
	if len(layers) == 0 {
		mistake("NewResidual", fault.ErrParameter, "there are no layers")
	}
	checkLayers("NewResidual", layers)
	r := &Residual{layers: &Sequential{slices.Clone(layers)}}
	switch last := layers[len(layers)-1].(type) {
	case *Dense:
		r.last = func(c *Ctx, x *nd.Array, addends ...*nd.Array) *nd.Array {
			return last.forward(c, x, nd.NoActivation, addends...)
		}
	case *MultiHeadAttention:
		r.last = last.forward
	default:
		return r
	}
	r.before = &Sequential{r.layers.layers[:len(layers)-1]}
	return r
}

// Forward implements Layer.
func (r *Residual) Forward(c *Ctx, x *nd.Array) *nd.Array {
	checkForward("Residual", c, x)
	flow := between{array: x}
	if r.last == nil {
		flow.pass(r.layers.Forward(c, x), isDiscreet(r.layers))
		checkShapeStays(x, flow.array)
		flow.pass(x.Add(flow.array), true)
		return flow.array
	}
	flow.pass(r.before.Forward(c, x), isDiscreet(r.before))
	flow.pass(r.last(c, flow.array, x), true)
	checkShapeStays(x, flow.array)
	return flow.array
}

// checkShapeStays fails unless y, what the layers return, has the shape of x.
func checkShapeStays(x, y *nd.Array) {
	if !slices.Equal(x.Shape(), y.Shape()) {
		mistake("Residual.Forward", fault.ErrShape, fmt.Sprintf("the layers return an array of shape %s, which is not that of x", fault.FormatShape(y.Shape())), x)
	}
}

// Named implements Layer. Names are those of [Sequential].
func (r *Residual) Named() iter.Seq2[string, *nd.Array] { return r.layers.Named() }

// NamedState implements Stateful.
func (r *Residual) NamedState() iter.Seq2[string, *nd.Array] { return r.layers.NamedState() }

// Initialise implements Weighted.
func (r *Residual) Initialise(env *nd.Env, draw Initialiser) { r.layers.Initialise(env, draw) }
