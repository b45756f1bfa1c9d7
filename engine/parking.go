package engine

import (
	"cmp"
	"slices"
	"sync/atomic"
	"time"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/profile"
)

// parking holds the tasks of an engine that have got no memory, or wait behind such a task. It is guarded by core.mu.
type parking struct {
	count   int    // of tasks
	total   uint64 // that there have been
	known   map[*task]*parked
	hosting int         // host functions that run, which may wait for what is parked
	staged  int         // tasks given to streams and not begun
	freed   uint64      // times that memory may have become free other than by the end of an operation
	lots    []*lot      // one for each device that had some
	told    atomic.Bool // a goroutine is about to count freed up

	untouched bool // during a Snapshot
}

// lot is the parked operations of one device.
type lot struct {
	device  device.Device
	waiting []*parked // in order of number
	trying  *parked   // runs, or is about to: nothing that takes memory is let past it
}

// parked is one task that has got no memory, or waits behind one that has not.
type parked struct {
	task    *task
	lot     *lot
	waiting bool          // in the lot
	failure *Error        // of the latest attempt; nil if it only stands behind others
	tried   uint64        // moment of the latest attempt; 0 makes another one due
	since   time.Duration // when it was parked first
	relief  relief
	ignore  func() bool // ends the look at its context
	grace   *time.Timer // of a host function
}

// moment counts the events that may have freed memory; never 0.
func (c *core) moment() uint64 { return 1 + c.stats.Done + c.parking.freed }

// park puts t, whose function has starved, aside. The caller holds c.mu.
func (c *core) park(t *task, failure *Error, s *starved) {
	c.end(t)
	if t.bulk() != nil {
		t = c.dissolve(t)
	}
	p := c.parkedOf(t)
	p.failure = failure
	c.awaitRelief(p, s)
	c.addParked(p)
	if len(c.waiting) > 0 {
		c.notifyWaiting()
	}
}

// parksBehind puts t, which is ready, aside if one of the same device that was pushed before is parked. The caller holds c.mu.
func (c *core) parksBehind(t *task) bool {
	if c.parking.known[t] != nil || !t.takesMemory() { // What was parked and is here may try.
		return false
	}
	l := c.lotOf(t.operation.Device)
	if l == nil || t.number < l.first() {
		return false
	}
	c.addParked(c.parkedOf(t))
	return true
}

// takesMemory reports whether t counts for the limit of bytes.
func (t *task) takesMemory() bool {
	if b := t.bulk(); b != nil {
		return b.bytes > 0
	}
	return t.operation.Bytes > 0
}

// first returns the number of the first operation of l that has no memory, the largest number there is without any.
func (l *lot) first() uint64 {
	first := ^uint64(0)
	if l.trying != nil {
		first = l.trying.task.number
	}
	if len(l.waiting) > 0 {
		first = min(first, l.waiting[0].task.number)
	}
	return first
}

// lotOf returns the lot of d, nil if there is none.
func (c *core) lotOf(d device.Device) *lot {
	for _, l := range c.parking.lots {
		if l.device == d {
			return l
		}
	}
	return nil
}

// parkedOf returns what is known of t, which is parked from now on.
func (c *core) parkedOf(t *task) *parked {
	if p := c.parking.known[t]; p != nil {
		return p
	}
	l := c.lotOf(t.operation.Device)
	if l == nil {
		l = &lot{device: t.operation.Device}
		c.parking.lots = append(c.parking.lots, l)
	}
	p := &parked{task: t, lot: l, since: profile.Now()}
	if c.parking.known == nil {
		c.parking.known = map[*task]*parked{}
	}
	c.parking.known[t] = p
	c.parking.total++
	if c.parking.count++; c.parking.count == 1 {
		c.begsForMemory(true)
	}
	return p
}

// addParked lets p wait in its lot.
func (c *core) addParked(p *parked) {
	l := p.lot
	if l.trying == p {
		l.trying = nil
	}
	p.waiting = true
	l.waiting = slices.Insert(l.waiting, l.placeOf(p), p)
	c.awaitContext(p)
}

func (l *lot) placeOf(p *parked) int {
	place, _ := slices.BinarySearchFunc(l.waiting, p, func(a, b *parked) int { return cmp.Compare(a.task.number, b.task.number) })
	return place
}

// leaveLot takes p out of its lot, for it to run or to fail.
func (p *parked) leaveLot() {
	l := p.lot
	p.waiting = false
	if p.stopContext(); l.waiting[0] == p { // Most are first: thousands may be behind them.
		l.waiting[0] = nil
		l.waiting = l.waiting[1:]
		return
	}
	at := l.placeOf(p)
	l.waiting = slices.Delete(l.waiting, at, at+1)
}

// leaveParking forgets that t was parked: it has got its memory, or has ended. The caller holds c.mu.
func (c *core) leaveParking(t *task) {
	p := c.parking.known[t]
	if p == nil {
		return
	}
	delete(c.parking.known, t)
	if p.waiting {
		p.leaveLot()
	}
	if p.lot.trying == p {
		p.lot.trying = nil
	}
	p.relief.forget()
	p.stopGrace()
	if c.parking.count--; c.parking.count == 0 {
		c.begsForMemory(false)
	}
}

// shortage returns what the function of p has returned, nil if it only stands behind others.
func (p *parked) shortage() error {
	if p.failure == nil {
		return nil
	}
	return p.failure.Cause.(*starved).error
}
