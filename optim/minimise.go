package optim

import (
	"context"

	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// Minimise is a step down: [Optimiser.Step] with the gradients of loss, an array of one element that tape has recorded, with respect to
// the parameters. Nobody else sees the gradients, so their memory serves the next step at once, while it is in the caches of the
// processors; that of gradients that are dropped waits for Go's collector. Errors are those of Step, and of [autograd.Tape.Gradient].
func (o *Optimiser) Minimise(ctx context.Context, tape *autograd.Tape, loss *nd.Array) error {
	if tape == nil {
		fail(1, fault.ErrMisuse, "Minimise", "the tape is nil")
	}
	gradients := tape.Gradient(loss, o.params...)
	defer func() {
		for _, g := range gradients {
			(*ops.Tensor)(g).Discard(fault.Here(1))
		}
	}()
	return o.Step(ctx, gradients)
}
