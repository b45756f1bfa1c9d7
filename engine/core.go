package engine

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
)

// core is what all engines share: variables, registration, completion and errors. An engine adds an executor.
type core struct {
	executor executor

	mu       sync.Mutex // guards the queues of all variables, and what follows
	number   uint64
	errors   ledger
	closed   bool
	stopped  sync.Once
	pending  tally // of all operations
	accepted tally // of those that were not refused

	stats struct{ pushed, done, skipped, failed atomic.Uint64 }
}

// executor runs operations whose accesses are all granted.
type executor interface {
	// dispatch takes the ready operations over. No lock is held.
	dispatch(ready queue)
	// throttle is called by a goroutine after it pushed; it may help or wait a little. No lock is held.
	throttle()
	// laneOf returns the stream that op will run on, nil if the executor runs it otherwise. The caller holds core.mu.
	laneOf(op *Operation) *streamLane
	// stop ends what the executor has started; nothing is pending. Operations
	// dispatched later are refused ones; they end where they are dispatched.
	stop()
}

func newCore(e executor) core { return core{executor: e, errors: ledger{}} }

// NewVar implements Engine.
func (c *core) NewVar() *Var { return &Var{core: c} }

// Push implements Engine.
func (c *core) Push(op *Operation) {
	var ready queue
	c.mu.Lock()
	problem := c.register(op, &ready)
	c.mu.Unlock()
	if problem != nil {
		panic(problem)
	}
	c.executor.dispatch(ready)
	if op.Property != DeleteVar {
		c.executor.throttle()
	}
}

// registrar is the Pusher of Atomically.
type registrar struct {
	core  *core
	ready queue
}

// Push implements Pusher.
func (r *registrar) Push(op *Operation) {
	if problem := r.core.register(op, &r.ready); problem != nil {
		panic(problem)
	}
}

// Atomically implements Engine. What was registered before a panic of register is run.
func (c *core) Atomically(register func(p Pusher)) {
	r := registrar{core: c}
	defer func() {
		c.executor.dispatch(r.ready)
		c.executor.throttle()
	}()
	c.mu.Lock()
	defer c.mu.Unlock()
	register(&r)
}

// register enters op into the queues of its variables. One lock spans all of them: were each variable locked by itself,
// two goroutines could enter two operations in opposite orders on two variables, and both would wait for ever.
func (c *core) register(op *Operation, ready *queue) *Error {
	if problem := c.check(op); problem != nil {
		return problem
	}
	op.pushed = true
	if op.Site == nil && op.waiter == nil {
		op.Site = fault.Here(1)
	}
	c.number++
	op.number = c.number
	c.pending.add()
	if op.refused = c.closed; !op.refused {
		c.accepted.add()
	}
	if op.waiter == nil {
		c.stats.pushed.Add(1)
	}
	op.blocked = 1 // so that the operation cannot become ready before its last access is entered
	for i := range op.Accesses {
		a := &op.Accesses[i]
		if first := a.Var.registered; first != nil {
			first.merge(a)
		} else {
			a.Var.registered = a
		}
	}
	op.lane = c.executor.laneOf(op)
	for i := range op.Accesses {
		a := &op.Accesses[i]
		if a.merged {
			continue
		}
		v := a.Var
		v.registered = nil
		a.op = op
		if a.writes() {
			a.Sequence = v.sequence.Add(1)
		}
		v.enqueue(a)
		if !a.granted && (v.ranged > 0 || v.staged > 0) {
			v.grant(ready)
		}
	}
	for i := range op.Accesses {
		if a := &op.Accesses[i]; a.merged {
			a.Sequence = a.Var.Sequence()
		}
	}
	if op.blocked--; op.blocked == 0 {
		ready.add(op)
	}
	return nil
}

// check returns what is wrong with op.
func (c *core) check(op *Operation) *Error {
	problem := ""
	switch {
	case op == nil:
		return &Error{Operator: "engine.Push", Detail: "the operation is nil", Cause: fault.ErrMisuse, Site: fault.Here(2)}
	case op.pushed:
		problem = "the operation was pushed before"
	case op.Function == nil && op.Async == nil && op.waiter == nil:
		problem = "the operation has no function"
	case op.Function != nil && op.Async != nil:
		problem = "the operation has two functions"
	case op.Async != nil && !op.Device.OnHost():
		problem = "asynchronous functions run on the host"
	case int(op.Device.Kind) >= device.KindCount:
		problem = fmt.Sprintf("there is no kind %d of device", op.Device.Kind)
	}
	for i := range op.Accesses {
		a := &op.Accesses[i]
		switch {
		case a.Var == nil:
			problem = fmt.Sprintf("access %d has no variable", i)
		case a.Var.core != c:
			problem = fmt.Sprintf("the variable of access %d belongs to another engine", i)
		case a.Mode > Update:
			problem = fmt.Sprintf("access %d has the unknown mode %d", i, a.Mode)
		case a.Lo < 0 || a.Hi < a.Lo:
			problem = fmt.Sprintf("access %d has the range [%d,%d)", i, a.Lo, a.Hi)
		}
	}
	if problem == "" {
		return nil
	}
	site := op.Site
	if site == nil {
		site = fault.Here(2)
	}
	return &Error{Operator: "engine.Push: " + op.Name, Detail: problem, Cause: fault.ErrMisuse, Site: site}
}

// Stats implements Engine.
func (c *core) Stats() Stats {
	return Stats{
		Pushed: c.stats.pushed.Load(), Done: c.stats.done.Load(), Skipped: c.stats.skipped.Load(), Failed: c.stats.failed.Load(),
	}
}

// Close implements Engine.
func (c *core) Close(ctx context.Context) error {
	// First of all, so that goroutines that keep pushing cannot put off the end for ever.
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	if err := c.waitNone(ctx, &c.accepted); err != nil {
		return err
	}
	c.stopped.Do(c.executor.stop)
	return nil
}
