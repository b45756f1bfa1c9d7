package engine

import (
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/parallel"
)

// Alone is the part of an Engine by which a caller does the work of an operation itself, where that takes less time than
// pushing one. It is for packages that know what memory variables stand for. The order of calls is:
//
//	TryAlone(writes)         false: push an operation
//	    Var.IsSettled of what is read, Var.IsFree of what is written
//	    the work, less than a microsecond; Var.CountWrite of what was written
//	EndAlone(writes, done)   done is false, and nothing was changed, if a variable was not so
//
//	TryAtRest()              false: push an operation
//	    Var.IsSettled and Var.IsFree; EndAlone(true, false) if a variable is not so, and the end
//	    Var.BeginWrite of what will be written
//	BeginAtRest()
//	    the work, some microseconds, which others may share; Var.EndWrite of what was written
//	EndAtRest()              or FailAtRest, without Var.EndWrite
//
// From TryAlone to EndAlone, and from TryAtRest to BeginAtRest, nobody else can push. With writes, nothing that is pending can
// begin or end either; after TryAtRest that holds until EndAtRest. What others push after BeginAtRest is kept, and registered
// behind the work.
type Alone interface {
	// TryAlone keeps everybody else from pushing until EndAlone, which the same goroutine must call within a microsecond or so;
	// in between it calls no other methods of the engine. The caller does what an operation would do that reads variables for
	// which Var.IsSettled holds, and writes what nobody else knows of or, with writes, variables for which Var.IsFree holds.
	// TryAlone returns false, and does nothing, where an operation has to be pushed: in an engine that orders operations
	// itself, that is stopped, closed, observed or traced, or, with writes, that is at work.
	TryAlone(writes bool) bool
	// EndAlone ends what TryAlone with the same argument has begun; done reports that the work of one operation was done.
	EndAlone(writes, done bool)
	// TryAtRest is TryAlone(true) for work of some microseconds. It also returns false where anything is pending, or others
	// have lately pushed during such work: then a worker may as well do it. EndAlone(true, false) ends it if there turns out to
	// be nothing to do. Otherwise the caller counts what the work will write by Var.BeginWrite, and BeginAtRest lets everybody
	// push again; what they push waits for EndAtRest or FailAtRest, which follows the work.
	TryAtRest() bool
	// BeginAtRest precedes the work of one operation; see TryAtRest. It returns the Thread by which the work may be shared. The
	// work must not call the engine, and whoever waits for the engine waits for the end of the work. If work between
	// TryAlone(true) and EndAlone fails, BeginAtRest and then FailAtRest are called instead of EndAlone.
	BeginAtRest() *parallel.Thread
	// EndAtRest follows the work of one operation; see TryAtRest. It may run functions of what others have pushed meanwhile.
	EndAtRest()
	// FailAtRest is EndAtRest for work that has failed, with an error or a panic, after Var.BeginWrite of the only variable
	// that it writes; it takes the place of Var.EndWrite. The error, with what is known of op, sticks to what was written.
	FailAtRest(op *Operation, written Access, err error, panicked any)
}

// TryAlone implements Alone.
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

// EndAlone implements Alone.
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

// TryAtRest implements Alone.
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

// companyLasts is how many operations are pushed although they could be done at rest, after one during which another goroutine
// has pushed: workers run those of several goroutines side by side.
const companyLasts = 64

// BeginAtRest implements Alone. What others push is not registered as long as c.mu is held.
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

// FailAtRest implements Alone. What others have pushed meanwhile is registered later, and inherits the error.
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

// EndAtRest implements Alone.
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

// IsDeleted reports whether v was deleted. It is called inside Engine.Atomically.
func (v *Var) IsDeleted() bool { return v.deleted != nil }

// Delete marks v as deleted at site, when its memory is freed without an operation; see Engine.DeleteVar. It is called between
// TryAlone, for a write, and EndAlone, where IsFree holds.
func (v *Var) Delete(site *fault.Site) { v.deleted = site }

// BeginWrite counts a write that is done between BeginAtRest, which is called next, and EndAtRest. Until EndWrite v is not settled.
func (v *Var) BeginWrite() { v.sequence++ }

// EndWrite ends what BeginWrite began.
func (v *Var) EndWrite() { v.version.Add(1) }
