package ops

import (
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/storage"
)

// stretch is calls that follow one another on one device.
type stretch struct {
	device   device.Device
	calls    []*captured
	uses     []use // one for each piece of memory, but what is lent
	lent     []*lent
	places   map[*storage.Synced]int
	endings  []ending
	operator *engine.Operation // of all calls; nil until it is made
	accesses []engine.Access
}

// ending is a call behind which no other reads a piece of memory before it is written again.
type ending struct {
	synced *storage.Synced
	call   *captured
}

// tell tells the kernel whose memory nobody sees behind the call.
func (e *ending) tell() {
	for i := range e.call.lowered.Inputs {
		if e.call.lowered.Inputs[i].Synced == e.synced && e.synced.IsForgotten() {
			e.call.arguments.Unseen |= 1 << i
		}
	}
}

// use is how the calls of a stretch, taken together, access a piece of memory.
type use struct {
	memory
	variable *engine.Var // of the replica, as the operator has it
}

func (s *stretch) add(c *captured) {
	s.calls = append(s.calls, c)
	for _, m := range c.replicas {
		s.use(m)
	}
}

// use adds m to the uses. What is written first has no old contents that anybody reads.
func (s *stretch) use(m memory) {
	at, found := s.places[m.synced]
	switch {
	case !found:
		s.places[m.synced] = len(s.uses)
		s.uses = append(s.uses, use{memory: m})
	case s.uses[at].mode == engine.Read && m.mode != engine.Read:
		s.uses[at].mode = engine.Update
	}
}

// shareScratch gives the calls that need it temporary memory.
func (s *stretch) shareScratch(m memory) {
	for _, c := range s.calls {
		if c.lowered.Scratch > 0 {
			c.scratch, c.replicas = m.synced, append(c.replicas, m)
			s.use(m)
		}
	}
}

func (s *stretch) check(site *fault.Site) {
	for i := range s.uses {
		s.uses[i].synced.Check("Replay", s.uses[i].mode, site)
	}
	for _, l := range s.lent {
		l.from.view.Synced.Check("Replay", engine.Read, site)
	}
}

func (s *stretch) writes(memory *storage.Synced) *fault.Site {
	for _, c := range s.calls {
		for _, m := range c.replicas {
			if m.synced == memory && m.mode != engine.Read {
				return c.call.Site
			}
		}
	}
	return nil
}

func (s *stretch) push(e engine.Engine, site *fault.Site) {
	for pushed := false; !pushed; {
		e.Atomically(func(p engine.Pusher) {
			if pushed = s.isCurrent(); pushed {
				s.check(site)
				s.acquire(p, site)
				s.borrow(p, site)
				p.Push(s.operator)
				s.giveBack(p, site)
			}
		})
		if !pushed {
			s.make(e)
		}
	}
}

// isCurrent reports whether the operator is that for the replicas as they are: one that was alone may have got others beside it.
func (s *stretch) isCurrent() bool {
	for i := range s.uses {
		if u := &s.uses[i]; u.replica.Variable() != u.variable {
			return false
		}
	}
	return s.operator != nil
}

// acquire pushes what makes the memory valid on the device.
func (s *stretch) acquire(p engine.Pusher, site *fault.Site) {
	for i := range s.uses {
		u := &s.uses[i]
		_, s.accesses = u.synced.Acquire(p, u.replica.Device(), u.mode, 0, u.synced.Bytes(), s.accesses[:0], site)
	}
}

// make makes the operator.
func (s *stretch) make(e engine.Engine) {
	if s.operator == nil { // and nothing runs
		for i := range s.endings {
			s.endings[i].tell()
		}
	}
	var operations []engine.Operation
	e.Atomically(func(engine.Pusher) {
		for i := range s.uses {
			s.uses[i].variable = s.uses[i].replica.Variable()
		}
		for _, c := range s.calls {
			operations = append(operations, c.operation())
		}
	})
	s.operator = e.NewBulkOperator(operations...)
}
