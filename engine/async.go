package engine

import (
	"log/slog"
	"runtime/debug"
	"sync/atomic"

	"github.com/weft-nd/weft/fault"
)

// completion is the end of one asynchronous operation, which comes once.
type completion struct {
	core *core
	task *task // good until called
	op   *Operation
	site *fault.Site
	done atomic.Bool

	opened opened // until the end, in an engine with WithSanitizer
}

// start runs an asynchronous function; the task has a runner, which it keeps until it is completed.
func (c *core) start(t *task) {
	op := t.operation
	end := &completion{core: c, task: t, op: op, site: t.site}
	if err := c.refuse(t, op, t.number, t.site); err != nil {
		c.complete(t, outcome{err: err})
		return
	}
	r, worker := &t.runner.run, t.runner.lane == "worker"
	r.Context = op.scope(c, t.number, t.site)
	returned, faults := false, debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(faults)
		if returned {
			return
		}
		failure := op.failed(errExit, end.site)
		if panicked := recover(); panicked != nil {
			failure = panicError(op, end.site, panicked)
		} else {
			c.executor.abandoned(op, worker)
		}
		end.fail(failure)
	}()
	if c.sanitizes() {
		end.startSanitized(r)
	} else {
		op.Async(r, end.complete)
	}
	returned = true
}

// complete is what an asynchronous function calls when its work has ended.
func (e *completion) complete(err error) {
	var failure *Error
	if err != nil {
		failure = e.op.failed(err, e.site)
	}
	if !e.first(failure) {
		panic(&Error{Operator: e.op.Name, Detail: "the operation is completed a second time", Cause: fault.ErrMisuse, Site: e.site})
	}
}

// fail is called where the function itself has failed.
func (e *completion) fail(failure *Error) {
	if !e.first(failure) { // It has ended: there is no array left to carry the error.
		slog.Error("a function failed after it had completed its operation", "error", failure)
	}
}

// first ends the operation, unless it has ended before.
func (e *completion) first(failure *Error) bool {
	if !e.done.CompareAndSwap(false, true) {
		return false
	}
	e.opened.close()
	t := e.task
	e.task = nil
	e.core.complete(t, outcome{err: failure, ran: true})
	return true
}
