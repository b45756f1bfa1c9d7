package engine

import "time"

// retry lets the first parked operation of each device try again if memory may have been freed since its last attempt, and fail
// if nothing can free any. It reports whether there may be more to do. All ready tasks have been handed to those who run them.
// The caller holds c.mu.
//
// Every parked operation is tried once more after it was parked, whatever has ended meanwhile, so that nothing is missed:
// memory freed before that attempt is found by it, and memory freed later is announced by whoever frees it.
func (c *core) retry() (more bool) {
	if c.signals.paused.Load() || c.parking.untouched {
		return false
	}
	for _, l := range c.parking.lots {
		if l.trying == nil && len(l.waiting) > 0 && l.waiting[0].tried != c.moment() {
			c.try(l.waiting[0])
			more = true
		}
	}
	return more || c.failFirst()
}

// try lets p run.
func (c *core) try(p *parked) {
	p.tried = c.moment()
	p.leaveLot()
	if p.task.operation.Async != nil { // It does not starve, and may take long.
		c.leaveParking(p.task)
	} else {
		p.lot.trying = p
	}
	c.ready.add(p.task)
}

// hostGrace is how long a host function that tries again holds up those behind it: it is not known whether it has its memory, and
// it may wait for them.
const hostGrace = 20 * time.Millisecond

// beginHost counts t, a host function.
func (c *core) beginHost(t *task) {
	r := c.begin(t)
	r.lane = "host"
	if t.operation.Async != nil {
		return
	}
	r.hosts = true
	c.parking.hosting++
	if p := c.parking.known[t]; p != nil && p.lot.trying == p {
		p.grace = time.AfterFunc(hostGrace, func() {
			c.mu.Lock()
			if p.lot.trying == p {
				c.leaveParking(p.task)
			}
			c.unlock()
		})
	}
}

func (p *parked) stopGrace() {
	if p.grace != nil {
		p.grace.Stop()
		p.grace = nil
	}
}

// inFlight reports whether something runs, or will without anything else, whose end may free memory.
func (c *core) inFlight() bool {
	return c.running > c.parking.hosting || c.parking.staged > 0 || c.held.first != nil || c.executor.queued() > 0
}

// failFirst gives up the first of the operations that were tried in vain if nothing can free memory. It reports whether there may
// be more to do.
func (c *core) failFirst() bool {
	if c.inFlight() {
		return false
	}
	c.intake.mu.Lock()
	c.intake.closeBulks() // What is gathered may free some.
	c.intake.mu.Unlock()
	if c.absorb(); c.ready.first != nil {
		return true
	}
	var first *parked
	for _, l := range c.parking.lots {
		if l.trying != nil {
			return false
		}
		if len(l.waiting) > 0 && !l.waiting[0].relief.pending && (first == nil || l.waiting[0].task.number < first.task.number) {
			first = l.waiting[0]
		}
	}
	if first == nil {
		return false
	}
	c.finish(first.task, outcome{err: first.failure, ran: true}.givenUp())
	return true
}

// persist follows the performance of t, which has failed with o. In an engine that parks nothing it waits for relief, and performs
// t again.
func (c *core) persist(t *task, o outcome) outcome {
	for waited := false; c.serial && o.starvation() != nil; o = c.perform(t) {
		if waited = o.starvation().awaited(t, waited); waited {
			continue
		}
		b := t.bulk()
		if b == nil {
			return o.givenUp()
		}
		c.mu.Lock()
		c.concludeEntry(t, b.current, o.givenUp())
		c.mu.Unlock()
		b.current++
	}
	return o
}
