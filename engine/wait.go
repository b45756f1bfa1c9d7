package engine

import (
	"context"

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
	if err := c.waitIdle(ctx); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.errors.join()
}

// waitIdle blocks until nothing is pending.
func (c *core) waitIdle(ctx context.Context) error {
	c.mu.Lock()
	if c.pending.Load() == 0 {
		c.mu.Unlock()
		return nil
	}
	idle := make(chan struct{})
	c.idle = append(c.idle, idle)
	c.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
