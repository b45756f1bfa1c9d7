package engine

import (
	"log/slog"
	"sync/atomic"

	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/parallel"
)

// start runs an asynchronous function. It returns what became ready if that failed before it was completed; otherwise its
// completion dispatches that.
func (c *core) start(op *Operation, t *parallel.Thread) queue {
	var completed atomic.Bool
	end := func(failure *Error) (ready queue, first bool) {
		if !completed.CompareAndSwap(false, true) {
			return queue{}, false
		}
		return c.finish(op, outcome{err: failure, ran: true}), true
	}
	returned := false
	defer func() {
		if !returned { // The function called runtime.Goexit: nobody is left to take over what becomes ready.
			ready, _ := end(op.failed(errExit))
			c.executor.dispatch(ready)
		}
	}()
	failure := op.call(t, func(err error) {
		var failure *Error
		if err != nil {
			failure = op.failed(err)
		}
		ready, first := end(failure)
		if !first {
			panic(&Error{Operator: op.Name, Detail: "the operation is completed a second time", Cause: fault.ErrMisuse, Site: op.Site})
		}
		c.executor.dispatch(ready)
	})
	returned = true
	if failure == nil {
		return queue{}
	}
	ready, first := end(failure)
	if !first { // It has ended: there is no array left to carry the error.
		slog.Error("a function failed after it had completed its operation", "error", failure)
	}
	return ready
}
