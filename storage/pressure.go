package storage

import (
	"sync"
	"time"

	"github.com/weft-nd/weft/device"
)

// callAlways is the least growth of memory in use at which managers that run the collector themselves call it.
const callAlways = 64 << 20

// The collector is called when what is leased has grown by a quarter over what the last one left, and by so many bytes at least;
// leases wait for it when the growth is beyond two fifths, and as many bytes. It takes some 2 ms, in which a loop that does little but
// drop its arrays writes the 5 MiB between the two.
const (
	callAfter = 29 << 20
	waitAfter = 34 << 20
)

// slackOf returns how far what is in use on a device may grow at least before the collector is called: a small part of
// its memory, where the backend tells of that. Elsewhere it is zero, for the constants above.
func slackOf(d device.Device) int64 {
	backend, err := device.BackendOf(d.Kind)
	if sized, ok := backend.(device.Sized); ok && err == nil {
		if total, err := sized.Total(d.Index); err == nil {
			return int64(total / slackParts)
		}
	}
	return 0
}

// serve makes l the ledger of d.
func (l *ledger) serve(d device.Device) {
	if d.OnHost() {
		return
	}
	slack := slackOf(d)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.slack = slack
}

// slackOf is one part in slackParts of the memory of a device. Collecting more often would cost a step of a small network more
// than its kernels; an array that is freed a little later takes nothing from others.
const slackParts = 128

// callPause is how long what a collection left in use counts, if it found less than one part in muchFound of that to be
// dropped, unless it was farMore than what is left now: then it belongs to another phase of the program, not to another moment
// of the same step.
const (
	callPause = time.Second
	muchFound = 8
	farMore   = 8
)

// collectorLeft tells l how many bytes the collector has left, and how many it has found to be dropped. The lock is held.
func (l *ledger) collectorLeft(alive, found int64) {
	if l.least = alive; found < alive/muchFound && l.alive < farMore*alive {
		alive = max(alive, l.alive)
	}
	l.alive, l.collected = alive, time.Now()
}

// pressure calls the collector if so many more bytes are much more than there were. It returns what to wait for first, nil if
// nothing.
func (l *ledger) pressure(bytes int) (relief <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	next := l.leased + int64(bytes)
	if l.relief != nil {
		select {
		case <-l.relief:
			l.relief = nil
		default:
			if next > l.ceiling {
				return l.relief
			}
			return nil
		}
	}
	floor, call, wait := l.least, max(callAfter, l.slack), max(waitAfter, l.slack*5/4)
	if next > floor+max(floor/4, call) && time.Since(l.collected) < callPause {
		floor = max(floor, l.alive)
	}
	if next > floor+max(floor/4, call) {
		l.relief = l.collector().request()
		l.ceiling = max(floor+max(floor*2/5, wait), next)
	}
	return nil
}

// collector runs the collector of Go for all ledgers, never for two callers at the same time.
var collector collections

// collector returns what l asks to collect.
func (l *ledger) collector() *collections {
	if l.collecting != nil {
		return l.collecting
	}
	return &collector
}

// collections runs work for those who ask, for all who have asked before it begins at once.
type collections struct {
	work    func() // nil: collectDropped
	mu      sync.Mutex
	running bool
	next    chan struct{} // of those who asked while it ran
	first   bool          // one of these has not asked before
	repeats int           // consecutive runs that only those asked for who had asked before
}

// request makes the collector run. The result is closed when it has run and the memory that it found is free, except for what
// pending operations use, unless an engine is held up. The collection begins after the call.
func (c *collections) request() <-chan struct{} { return c.requestOf(false) }

// requestOf is request by somebody who may have asked before.
func (c *collections) requestOf(again bool) <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next == nil {
		c.next = make(chan struct{})
	}
	c.first = c.first || !again
	if !c.running {
		c.running = true
		go c.run()
	}
	return c.next
}

// run collects until nobody asks any more.
func (c *collections) run() {
	for {
		time.Sleep(c.pause())
		done := c.take()
		if done == nil {
			return
		}
		if c.work != nil {
			c.work()
		} else {
			collectDropped()
		}
		close(done)
	}
}

// collectDropped runs the collector, and gives back what it has found.
func collectDropped() {
	all := ledgers()
	for _, l := range all {
		l.beginCollection()
	}
	collect()
	windUp(takeDropped())
	for _, l := range all {
		l.endLost()
	}
}

// take returns what is to be closed after one more run; nil if there is none to be.
func (c *collections) take() (done chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if done = c.next; done == nil {
		c.running = false
		return nil
	}
	if c.repeats++; c.first {
		c.repeats = 0
	}
	c.next, c.first = nil, false
	return done
}

// Operations that find no memory ask again whenever something has ended that may have dropped some, which can be all the time.
// The first repeats follow at once.
const (
	promptRepeats = 8
	repeatPause   = 25 * time.Millisecond
)

// pause returns how long to wait before the next run.
func (c *collections) pause() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.first || c.next == nil || c.repeats < promptRepeats {
		return 0
	}
	return repeatPause
}
