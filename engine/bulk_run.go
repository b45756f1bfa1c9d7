package engine

import "runtime/debug"

// performBulk runs the operations of t, from the current one on, one after another. Where one of them fails, or changes what is
// in error, the next must see it. One that has starved is the current one when t is performed again.
func (c *core) performBulk(t *task) outcome {
	for b := t.bulk(); ; b.current++ {
		o := c.runEntries(t, b)
		if b.current == len(b.entries) {
			return outcome{ran: true}
		}
		if o.starvation() != nil {
			return o
		}
		c.mu.Lock()
		c.concludeEntry(t, b.current, o)
		c.mu.Unlock()
	}
}

// runEntries runs the operations from the current one on, until one has to be concluded, which is the current one then.
func (c *core) runEntries(t *task, b *bulk) (o outcome) {
	returned, faults := false, debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(faults)
		if !returned {
			e := b.entry(b.current)
			o = outcome{err: c.interrupted(t, e.operation, e.site, recover()), ran: true}
		}
	}()
	careful := t.rare.refused || t.touchesErrors()
	decorated := c.isDecorated()
	r := &t.runner.run
	r.Context = background
	if !careful && !decorated && !b.scoped {
		o = b.runPlain(r)
		returned = true
		return o
	}
	for ; b.current < len(b.entries); b.current++ {
		op := b.entries[b.current].operation
		if careful || op.Context != nil {
			e := b.entry(b.current)
			if err := c.refuse(t, op, e.number, e.site); err != nil {
				o = outcome{err: err}
				break
			}
			r.Context = op.scope(c, e.number, e.site)
		}
		var err error
		if decorated {
			err = c.runDecorated(op, b.entry(b.current).site, r)
		} else {
			err = op.Function.Run(r)
		}
		if op.Context != nil {
			r.Context = background
		}
		if err != nil {
			o = outcome{err: op.failed(err, b.entry(b.current).site), ran: true}
			break
		}
		if careful && op.cures() {
			o = outcome{ran: true}
			break
		}
	}
	returned = true
	return o
}

// runPlain is runEntries where nothing has to be looked at but what the functions return.
func (b *bulk) runPlain(r *RunContext) outcome {
	for ; b.current < len(b.entries); b.current++ {
		if err := b.entries[b.current].operation.Function.Run(r); err != nil {
			e := b.entry(b.current)
			return outcome{err: e.operation.failed(err, e.site), ran: true}
		}
	}
	return outcome{}
}

// cures reports whether op writes a variable in error.
func (op *Operation) cures() bool {
	for i := range op.Accesses {
		if a := &op.Accesses[i]; a.cures() && a.Var.inError() {
			return true
		}
	}
	return false
}

// concludeEntry concludes the operation with the given index, and those before it, which have succeeded.
func (c *core) concludeEntry(t *task, index int, o outcome) {
	c.concludeBulk(t, index)
	e := t.bulk().entry(index)
	c.conclude(t, e.operation, e.number, o)
	t.bulk().concluded++
}

// concludeBulk concludes the operations before the one with the given index, which have succeeded.
func (c *core) concludeBulk(t *task, index int) {
	for b := t.bulk(); b.concluded < index; b.concluded++ {
		e := b.entry(b.concluded)
		c.conclude(t, e.operation, e.number, outcome{ran: true})
	}
}

// concludeWhole concludes all operations of a bulk that has met no error.
func (c *core) concludeWhole(b *bulk) {
	c.stats.Done += uint64(len(b.entries))
	c.counted += b.counted
	c.bytes += b.bytes
	if !b.finishes {
		return
	}
	for i := range b.entries {
		if f, ok := b.entries[i].operation.Function.(Finisher); ok {
			f.Finished()
		}
	}
}
