package nn

import (
	"fmt"
	"iter"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/random"
)

// PositionalEmbedding adds to each time of a sample a vector that is learned for its place, since attention by itself does not know
// the order of times (Gehring, Auli, Grangier, Yarats and Dauphin, "Convolutional sequence to sequence learning", ICML 2017).
type PositionalEmbedding struct{ weight *nd.Array } // (times, features)

// NewPositionalEmbedding returns a float32 layer from arrays of shape (..., times, features), with up to the given number of times, to
// arrays of the same shape. Its vectors are drawn from the generator of env, of the standard normal distribution. It panics with
// *nd.Error if a number is not positive, and so does Forward if there are more times, or another number of features.
func NewPositionalEmbedding(env *nd.Env, times, features int) *PositionalEmbedding {
	checkMaking("NewPositionalEmbedding", env, 1, times, features)
	defer named("NewPositionalEmbedding")
	return &PositionalEmbedding{random.Normal(env, dtype.Float32, 0, 1, times, features)}
}

// Forward implements Layer.
func (p *PositionalEmbedding) Forward(c *Ctx, x *nd.Array) *nd.Array {
	checkForward("PositionalEmbedding", c, x)
	shape, most := x.Shape(), p.weight.Shape()
	rank := len(shape)
	if rank < 2 || shape[rank-2] > most[0] || shape[rank-1] != most[1] {
		mistake("PositionalEmbedding.Forward", fault.ErrShape,
			fmt.Sprintf("x %s does not fit: want (...,times,%d) with up to %d times", fault.FormatShape(shape), most[1], most[0]), x)
	}
	weight := c.Param(p.weight)
	if times := shape[rank-2]; times < most[0] {
		weight = weight.Index(nd.Span(0, times))
	}
	return x.Add(weight)
}

// Named implements Layer.
func (p *PositionalEmbedding) Named() iter.Seq2[string, *nd.Array] {
	return func(yield func(string, *nd.Array) bool) { yield("weight", p.weight) }
}
