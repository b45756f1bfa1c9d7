package ops

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/storage"
)

// CaptureFunction is Capture for a function of inputs, to be run again by ReplayWith. It panics with *fault.Error if a replay
// would not compute the function of its new inputs: if f has written to an input; if f, outside of the Env that it was given,
// has drawn random numbers, or computed from arrays that operators have written, and used the results; if it has updated an
// array that it made outside of that Env; or if it has written to an array both inside and outside. It cannot detect what comes
// from Go's memory, or is decided by values. If ReplayWith reads other inputs where they are, the inputs given here are
// released.
func (e *Env) CaptureFunction(inputs []*Tensor, f func(env *Env) (outputs []*Tensor)) *Capture {
	s := newStrays(e.engine)
	s.begin()
	defer s.end()
	var outputs []*Tensor
	c := e.keep(func(env *Env) { outputs = f(env) }, s)
	problem := s.problem
	for i, t := range outputs {
		if site := s.site(t.view.Synced); site != nil && problem == nil {
			problem = &fault.Error{Operator: "Capture", Detail: fmt.Sprintf("output %d was computed at %v, %s", i, site, strayed), Cause: fault.ErrMisuse, Site: site}
		}
	}
	for i, t := range inputs {
		for _, p := range c.phases {
			if site := p.writes(t.view.Synced); site != nil && problem == nil {
				problem = &fault.Error{Operator: "Capture", Detail: fmt.Sprintf("the function writes to its input %d, which it has to copy", i), Cause: fault.ErrMisuse, Site: site}
			}
		}
	}
	if problem != nil {
		c.Release()
		panic(problem)
	}
	c.take(inputs, fault.Here(1))
	return c
}

// strays are arrays that were drawn, or computed from what may change, while a capture was made, by calls that it does not
// keep: a Replay would find them as they were then. What such calls make from constants, which no operation has written, is
// constant too.
type strays struct {
	engine engine.Engine

	mu      sync.Mutex
	sites   map[*storage.Synced]*fault.Site // of the calls, for all memory that was made meanwhile but not by calls that are kept; nil of constants
	outside map[*storage.Synced]*fault.Site // of the first call that is not kept and writes to other memory
	changed map[*storage.Synced]bool        // by calls that are kept
	problem *fault.Error                    // the first
}

func newStrays(e engine.Engine) *strays {
	return &strays{
		engine: e, sites: map[*storage.Synced]*fault.Site{}, outside: map[*storage.Synced]*fault.Site{}, changed: map[*storage.Synced]bool{},
	}
}

const strayed = "not in the Env that the function got, and so it would stay as it is: bring an operand there with In, or draw there"

// straying are those of the captures that are being made. Every call looks at their number.
var straying struct {
	count atomic.Int32
	mu    sync.Mutex
	all   []*strays
}

func (s *strays) begin() {
	straying.mu.Lock()
	defer straying.mu.Unlock()
	straying.all = append(straying.all, s)
	straying.count.Add(1)
}

func (s *strays) end() {
	straying.mu.Lock()
	defer straying.mu.Unlock()
	at := slices.Index(straying.all, s)
	straying.all = slices.Delete(straying.all, at, at+1)
	straying.count.Add(-1)
}

// made notes memory that is made while captures are made, of a constant.
func (e *Env) made(memory *storage.Synced) {
	if straying.count.Load() == 0 {
		return
	}
	straying.mu.Lock()
	defer straying.mu.Unlock()
	for _, s := range straying.all {
		if s.engine == e.engine {
			s.mu.Lock()
			s.sites[memory] = nil
			s.mu.Unlock()
		}
	}
}

// stray notes what l writes, which no capture keeps.
func (l *launch) stray() {
	var written []bool // Variables are asked before the locks are taken: look holds the engine's when it takes one.
	for _, t := range l.call.inputs {
		written = append(written, !t.IsScalar() && t.view.Synced.Var().Sequence() > 0)
	}
	straying.mu.Lock()
	defer straying.mu.Unlock()
	for _, s := range straying.all {
		if s.engine == l.call.env.engine {
			s.note(l, written)
		}
	}
}

// note notes what l writes, some of whose operands operations have written.
func (s *strays) note(l *launch, written []bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var site *fault.Site
	if l.call.Operator.Draws {
		site = l.call.Site
	}
	for i, t := range l.call.inputs {
		if from, known := s.sites[t.view.Synced]; from != nil || s.changed[t.view.Synced] || !known && written[i] {
			site = l.call.Site
		}
	}
	for i, t := range l.call.inputs {
		if l.call.inputMode(i) != engine.Read {
			s.update(t.view.Synced, site, l.call.Site)
		}
	}
	for _, t := range l.outputs {
		if l.call.allocates {
			s.sites[t.view.Synced] = site
		} else {
			s.update(t.view.Synced, site, l.call.Site)
		}
	}
}

// update notes that a call at a line writes to memory that was there; site is that line too, or nil if it writes constants.
func (s *strays) update(memory *storage.Synced, site, at *fault.Site) {
	from, known := s.sites[memory]
	switch {
	case known && from == nil:
		s.sites[memory] = site
	case !known && s.outside[memory] == nil:
		s.outside[memory] = at
	}
}

// look notes what l writes, which a capture keeps, and remembers l if it is the first that reads a stray.
func (s *strays) look(l *launch) {
	for i, t := range l.call.inputs {
		if site := s.site(t.view.Synced); site != nil && s.problem == nil {
			s.problem = &fault.Error{
				Operator: l.call.Operator.Called(), Detail: fmt.Sprintf("operand %d was computed at %v, %s", i, site, strayed), Cause: fault.ErrMisuse, Site: l.call.Site,
			}
			l.call.describe(s.problem)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range l.replicas {
		if m.mode != engine.Read {
			s.changed[m.synced] = true
		}
	}
}

// judge remembers a piece of memory in which a Replay would not find what the function finds there when it is called. In memory
// that the function makes, that is what earlier calls have left; in other memory, what is not written from outside before the
// call. Memory that the capture itself writes counts too, if it does so from another line: others may meanwhile call the
// function with other inputs, or write what it reads.
func (s *strays) judge(lives map[*storage.Synced]*life) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for memory, of := range lives {
		detail, site := "", of.carries
		if _, made := s.sites[memory]; made && site != nil {
			detail = "it updates an array that it makes, but not in the Env that it got, and so a later call would find there what the last has left: " +
				"make it there, as ZerosIn, FullIn and Copy do"
		} else if at := s.outside[memory]; at != nil && len(of.writes) > 0 && !of.isWrittenAt(at) {
			detail, site = fmt.Sprintf("an array that it writes to in the Env that it got is also written at %v, where it would stay as it is: "+
				"bring an operand there with In", at), at
		}
		if detail != "" && s.problem == nil {
			s.problem = &fault.Error{Operator: "Capture", Detail: detail, Cause: fault.ErrMisuse, Site: site}
		}
	}
}

// site returns the line of the call that computed memory, nil if it is no stray.
func (s *strays) site(memory *storage.Synced) *fault.Site {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sites[memory]
}
