package engine

// dissolve ends t, a bulk whose current operation has starved, with the operations before that one, and makes a task each of
// the current one and the rest, as if each had been pushed by itself: others may then use what these do not touch, and
// operations that free memory do not wait for the one that needs it. It returns the task of the current operation. The caller
// holds c.mu.
func (c *core) dissolve(t *task) *task {
	b := t.bulk()
	c.concludeBulk(t, b.current)
	rest := b.all(b.current)
	last := map[*Var]*node{} // the place of the next node in the queue of its variable
	for i := range b.nodes {
		last[b.nodes[i].variable] = &b.nodes[i]
	}
	var starved *task
	for i := range rest {
		single := c.newSingle(&rest[i], b.rare.times)
		if single.blocked = 1; i == 0 {
			starved = single // It does not become ready.
		}
		single.enterBehind(last)
		if i > 0 {
			if single.blocked--; single.blocked == 0 {
				c.ready.add(single)
			}
		}
	}
	for i := range b.nodes {
		b.nodes[i].shorten(rest)
	}
	if b.number == 0 {
		clear(b.entries[b.current:])
	}
	b.entries, b.counted, b.bytes = b.entries[:b.current], 0, 0
	c.settle(t, outcome{ran: true})
	starved.blocked--
	return starved
}

// newSingle returns a task for e, which was pushed as part of a bulk.
func (c *core) newSingle(e *entry, times times) *task {
	t := c.slabs.task()
	t.operation, t.site, t.number, t.rare = e.operation, e.site, e.number, nil
	t.needsRare().times = times // It is not recycled, as nothing that was pushed in a bulk is.
	c.pending++
	c.accepted++
	c.nameVariables(t)
	return t
}

// enterBehind enters t into the queues of its variables, each node behind the one that last tells of.
func (t *task) enterBehind(last map[*Var]*node) {
	nodes := t.nodes()
	for i := range nodes {
		n := &nodes[i]
		v := n.variable
		v.insert(n, last[v])
		last[v] = n
		if n.granted = n.admit(); !n.granted {
			t.blocked++
		}
		v.waiting = v.head
		v.passGranted()
	}
}

// insert enters n behind older, which is in the queue.
func (v *Var) insert(n, older *node) {
	n.prev, n.next = older, older.next
	if older.next == nil {
		v.tail = n
	} else {
		older.next.prev = n
	}
	older.next = n
	v.count(n, 1)
}

// shorten takes what rest, the last operations of a bulk, count for in its node n away.
func (n *node) shorten(rest []entry) {
	for i := range rest {
		op := rest[i].operation
		for j := range op.Accesses {
			if a := &op.Accesses[j]; a.Var == n.variable && a.Mode != Read {
				n.writes--
				if op.Property == DeleteVar {
					n.lost--
				}
				break
			}
		}
	}
}
