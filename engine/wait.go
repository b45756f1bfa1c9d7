package engine

import (
	"context"
	"sync/atomic"

	"github.com/weft-nd/weft/fault"
)

// Wait implements Engine.
func (c *core) Wait(ctx context.Context, v *Var) error {
	if v == nil || v.core != c {
		panic(&Error{Operator: "engine.Wait", Detail: "the variable is nil or belongs to another engine", Cause: fault.ErrMisuse, Site: fault.Here(1)})
	}
	c.mu.Lock()
	if v.writers == 0 {
		c.mu.Unlock()
		return v.Err()
	}
	// A read of v is granted when every write pushed before is done; the reader's only work is to report the error.
	answer := make(chan error, 1)
	reader := &Operation{Name: "wait", Accesses: []Access{{Var: v, Mode: Read}}, waiter: answer}
	var ready queue
	c.register(reader, &ready)
	c.mu.Unlock()
	c.executor.dispatch(ready)
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// WaitAll implements Engine.
func (c *core) WaitAll(ctx context.Context) error {
	if err := c.waitNone(ctx, &c.pending); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.errors.join()
}

// tally counts operations that are not done, and lets goroutines wait until there are none. Add and done are called with
// core.mu held.
type tally struct {
	count   atomic.Int64
	waiting []chan struct{} // closed when the count is zero
}

func (y *tally) add() { y.count.Add(1) }

func (y *tally) done() {
	if y.count.Add(-1) > 0 {
		return
	}
	for _, none := range y.waiting {
		close(none)
	}
	y.waiting = nil
}

// waitNone blocks until y counts nothing.
func (c *core) waitNone(ctx context.Context, y *tally) error {
	c.mu.Lock()
	if y.count.Load() == 0 {
		c.mu.Unlock()
		return nil
	}
	none := make(chan struct{})
	y.waiting = append(y.waiting, none)
	c.mu.Unlock()
	select {
	case <-none:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
