package engine

import (
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/parallel"
)

// TryAlone implements Engine.
func (c *core) TryAlone(writes bool) bool {
	if c.eager || c.signals.observed.Load() || c.isDecorated() {
		return false
	}
	c.intake.mu.Lock()
	if c.intake.closed || c.intake.timed || c.signals.paused.Load() || writes && !c.tryQueues() {
		c.intake.mu.Unlock()
		return false
	}
	return true
}

// tryQueues locks c.mu if everything that was pushed is in the queues of its variables. The caller holds intake.mu.
func (c *core) tryQueues() bool {
	if !c.mu.TryLock() {
		return false
	}
	if !c.intake.arrivals.isEmpty() {
		c.mu.Unlock()
		return false
	}
	return true
}

// EndAlone implements Engine.
func (c *core) EndAlone(writes, done bool) {
	if done {
		c.intake.pushed++
		c.intake.alone++
	}
	if writes {
		c.mu.Unlock() // Whoever failed to get it has found the intake as empty as it is.
	}
	c.intake.mu.Unlock()
}

// TryAtRest implements Engine.
func (c *core) TryAtRest() bool {
	if !c.TryAlone(true) {
		return false
	}
	if c.pending > 0 || c.company > 0 {
		c.company = max(c.company-1, 0)
		c.EndAlone(true, false)
		return false
	}
	return true
}

// companyLasts is how many operations that could be done at rest are pushed after one during which somebody else has pushed: workers do
// those of several goroutines side by side.
const companyLasts = 64

// BeginAtRest implements Engine. What others push is not registered as long as c.mu is held.
func (c *core) BeginAtRest() *parallel.Thread {
	if c.signals.arrived.Load() { // What arrived was taken in full batches.
		c.signals.arrived.Store(false)
	}
	c.intake.pushed++
	c.intake.alone++
	c.intake.number++
	c.atRest = c.intake.number
	c.intake.mu.Unlock()
	return c.briefThread()
}

// FailAtRest implements Engine. What others have pushed meanwhile is registered later, and inherits the error.
func (c *core) FailAtRest(op *Operation, written Access, err error, panicked any) {
	var failure *Error
	if panicked != nil {
		failure = panicError(op, op.Site, panicked)
	} else {
		failure = op.failed(err, op.Site)
	}
	c.setError(&written, failure, c.atRest)
	written.Var.lost.Add(1)
	c.stats.Failed++
	c.EndAtRest()
}

// EndAtRest implements Engine.
func (c *core) EndAtRest() {
	if c.signals.arrived.Load() {
		c.company = companyLasts
	}
	c.unlock()
}

// IsSettled reports whether every write of v that was pushed is done, and no error sticks to v. It is called between TryAlone and
// EndAlone, so that this stays so; what those writes have written is seen.
func (v *Var) IsSettled() bool {
	return v.finished() == v.sequence && v.open == nil && v.deleted == nil && v.poison.Load() == nil
}

// IsFree reports whether, besides being settled, v is touched by nothing that is pending. It is called after TryAlone for a write.
func (v *Var) IsFree() bool { return v.IsSettled() && v.head == nil }

// CountWrite counts a write that was not pushed: one done between TryAlone, for a write, and EndAlone, or before anybody else knew of v.
func (v *Var) CountWrite() {
	v.BeginWrite()
	v.EndWrite()
}

// IsDeleted reports whether v is a mistake to use. It is called inside Engine.Atomically.
func (v *Var) IsDeleted() bool { return v.deleted != nil }

// Delete makes v a mistake to use from now on, for site, when its memory is freed without an operation. It is called between TryAlone, for a
// write, and EndAlone, where IsFree holds.
func (v *Var) Delete(site *fault.Site) { v.deleted = site }

// BeginWrite counts a write that is done between BeginAtRest, which is called next, and EndAtRest. Until EndWrite v is not settled.
func (v *Var) BeginWrite() { v.sequence++ }

// EndWrite ends what BeginWrite began.
func (v *Var) EndWrite() { v.version.Add(1) }
