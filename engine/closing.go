package engine

import "context"

// Close implements Engine.
func (c *core) Close(ctx context.Context) error {
	// First of all, so that goroutines that keep pushing cannot put off the end for ever.
	c.mu.Lock()
	c.intake.mu.Lock()
	c.intake.closeBulks()
	c.intake.closed = true
	c.signals.closed.Store(true)
	c.intake.mu.Unlock()
	c.mu.Unlock()
	c.Start()
	if err := c.waitUntil(ctx, (*core).acceptsDone); err != nil {
		return err
	}
	c.stopped.Do(c.executor.stop)
	c.flushObservers()
	c.changeObservers(func() { c.observers = nil }) // They may hold arrays, which hold the engine.
	return nil
}

// Closed implements Engine.
func (c *core) Closed() bool { return c.signals.closed.Load() }

// Stop implements Engine.
func (c *core) Stop(ctx context.Context) error {
	c.intake.mu.Lock() // Until now somebody may have been alone.
	c.signals.paused.Store(true)
	c.intake.mu.Unlock()
	return c.waitUntil(ctx, (*core).runsNothing)
}

// Start implements Engine.
func (c *core) Start() {
	c.mu.Lock()
	c.signals.paused.Store(false)
	c.ready.append(c.held.takeAll())
	c.unlock()
	c.executor.resume()
}
