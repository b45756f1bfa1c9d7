package nn

import (
	"iter"

	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/random"
)

// Embedding is a table with a vector for each of a number of things, such as words, that are told by their numbers.
type Embedding struct{ weight *nd.Array } // (things, elements)

// NewEmbedding returns a float32 layer from integer arrays of any shape, with elements from 0 to things−1, to arrays with one more
// axis, of the given number of elements. Its vectors are drawn from the generator of env, of the standard normal distribution. It
// panics with *nd.Error if a number is not positive. A number out of range is an error of the result of Forward.
func NewEmbedding(env *nd.Env, things, elements int) *Embedding {
	checkMaking("NewEmbedding", env, 1, things, elements)
	return &Embedding{random.Normal(env, dtype.Float32, 0, 1, things, elements)}
}

// Forward implements Layer.
func (e *Embedding) Forward(c *Ctx, x *nd.Array) *nd.Array {
	checkForward("Embedding", c, x)
	return nd.Embedding(c.Param(e.weight), x)
}

// Named implements Layer.
func (e *Embedding) Named() iter.Seq2[string, *nd.Array] {
	return func(yield func(string, *nd.Array) bool) { yield("weight", e.weight) }
}
