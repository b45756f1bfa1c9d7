package engine

import (
	"runtime/debug"

	"github.com/weft-nd/weft/parallel"
)

// runBrief runs the operation of a, which is brief and was pushed by itself, in the goroutine that pushes it, if nothing else is
// pending: to hand it to a worker would take longer, and waiting for it longer still. It reports false if a is to be entered. The
// caller holds intake.mu, which is let go of where the result is true.
func (c *core) runBrief(a arrival) bool {
	if !c.mu.TryLock() {
		return false
	}
	if !c.rests() || a.operation.touchesErrors() {
		c.mu.Unlock()
		return false
	}
	c.intake.mu.Unlock()
	defer c.unlock() // even if the function ends its goroutine
	c.runAtOnce(a)
	return true
}

// rests reports whether nothing is pending and nobody wants to see what runs. The caller holds c.mu and intake.mu.
func (c *core) rests() bool {
	return c.pending == 0 && c.intake.arrivals.isEmpty() && !c.intake.closed && !c.intake.timed &&
		!c.signals.paused.Load() && !c.isDecorated()
}

// runAtOnce runs the operation of a. The caller holds c.mu, so that what others push meanwhile is registered after it. One that
// fails does so once more, where errors belong to variables.
func (c *core) runAtOnce(a arrival) {
	done, faults := false, debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(faults)
		if !done {
			_ = recover()
			c.register(&a, 0)
		}
	}()
	c.briefThread()
	if err := a.operation.Function.Run(&c.brief); err != nil {
		return
	}
	done = true
	c.concludeBrief(a.operation)
}

// briefThread returns the Thread of c.brief, as that of a new operation. The caller holds c.mu.
func (c *core) briefThread() *parallel.Thread {
	if c.brief.Thread == nil {
		c.brief = RunContext{Thread: c.pool.Thread(), Context: background}
	}
	c.brief.Thread.Reset()
	return c.brief.Thread
}

// concludeBrief counts what op, which has succeeded and was never in a queue, has written.
func (c *core) concludeBrief(op *Operation) {
	c.stats.Done++
	c.counted++
	c.bytes += op.Bytes
	if c.counted >= c.published+c.publishing {
		c.publishProgress()
	}
	for i := range op.Accesses {
		if a := &op.Accesses[i]; a.Mode != Read && !op.writesBefore(i) {
			a.Var.version.Add(1)
		}
	}
	if f, ok := op.Function.(Finisher); ok {
		f.Finished()
	}
	if r, ok := op.Function.(Recycler); ok {
		r.Recycle()
	}
}

// writesBefore reports whether an access before the given one writes the same variable.
func (op *Operation) writesBefore(access int) bool {
	for i := range access {
		if a := &op.Accesses[i]; a.Mode != Read && a.Var == op.Accesses[access].Var {
			return true
		}
	}
	return false
}
