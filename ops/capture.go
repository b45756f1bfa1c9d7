package ops

import (
	"sync"

	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/storage"
)

// Capture is a part of a program that has run once and can run again, at a fraction of the cost of calling its operators: see
// Env.Capture and Replay. All methods may be called from any goroutine.
type Capture struct {
	engine  engine.Engine
	phases  []phase
	kept    []*storage.Hold
	scratch []*storage.Synced
	calls   int

	// Of CaptureFunction; see ReplayWith.
	inputs []*Tensor
	order  []int    // in which they are copied: small ones are there while a worker copies large ones
	lends  *stretch // that they are lent to; nil where they are copied

	mu       sync.Mutex // of one Replay at a time
	released *fault.Site
}

// phase is a part of a capture. Its methods are called by one goroutine at a time.
type phase interface {
	// check panics with *fault.Error if push would be a mistake. It is called inside engine.Atomically.
	check(site *fault.Site)
	push(e engine.Engine, site *fault.Site)
	// writes returns the line of a call that writes to memory, nil if there is none.
	writes(memory *storage.Synced) *fault.Site
}

// Capture calls f with an Env like e, and keeps the calls of operators in that Env, and in Envs joined with it, to run them
// again. While f runs they run as always, and f may wait for results and look at them. What the calls read, wrote and made
// stays in memory, temporaries included, until the capture is released or unreachable. Everything else stays as it was when f
// ran, since f is not called again: the numbers that it passes, the arrays that it makes from Go's memory, the branches that it
// takes. Random operators draw anew each time. A write in that Env that is not an operator's panics with *fault.Error, and so
// does a capture within another. A panic of f is passed on.
func (e *Env) Capture(f func(env *Env)) *Capture {
	problem := ""
	switch {
	case f == nil:
		problem = "the function is nil"
	case e.capturing() != nil:
		problem = "the Env belongs to a capture already"
	}
	if problem != "" {
		panic(&fault.Error{Operator: "Capture", Detail: problem, Cause: fault.ErrMisuse, Site: fault.Here(1)})
	}
	return e.keep(f, nil)
}

// keep calls f, and looks for strays if they are not nil.
func (e *Env) keep(f func(env *Env), s *strays) *Capture {
	made := &Capture{engine: e.engine}
	inner, returned := *e, false
	inner.capture = newCapturing(made, s)
	defer func() {
		e.engine.Atomically(inner.capture.end)
		if !returned {
			made.Release()
		}
	}()
	f(&inner)
	returned = true
	return made
}

// WithCaptureOf returns an Env like e whose calls are kept by the same capture as those of other, if one is being made there;
// otherwise e. Both must have one engine.
func (e *Env) WithCaptureOf(other *Env) *Env {
	capture := other.capturing()
	if capture == e.capturing() || capture == nil || e.engine != other.engine {
		return e
	}
	derived := *e
	derived.capture = capture
	return &derived
}

// InCaptureOf returns t in the capture that keeps the calls of one of others, if t is in none: so what a function of several
// arrays computes from one of them alone is kept, too. A scalar, which nobody writes to, stays as it is.
func (t *Tensor) InCaptureOf(others ...*Tensor) *Tensor {
	if t.env.Captures() || t.IsScalar() {
		return t
	}
	for _, other := range others {
		if env := t.env.WithCaptureOf(other.env); env != t.env {
			return t.In(env)
		}
	}
	return t
}

// Captures reports whether calls in e are kept by a capture that is being made.
func (e *Env) Captures() bool { return e.capturing() != nil }

// Calls returns how many calls of operators a Replay repeats.
func (c *Capture) Calls() int { return c.calls }

// Replay runs the calls again, in their order, on the memory that they had: what f read is read again as it is now, wherever it
// was written since, and what f wrote or made is written again. It returns at once. Consecutive calls on one device form one
// bulk of the engine. On a device that can keep work, as GPUs do by CUDA graphs, a bulk costs one call of the driver from the
// third Replay on, and an error of one of its calls is an error of all that they write; elsewhere errors are as if each
// operator had been called. Cancel scopes and priorities of f do not apply, no tape records a Replay, and no other capture
// keeps it. Replays of one capture come one after another; operators called meanwhile by other goroutines may come between the
// calls of one. Replay panics with *fault.Error, having done nothing, if memory was released or a live tape has saved what
// would be written.
func (c *Capture) Replay() {
	site := fault.Here(1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.checkUnreleased(site)
	if c.lends != nil {
		panic(&fault.Error{Operator: "Replay", Detail: "the capture is of a function of inputs, for ReplayWith", Cause: fault.ErrMisuse, Site: site})
	}
	c.replay(site)
}

func (c *Capture) checkUnreleased(site *fault.Site) {
	if c.released != nil {
		panic(&fault.Error{Operator: "Replay", Detail: "the capture was released at " + c.released.String(), Cause: fault.ErrReleased, Site: site})
	}
}

// replay is Replay for a caller that has locked c.mu.
func (c *Capture) replay(site *fault.Site) {
	c.engine.Atomically(func(engine.Pusher) {
		for _, s := range c.phases {
			s.check(site)
		}
	})
	for _, s := range c.phases {
		s.push(c.engine, site)
	}
}

// Release lets go of all that the capture keeps: arrays that others hold stay, and what f has discarded is given back when the
// replays so far are done. From now on Replay panics with fault.ErrReleased. Releasing again is harmless.
func (c *Capture) Release() {
	site := fault.Here(1)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.released != nil {
		return
	}
	c.released, c.phases = site, nil
	for _, h := range c.kept {
		h.Drop()
	}
	for _, s := range c.scratch {
		s.Release(site)
	}
	c.kept, c.scratch, c.inputs, c.lends = nil, nil, nil, nil
}
