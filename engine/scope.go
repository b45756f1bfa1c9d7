package engine

import (
	"context"

	"github.com/weft-nd/weft/fault"
)

// scope is the context of a running host function, by which Wait knows which function waits.
type scope struct {
	context.Context
	core   *core
	op     *Operation
	number uint64
	site   *fault.Site
}

type scopeKey struct{}

// Value implements context.Context.
func (s *scope) Value(key any) any {
	if key == (scopeKey{}) {
		return s
	}
	return s.Context.Value(key)
}

// scope returns the context that the function of op gets.
func (op *Operation) scope(c *core, number uint64, site *fault.Site) context.Context {
	ctx := op.Context
	if ctx == nil {
		ctx = context.Background()
	}
	if op.Host || op.Async != nil {
		return &scope{ctx, c, op, number, site}
	}
	return ctx
}

// selfWait returns the error of a function that would wait for its own end.
func (s *scope) selfWait(call string, site *fault.Site) error {
	e := s.op.describe(s.site)
	e.Operator = call
	e.Detail = "the function of " + s.op.Name + ", pushed at " + s.site.String() + ", waits for its own end"
	e.Cause = fault.ErrDeadlock
	e.Site = site
	return e
}

// isPending reports whether the function that s belongs to has not ended.
func (c *core) isPending(s *scope) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.taskOf(s) != nil
}

// taskOf returns the task that s belongs to, nil if it is done. The caller holds c.mu.
func (c *core) taskOf(s *scope) *task {
	if s.core != c {
		return nil
	}
	for t := range c.slabs.registered {
		if t.number == s.number {
			return t
		}
	}
	return nil
}

// waitsForItself reports whether a write of v depends on the end of the function that s belongs to. The caller holds c.mu.
func (c *core) waitsForItself(s *scope, v *Var) bool {
	c.absorb()
	own := c.taskOf(s)
	if own == nil {
		return false
	}
	seen := map[*task]bool{}
	var depends func(t *task) bool
	depends = func(t *task) bool {
		if t == own || seen[t] {
			return t == own
		}
		seen[t] = true
		nodes := t.nodes()
		for i := range nodes {
			for older := range nodes[i].waitsFor {
				if depends(older.task) {
					return true
				}
			}
		}
		return false
	}
	for n := v.head; n != nil; n = n.next {
		if n.mode != Read && depends(n.task) {
			return true
		}
	}
	return false
}

// waitsFor yields the nodes in the queue of n's variable that must be done before n is granted.
func (n *node) waitsFor(yield func(older *node) bool) {
	if n.granted {
		return
	}
	for older := n.variable.head; older != n; older = older.next {
		if older.access().blocks(n.access()) && !yield(older) {
			return
		}
	}
}
