package nn

import (
	"sync"

	"github.com/weft-nd/weft/autograd"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/resource"
)

// Ctx is what a forward pass needs beside its input. It may be used from any goroutine.
type Ctx struct {
	Tape      *autograd.Tape      // records; nil if nothing does
	Train     bool                // layers behave as in training
	Generator *resource.Generator // random numbers of layers that need them

	// Changes is told of each array that a layer changes beside the parameters, such as running averages, before it does, so that what saves
	// a model can tell what it lacks. Nobody is told if it is nil. It may be called from any goroutine.
	Changes func(a *nd.Array)

	within *within // nil if none
}

// within is the handles on parameters in the Env of a pass.
type within struct {
	env *nd.Env

	mu      sync.Mutex
	handles map[*nd.Array]*nd.Array
}

func (w *within) handle(p *nd.Array) *nd.Array {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.handles[p] == nil {
		w.handles[p] = p.In(p.Env().WithCaptureOf(w.env))
	}
	return w.handles[p]
}

// Train returns the context of a training pass recorded by tape.
func Train(tape *autograd.Tape, g *resource.Generator) *Ctx {
	return &Ctx{Tape: tape, Train: true, Generator: g}
}

// Infer returns the context of a pass that is not recorded.
func Infer() *Ctx { return &Ctx{} }

// In returns the context of a pass in env, of a function that is captured (see nd.Captured): what layers compute of their parameters alone
// belongs to the capture too.
func (c *Ctx) In(env *nd.Env) *Ctx {
	derived := *c
	derived.within = &within{env: env, handles: map[*nd.Array]*nd.Array{}}
	return &derived
}

// Param returns the handle on parameter p to compute with: watched by the tape if there is one, the same for every use in
// one pass, and in the capture of the Env of In.
func (c *Ctx) Param(p *nd.Array) *nd.Array {
	if c.Tape != nil {
		p = c.Tape.Watch(p)
	}
	if c.within != nil && c.within.env.Captures() {
		p = c.within.handle(p)
	}
	return p
}
