package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/parallel"
	"github.com/weft-nd/weft/profile"
)

// runner is what a running task needs: one for each that runs at a time. Runners are recycled.
type runner struct {
	number int
	lane   string // for observers
	worker string // the lane of a worker
	run    RunContext
	own    *parallel.Thread // for goroutines that are no workers
	left   bool             // the goroutine that began has been ended by the function
	hosts  bool             // it runs a host function, and is counted
	start  time.Duration    // of the task, for observers, if it follows another one at once; else 0
}

// begin gives t a runner. The caller holds c.mu.
func (c *core) begin(t *task) *runner {
	var r *runner
	if last := len(c.runners) - 1; last >= 0 {
		r = c.runners[last]
		c.runners = c.runners[:last]
	} else {
		r = &runner{number: c.made}
		c.made++
	}
	t.runner = r
	r.left, r.start = false, 0
	c.running++
	return r
}

// end takes the runner of t back. The caller holds c.mu.
func (c *core) end(t *task) {
	r := t.runner
	if r == nil {
		return
	}
	t.runner = nil
	if r.hosts {
		r.hosts = false
		c.parking.hosting--
	}
	if op := t.operation; r.run.Stream != nil || op.Context != nil || op.Host { // The context of a host function holds op.
		r.run = RunContext{}
	}
	c.runners = append(c.runners, r)
	c.running--
}

// thread returns the thread of a goroutine that is no worker.
func (r *runner) thread(p *parallel.Pool) *parallel.Thread {
	if r.own == nil {
		r.own = p.Thread()
	}
	r.own.Reset()
	return r.own
}

var background = context.Background()

// perform runs the functions of t, which has a runner, unless an error or the end of their scope keeps them from it.
func (c *core) perform(t *task) outcome {
	if t.rare != nil && c.signals.observed.Load() {
		if t.rare.times.start = t.runner.start; t.rare.times.start == 0 {
			t.rare.times.start = profile.Now()
		}
	}
	if t.bulk() != nil {
		return c.performBulk(t)
	}
	return c.performOne(t, t.operation, t.number, t.site)
}

func (c *core) performOne(t *task, op *Operation, number uint64, site *fault.Site) outcome {
	if t.rare != nil || op.Context != nil || t.inputsInError() {
		if err := c.refuse(t, op, number, site); err != nil {
			return outcome{err: err}
		}
	}
	r := &t.runner.run
	if r.Context = background; op.Host || op.Context != nil {
		r.Context = op.scope(c, number, site)
	}
	return outcome{err: c.call(t, op, site, r), ran: true}
}

// refuse returns why op must not run, or nil.
func (c *core) refuse(t *task, op *Operation, number uint64, site *fault.Site) *Error {
	if op.Property == DeleteVar {
		return nil
	}
	if t.refused() {
		e := op.describe(site)
		e.Cause = fault.ErrClosed
		return e
	}
	if op.Property != NoSkip && t.inputsInError() {
		if t.follows() {
			c.mu.Lock()
			defer c.mu.Unlock()
		}
		if err := t.inputError(op, number, site); err != nil {
			return err
		}
	}
	if op.Context != nil && op.Context.Err() != nil {
		e := op.describe(site)
		e.Cause = context.Cause(op.Context)
		return e
	}
	return nil
}

// call runs the function of op; a panic inside becomes an error.
func (c *core) call(t *task, op *Operation, site *fault.Site, r *RunContext) (failure *Error) {
	returned, faults := false, debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(faults)
		if !returned {
			failure = c.interrupted(t, op, site, recover())
		}
	}()
	if err := c.run(op, site, r); err != nil {
		failure = op.failed(err, site)
	}
	returned = true
	return failure
}

// interrupted returns the failure of a function that has panicked. Without a panic it has called runtime.Goexit: then nobody
// is left to take over what becomes ready, so the task is ended here, except on a stream, which looks after itself.
func (c *core) interrupted(t *task, op *Operation, site *fault.Site, panicked any) *Error {
	if panicked != nil {
		return panicError(op, site, panicked)
	}
	if t.runner.run.Stream != nil {
		return nil
	}
	if !t.runner.left {
		t.runner.left = true
		c.executor.abandoned(t.operation, t.runner.lane == "worker")
	}
	o := outcome{err: op.failed(errExit, site), ran: true}
	if t.bulk() == nil {
		c.complete(t, o)
		return nil
	}
	c.mu.Lock()
	c.concludeEntry(t, t.bulk().current, o)
	c.mu.Unlock()
	t.bulk().current++
	go func() {
		t.runner.run.Thread = t.runner.thread(c.pool)
		o := c.perform(t)
		if o.err != nil {
			o = c.persist(t, o)
		}
		c.complete(t, o)
	}()
	return nil
}

func panicError(op *Operation, site *fault.Site, panicked any) *Error {
	failure := op.describe(site)
	panicked, failure.Stack = parallel.Recovered(panicked)
	failure.Cause = fault.ErrPanic
	failure.Detail = fmt.Sprintf("panic: %v", panicked)
	if err, ok := panicked.(error); ok {
		failure.Cause = errors.Join(fault.ErrPanic, err)
	}
	if err := explained(panicked); err != nil {
		failure.Detail, failure.Cause = err.Error(), errors.Join(fault.ErrPanic, err)
	}
	return failure
}

// errExit is the failure of a function that does not return, such as a test's that calls FailNow.
var errExit = fmt.Errorf("%w: the function ended its goroutine", fault.ErrPanic)

// runHost runs a host function, which has a runner.
func (c *core) runHost(t *task) {
	r := t.runner
	r.run.Thread = r.thread(c.pool)
	c.runAlone(t)
	c.unlock()
}

// runAlone runs t, which has a runner, and finishes it, in a goroutine that is no worker. It returns with c.mu held.
func (c *core) runAlone(t *task) {
	if t.operation.Async != nil {
		c.start(t)
		c.mu.Lock()
		return
	}
	o := c.perform(t)
	if o.err != nil {
		o = c.persist(t, o)
	}
	c.mu.Lock()
	c.finish(t, o)
}

// complete finishes a task that is no worker's.
func (c *core) complete(t *task, o outcome) {
	c.mu.Lock()
	c.finish(t, o)
	c.unlock()
}
