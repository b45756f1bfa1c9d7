package engine

// TryAlone implements Engine.
func (c *core) TryAlone(writes bool) bool {
	if c.eager || c.signals.observed.Load() || c.isDecorated() {
		return false
	}
	c.intake.mu.Lock()
	if c.intake.closed || c.intake.timed || c.signals.paused.Load() || writes && !c.tryQueues() {
		c.intake.mu.Unlock()
		return false
	}
	return true
}

// tryQueues locks c.mu if everything that was pushed is in the queues of its variables. The caller holds intake.mu.
func (c *core) tryQueues() bool {
	if !c.mu.TryLock() {
		return false
	}
	if !c.intake.arrivals.isEmpty() {
		c.mu.Unlock()
		return false
	}
	return true
}

// EndAlone implements Engine.
func (c *core) EndAlone(writes, done bool) {
	if done {
		c.intake.pushed++
		c.intake.alone++
	}
	if writes {
		c.mu.Unlock() // Whoever failed to get it has found the intake as empty as it is.
	}
	c.intake.mu.Unlock()
}

// IsSettled reports whether every write of v that was pushed is done, and no error sticks to v. It is called between TryAlone and
// EndAlone, so that this stays so; what those writes have written is seen.
func (v *Var) IsSettled() bool {
	return v.finished() == v.sequence && v.open == nil && v.deleted == nil && v.poison.Load() == nil
}

// IsFree reports whether, besides being settled, v is touched by nothing that is pending. It is called after TryAlone for a write.
func (v *Var) IsFree() bool { return v.IsSettled() && v.head == nil }

// CountWrite counts a write that was not pushed: one done between TryAlone, for a write, and EndAlone, or before anybody else knew of v.
func (v *Var) CountWrite() {
	v.sequence++
	v.version.Add(1)
}
