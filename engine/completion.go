package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/parallel"
)

// refuse returns why op must not run, or nil.
func (c *core) refuse(op *Operation) *Error {
	if op.Property == DeleteVar {
		return nil
	}
	if op.refused {
		e := op.describe()
		e.Cause = fault.ErrClosed
		return e
	}
	if op.Property != NoSkip {
		if len(op.after) > 0 {
			c.mu.Lock()
			defer c.mu.Unlock()
		}
		if err := op.inputError(); err != nil {
			return err
		}
	}
	if op.Context != nil && op.Context.Err() != nil {
		e := op.describe()
		e.Cause = context.Cause(op.Context)
		return e
	}
	return nil
}

// call runs the function of op; a panic inside becomes an error. Complete is for Async.
func (op *Operation) call(t *parallel.Thread, complete func(err error)) (failure *Error) {
	defer func() {
		if r := recover(); r != nil {
			failure = op.describe()
			failure.Stack = debug.Stack()
			failure.Cause = fault.ErrPanic
			failure.Detail = fmt.Sprintf("panic: %v", r)
			if err, ok := r.(error); ok {
				failure.Cause = errors.Join(fault.ErrPanic, err)
			}
		}
	}()
	op.run.Thread = t
	if op.run.Context = op.Context; op.run.Context == nil {
		op.run.Context = context.Background()
	}
	if op.Async != nil {
		op.Async(&op.run, complete)
		return nil
	}
	if err := op.Function.Run(&op.run); err != nil {
		return op.failed(err)
	}
	return nil
}

// failed returns err with what is known of op.
func (op *Operation) failed(err error) *Error {
	e := op.describe()
	e.Cause = err
	e.Detail = err.Error()
	return e
}

// execute runs op, which is ready and not on a stream, and returns what became ready by its end.
func (c *core) execute(op *Operation, t *parallel.Thread) queue {
	if op.waiter != nil {
		return c.finish(op, outcome{})
	}
	if err := c.refuse(op); err != nil {
		return c.finish(op, outcome{err: err})
	}
	if op.Async != nil {
		return c.start(op, t)
	}
	returned := false
	defer func() {
		if !returned { // The function called runtime.Goexit: nobody is left to take over what becomes ready.
			c.executor.dispatch(c.finish(op, outcome{err: op.failed(errExit), ran: true}))
		}
	}()
	failure := op.call(t, nil)
	returned = true
	return c.finish(op, outcome{err: failure, ran: true})
}

// errExit is the failure of a function that does not return, such as a test's that calls FailNow.
var errExit = fmt.Errorf("%w: the function ended its goroutine", fault.ErrPanic)

// issue makes the event of op known: operations on streams of the same kind of device need no longer wait for its end.
func (c *core) issue(op *Operation, event device.Event) (ready queue) {
	c.mu.Lock()
	defer c.mu.Unlock()
	op.event = event
	for i := range op.Accesses {
		if a := &op.Accesses[i]; !a.merged {
			a.Var.grant(&ready)
		}
	}
	return ready
}

// finish ends op: errors and versions move, and what waited for it becomes ready. An operation that was launched behind
// the event of another ends after that one, because only then is known whether its inputs were good.
func (c *core) finish(op *Operation, o outcome) (ready queue) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if op.predecessors > 0 {
		held := o // of its own, so that o need not live on the heap
		op.held = &held
		return ready
	}
	c.settle(op, o, &ready)
	return ready
}

func (c *core) settle(op *Operation, o outcome, ready *queue) {
	if o.ran && o.err == nil && len(op.after) > 0 && op.Property != NoSkip {
		o.err = op.inputError()
	}
	if op.waiter != nil {
		op.waiter <- op.Accesses[0].Var.Err()
	}
	if f, ok := op.Function.(Finisher); ok {
		f.Finished()
	}
	if op.waiter == nil {
		c.stats.done.Add(1)
	}
	switch {
	case o.err == nil:
	case o.ran:
		c.stats.failed.Add(1)
	default:
		c.stats.skipped.Add(1)
	}
	for i := range op.Accesses {
		a := &op.Accesses[i]
		if a.merged {
			continue
		}
		c.conclude(op, a, o)
		a.Var.dequeue(a)
		a.Var.grant(ready)
	}
	op.done = true
	for _, s := range op.successors {
		if s.predecessors--; s.predecessors == 0 && s.held != nil {
			c.settle(s, *s.held, ready)
		}
	}
	op.successors, op.after = nil, nil
	c.pending.done()
	if !op.refused {
		c.accepted.done()
	}
}

// conclude moves the error and the version of one written variable.
func (c *core) conclude(op *Operation, a *Access, o outcome) {
	switch {
	case !a.writes() || op.Property == DeleteVar:
	case o.err == nil:
		a.Var.version.Add(1)
		if a.Mode == Write && a.Var.poison.Load() != nil {
			c.setError(a, nil, op.number)
		}
	case op.KeepOnSkip && a.Mode == Update && o.touchedNothing():
	default:
		c.setError(a, o.err, op.number)
	}
}
