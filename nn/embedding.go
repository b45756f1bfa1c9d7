package nn

import (
	"iter"

	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/random"
)

// Embedding is a table with a vector for each thing of a vocabulary, such as a word, that is told by its number.
type Embedding struct {
	weight *nd.Array // (vocabulary, dimension)
}

// NewEmbedding returns a float32 layer from integer arrays of any shape, with elements from 0 to vocabulary−1, to
// arrays with one more axis, of dimension elements; negative ones count from the end, as in nd.Embedding. Its vectors
// are drawn from the generator of env, of the standard normal distribution. It panics with *nd.Error if a number is not
// positive. A number out of range is an error of the result of Forward.
func NewEmbedding(env *nd.Env, vocabulary, dimension int) *Embedding {
	checkMaking("NewEmbedding", env, 1, vocabulary, dimension)
	defer named("NewEmbedding")
	return &Embedding{random.Normal(env, dtype.Float32, 0, 1, vocabulary, dimension)}
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
