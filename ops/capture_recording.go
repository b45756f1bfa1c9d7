package ops

import (
	"slices"
	"sync/atomic"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/resource"
	"github.com/weft-nd/weft/storage"
)

// capturing makes a Capture of the calls in an Env. All but open is guarded by the engine's registration lock.
type capturing struct {
	open    atomic.Bool // until the function has returned; then the Envs of results hold nothing
	strays  *strays     // nil if nobody looks for them
	made    *Capture
	latest  *stretch // that the next call may continue; nil if there is none
	kept    map[*storage.Synced]bool
	drawn   map[resource.Ticket]*drawing
	scratch map[device.Device]int // bytes
	lives   map[*storage.Synced]*life
}

// life is what calls do with a piece of memory: the first with what was there before, which is the last, and for strays, which write there.
type life struct {
	first   engine.Mode
	call    *captured // nil if it is none
	stretch *stretch

	reads   bool          // the first call does
	begun   int           // the number of the first call
	writes  []*fault.Site // of the calls that write there
	carries *fault.Site   // of a call that leaves something there which depends on what was there before; nil if none is known
}

// write notes that call number n, at site, writes there. What has read before may count in what is written, but not if
// that is another part.
func (of *life) write(n int, mode engine.Mode, site *fault.Site) {
	of.writes = append(of.writes, site)
	if of.carries == nil && of.reads && (n == of.begun || mode == engine.Write) {
		of.carries = site
	}
}

// isWrittenAt reports whether a call on the same line writes there.
func (of *life) isWrittenAt(site *fault.Site) bool {
	return slices.ContainsFunc(of.writes, func(at *fault.Site) bool { return at.String() == site.String() })
}

func newCapturing(made *Capture, s *strays) *capturing {
	c := &capturing{
		strays: s, made: made, kept: map[*storage.Synced]bool{}, drawn: map[resource.Ticket]*drawing{},
		scratch: map[device.Device]int{}, lives: map[*storage.Synced]*life{},
	}
	c.open.Store(true)
	return c
}

// capturing returns what keeps the calls in e; nil if nothing does.
func (e *Env) capturing() *capturing {
	if e.capture == nil || !e.capture.open.Load() {
		return nil
	}
	return e.capture
}

// add keeps l, which has acquired its memory.
func (c *capturing) add(l *launch) {
	if !c.open.Load() {
		return
	}
	if c.strays != nil {
		c.strays.look(l)
	}
	for i := range l.replicas {
		c.keep(l.replicas[i].synced, l.call.Site)
	}
	c.made.calls++
	if d := c.drawing(l); d != nil {
		c.latest = nil
		c.made.phases = append(c.made.phases, d)
		c.live(l, nil)
		return
	}
	if c.latest == nil || c.latest.device != l.device {
		c.latest = &stretch{device: l.device, places: map[*storage.Synced]int{}}
		c.made.phases = append(c.made.phases, c.latest)
	}
	if place := scratchPlace(l.device); l.lowered.Scratch > 0 {
		c.scratch[place] = max(c.scratch[place], l.lowered.Scratch)
	}
	call := newCaptured(l)
	c.latest.add(call)
	c.live(l, call)
}

// live notes that l, which is call, touches its memory.
func (c *capturing) live(l *launch, call *captured) {
	for i, m := range l.replicas {
		if c.lives[m.synced] == nil {
			c.lives[m.synced] = &life{first: m.mode, reads: i < len(l.call.inputs), begun: c.made.calls}
		}
		of := c.lives[m.synced]
		of.call, of.stretch = call, c.latest
		if m.mode != engine.Read && c.strays != nil {
			of.write(c.made.calls, m.mode, l.call.Site)
		}
	}
}

func (c *capturing) keep(s *storage.Synced, site *fault.Site) {
	if !c.kept[s] {
		c.kept[s] = true
		c.made.kept = append(c.made.kept, s.Keep(site))
	}
}

// end completes the capture: the calls that need temporary memory share some on their device, of its own, because kept work must find it
// where it was.
func (c *capturing) end(p engine.Pusher) {
	c.open.Store(false)
	shared := map[device.Device]memory{}
	for place, bytes := range c.scratch {
		s := storage.NewSynced(c.made.engine, bytes)
		replica, _ := s.Acquire(p, place, engine.Write, 0, bytes, nil, nil)
		shared[place] = memory{synced: s, replica: replica, mode: engine.Write}
		c.made.scratch = append(c.made.scratch, s)
	}
	for _, s := range c.made.phases {
		if s, ok := s.(*stretch); ok {
			s.shareScratch(shared[scratchPlace(s.device)])
		}
	}
	for s, of := range c.lives {
		if of.first == engine.Write && of.call != nil {
			of.stretch.endings = append(of.stretch.endings, ending{s, of.call})
		}
	}
	if c.strays != nil {
		c.strays.judge(c.lives)
	}
	c.strays = nil
	c.made, c.latest, c.kept, c.drawn, c.scratch, c.lives = nil, nil, nil, nil, nil, nil
}
