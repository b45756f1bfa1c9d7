package nn

import (
	"fmt"
	"iter"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// Dropout is a layer that sets elements to zero at random in training, and divides the others by the probability of staying, so
// that it does nothing in inference (Srivastava et al., "Dropout: a simple way to prevent neural networks from overfitting",
// JMLR 15, 2014). It keeps no memory for the gradient: the mask follows from the random numbers of the call.
type Dropout struct{ probability float64 }

// NewDropout returns a layer that drops each element with the given probability. It panics with *nd.Error unless that is
// from 0 to 1.
func NewDropout(probability float64) *Dropout {
	if !(probability >= 0 && probability <= 1) {
		mistake("NewDropout", fault.ErrParameter, fmt.Sprintf("probability is %v (legal: from 0 to 1)", probability))
	}
	return &Dropout{probability}
}

// Forward implements Layer. It draws from the generator of c, or from that of the Env of x where c has none. In inference it
// returns x.
func (d *Dropout) Forward(c *Ctx, x *nd.Array) *nd.Array {
	checkForward("Dropout", c, x)
	if !c.Train {
		return x
	}
	env := x.Env()
	if c.Generator != nil {
		x = x.In(env.WithGenerator(c.Generator))
	}
	return nd.Invoke(ops.Dropout, ops.DropoutParams{Probability: d.probability}, x)[0].In(env)
}

// Named implements Layer: there are no parameters.
func (*Dropout) Named() iter.Seq2[string, *nd.Array] { return func(func(string, *nd.Array) bool) {} }
