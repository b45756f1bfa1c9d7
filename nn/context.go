package nn

import (
	"github.com/weft-nd/weft/autograd"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/resource"
)

// Ctx is what a forward pass needs beside its input. It may be used from any goroutine.
type Ctx struct {
	Tape      *autograd.Tape      // records; nil if nothing does
	Train     bool                // layers behave as in training
	Generator *resource.Generator // random numbers of layers that need them
}

// Train returns the context of a training pass recorded by tape.
func Train(tape *autograd.Tape, g *resource.Generator) *Ctx {
	return &Ctx{Tape: tape, Train: true, Generator: g}
}

// Infer returns the context of a pass that is not recorded.
func Infer() *Ctx { return &Ctx{} }

// Param returns the handle on parameter p to compute with: watched by the tape if there is one, the same for every use in
// one pass.
func (c *Ctx) Param(p *nd.Array) *nd.Array {
	if c.Tape == nil {
		return p
	}
	return c.Tape.Watch(p)
}
