package engine

// issue makes the event of t known: tasks on streams of the same kind of device need no longer wait for its end. The caller
// holds c.mu.
func (c *core) issue(t *task) {
	nodes := t.nodes()
	for i := range nodes {
		nodes[i].variable.grant(nodes[i].access(), &c.ready)
	}
}

// maximumPublishing bounds how many operations are done before their number is next published to throttled goroutines.
const maximumPublishing = 128

// finish ends t: errors and versions move, and what waited for it becomes ready. A task that was launched behind the event
// of another ends after that one, because only then is known whether its inputs were good. One that has starved does not end. The
// caller holds c.mu.
func (c *core) finish(t *task, o outcome) {
	if o.err != nil {
		if s := o.starvation(); s != nil {
			c.park(t, o.err, s)
			return
		}
	}
	if t.staging() != nil && t.staging().predecessors > 0 {
		held := o // of its own, so that o need not live on the heap
		t.staging().held = &held
		return
	}
	c.settle(t, o)
}

// settle ends t, which waits for nothing any more. The caller holds c.mu.
func (c *core) settle(t *task, o outcome) {
	used := c.concludeTask(t, o)
	var last *task
	if c.observers != nil {
		c.observe(t, o)
		last = c.ready.last
	}
	c.end(t)
	c.leaveQueues(t)
	if c.observers != nil {
		c.readied(t, last)
	}
	c.pending--
	if c.parking.count > 0 {
		c.leaveParking(t)
	}
	if t.rare == nil {
		c.accepted--
	} else {
		c.settleRare(t)
	}
	if c.counted >= c.published+c.publishing || c.pending == 0 {
		c.publishProgress()
	}
	c.reuse(t)
	if len(c.waiting) > 0 {
		c.notifyWaiting()
	}
	if used != nil {
		used.Recycle()
	}
}

// concludeTask moves the errors and versions of what t has written. It returns the function of t if that is to be used again once t is
// forgotten.
func (c *core) concludeTask(t *task, o outcome) (used Recycler) {
	switch {
	case t.rare == nil:
		if o.err == nil && t.operation.owner == nil {
			used, _ = t.operation.Function.(Recycler)
		}
		c.conclude(t, t.operation, t.number, o)
	case t.waiter() != nil:
		t.waiter() <- t.nodes()[0].variable.Err()
	case t.bulk() == nil:
		own := t.inherited(o)
		if own.err == nil && t.operation.owner == nil && t.rare.staging != nil && t.rare.times == (times{}) {
			used, _ = t.operation.Function.(Recycler)
		}
		c.conclude(t, t.operation, t.number, own)
	default:
		c.concludeAll(t)
	}
	return used
}

// leaveQueues counts the versions that t has made and lost, and grants the variables of t to those who wait behind it.
func (c *core) leaveQueues(t *task) {
	nodes := t.nodes()
	for i := range nodes {
		n := &nodes[i]
		v := n.variable
		if n.writes > n.lost {
			v.version.Store(v.version.Load() + uint64(n.writes-n.lost))
		}
		if n.lost > 0 {
			v.lost.Store(v.lost.Load() + uint64(n.lost))
		}
		v.dequeue(n)
		v.grant(n.access(), &c.ready)
	}
}

// reuse keeps the memory of t, and of what only t has, for tasks to come.
func (c *core) reuse(t *task) {
	b, s := t.bulk(), t.staging()
	if t.rare != nil {
		c.rares.give(t.rare)
	}
	c.slabs.recycle(t)
	if s != nil {
		c.stagings.end(s)
	}
	switch {
	case b == nil:
	case b.number != 0:
		c.recorded.give(b)
	default:
		c.intake.bulks.give(b)
	}
}

// settleRare does the rest for a task that has what few have: it settles those launched behind t whose end was held until now,
// and no longer counts t as accepted.
func (c *core) settleRare(t *task) {
	if s := t.staging(); s != nil {
		s.done = true
		for _, follower := range s.successors {
			if follower.predecessors--; follower.predecessors == 0 && follower.held != nil {
				c.settle(follower.task, *follower.held)
			}
		}
	}
	if t.isAccepted() {
		c.accepted--
	}
}

// publishProgress tells throttled goroutines how much is done.
func (c *core) publishProgress() {
	c.published = c.counted
	c.signals.progress.Store(c.counted)
	c.signals.released.Store(c.bytes)
}

// concludeAll moves the errors and versions of everything that t, a bulk, touches.
func (c *core) concludeAll(t *task) {
	if b := t.bulk(); b.concluded == 0 && !t.touchesErrors() {
		c.concludeWhole(b)
	} else {
		c.concludeBulk(t, len(b.entries))
	}
}

// inherited returns how t has ended if what it followed has failed since t was launched. That takes precedence over an error of
// t's own, which may come from garbage in place of its inputs.
func (t *task) inherited(o outcome) outcome {
	if t.follows() && o.ran && t.operation.Property != NoSkip {
		if err := t.inputError(t.operation, t.number, t.site); err != nil {
			o.err = err
		}
	}
	return o
}

// conclude moves the errors and versions of what op, of the task t, has written.
func (c *core) conclude(t *task, op *Operation, number uint64, o outcome) {
	c.stats.Done++
	if op.Property != DeleteVar {
		c.counted++
		c.bytes += op.Bytes
	}
	switch {
	case o.err == nil:
	case o.ran:
		c.stats.Failed++
	default:
		c.stats.Skipped++
	}
	switch {
	case op.Property == DeleteVar:
		if t.bulk() == nil { // Otherwise its version was given up when it joined.
			t.loseVersions(op)
		}
	case o.err == nil:
		t.cure(c, op, number)
	default:
		t.loseVersions(op)
		c.poisonWritten(op, number, o)
	}
	if op.owner != nil && !op.finisher { // Which costs less than to look.
		return
	}
	if f, ok := op.Function.(Finisher); ok {
		f.Finished()
	}
}

// cure takes the errors from what op, which has succeeded, has replaced.
func (t *task) cure(c *core, op *Operation, number uint64) {
	nodes := t.nodes()
	for i := range nodes {
		if n := &nodes[i]; n.mode != Read && n.variable.inError() {
			for j := range op.Accesses {
				if a := &op.Accesses[j]; a.Var == n.variable && a.cures() {
					c.setError(a, nil, number)
				}
			}
		}
	}
}

// poisonWritten makes the error of op stick to what it would have written.
func (c *core) poisonWritten(op *Operation, number uint64, o outcome) {
	for i := range op.Accesses {
		a := &op.Accesses[i]
		if a.Mode != Read && !(op.KeepOnSkip && a.Mode == Update && o.touchedNothing()) {
			c.setError(a, o.err, number)
		}
	}
}

// loseVersions takes one version from each variable that op writes.
func (t *task) loseVersions(op *Operation) {
	nodes := t.nodes()
	for i := range nodes {
		n := &nodes[i]
		for j := range op.Accesses {
			if a := &op.Accesses[j]; a.Var == n.variable && a.Mode != Read {
				n.lost++
				break
			}
		}
	}
}
