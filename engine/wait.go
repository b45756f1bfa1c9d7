package engine

import (
	"context"
	"runtime"
	"slices"

	"github.com/weft-nd/weft/fault"
)

// A goroutine that waits looks at the variable for a moment before it parks, which takes microseconds. The window is
// counted, not timed: waitLoads looks, then a yield to whatever else wants the processor, waitRounds times.
const (
	waitLoads  = 30
	waitPause  = 30
	waitRounds = 40
)

// Wait implements Engine.
func (c *core) Wait(ctx context.Context, v *Var) error {
	if v == nil || v.core != c {
		panic(&Error{Operator: "engine.Wait", Detail: "the variable is nil or belongs to another engine", Cause: fault.ErrMisuse, Site: fault.Here(1)})
	}
	c.intake.mu.Lock()
	gathered := v.open != nil
	if gathered {
		v.open.close()
	}
	target, ordered := v.sequence, !v.ranged
	done := v.finished() == target
	c.intake.mu.Unlock()
	if done {
		c.flushObservers()
		return v.Err()
	}
	if c.signals.observed.Load() {
		defer c.observeWait(v, fault.Here(1))()
	}
	if ordered && c.intakeIsShared() {
		if ctx.Done() == nil && c.executor.help(v, target) {
			return v.Err()
		}
		if gathered || c.signals.deferred.Load() {
			c.executor.wake()
		}
		if c.hurry(); c.spin(v, target) {
			return v.Err()
		}
	}
	answer := make(chan error, 1)
	c.mu.Lock()
	if waiting, found := ctx.Value(scopeKey{}).(*scope); found && c.waitsForItself(waiting, v) {
		c.unlock()
		return waiting.selfWait("engine.Wait", fault.Here(1))
	}
	c.absorb()
	c.intake.mu.Lock()
	c.intake.number++
	number := c.intake.number
	c.intake.mu.Unlock()
	c.register(&arrival{site: fault.Here(1), operation: &Operation{Name: "wait", Accesses: []Access{{Var: v}}}, number: number, rare: &rare{waiter: answer}}, 0)
	c.unlock()
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// intakeIsShared reports whether workers take from the intake, so that it makes sense to give them a moment.
func (c *core) intakeIsShared() bool { return !c.eager && !c.signals.paused.Load() }

// hurry keeps workers from waiting for more in the intake.
func (c *core) hurry() {
	if c.signals.arrived.Load() {
		c.signals.hurried.Store(true)
	}
}

// spin looks at v for the length of the window, and reports whether so many writes of it have ended.
func (c *core) spin(v *Var, target uint64) bool {
	c.pool.BeginWait()
	defer c.pool.EndWait()
	for range waitRounds {
		for range waitLoads {
			if v.finished() >= target {
				return true
			}
			if c.pool.Invites() {
				break
			}
			for range waitPause { // Whoever finishes the write needs the cache line too.
			}
		}
		runtime.Gosched()
	}
	return false
}

// WaitAll implements Engine.
func (c *core) WaitAll(ctx context.Context) error {
	if waiting, found := ctx.Value(scopeKey{}).(*scope); found && c.isPending(waiting) {
		return waiting.selfWait("engine.WaitAll", fault.Here(1))
	}
	if err := c.waitUntil(ctx, (*core).isEmpty); err != nil {
		return err
	}
	c.flushObservers()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.errors.join()
}

// waiting is a goroutine that waits until something is true of the engine.
type waiting struct {
	until func(c *core) bool
	true  chan struct{}
}

func (c *core) isEmpty() bool { return c.pending == 0 && !c.hasArrivals() }

func (c *core) acceptsDone() bool { return c.accepted == 0 && !c.hasArrivals() }

// hasArrivals reports whether something is in the intake. The signal stays when all that had arrived was handed over in full
// batches. The caller holds c.mu.
func (c *core) hasArrivals() bool {
	if !c.signals.arrived.Load() {
		return false
	}
	c.intake.mu.Lock()
	defer c.intake.mu.Unlock()
	return !c.intake.arrivals.isEmpty()
}

func (c *core) runsNothing() bool { return c.running == 0 }

// waitUntil blocks until the condition holds, which only the end of a task makes true.
func (c *core) waitUntil(ctx context.Context, condition func(c *core) bool) error {
	c.mu.Lock()
	c.intake.mu.Lock()
	c.intake.closeBulks()
	c.intake.mu.Unlock()
	c.absorb()
	c.route()
	if condition(c) {
		c.unlock()
		return nil
	}
	w := waiting{condition, make(chan struct{})}
	c.waiting = append(c.waiting, w)
	c.unlock()
	select {
	case <-w.true:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// notifyWaiting wakes those whose condition holds. The caller holds c.mu.
func (c *core) notifyWaiting() {
	if !slices.ContainsFunc(c.waiting, func(w waiting) bool { return w.until(c) }) {
		return // At the end of nearly every task.
	}
	left := c.waiting[:0]
	for _, w := range c.waiting {
		if w.until(c) {
			close(w.true)
		} else {
			left = append(left, w)
		}
	}
	clear(c.waiting[len(left):])
	c.waiting = left
}
