package ops

import (
	"sync"

	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/storage"
)

// MemoryScope gives back the memory of a part of a program when that ends, without waiting for the collector: Close releases
// the arrays that were made in its Env, and in Envs joined with it, except those that were kept. All methods may be called from
// any goroutine.
type MemoryScope struct {
	outer *MemoryScope // nil if there is none

	mu     sync.Mutex
	made   map[*storage.Synced]struct{}
	closed bool
}

// WithMemoryScope returns an Env whose arrays belong to a new scope. Within another scope that is the inner one.
func (e *Env) WithMemoryScope() (*Env, *MemoryScope) {
	derived := *e
	derived.memory = &MemoryScope{outer: e.memory, made: map[*storage.Synced]struct{}{}}
	return &derived, derived.memory
}

// Own makes memory that was made elsewhere belong to the memory scope of e, if it has one.
func (e *Env) Own(s *storage.Synced) {
	e.memory.add(s)
	e.made(s)
}

// Keep takes the memory of ts out of the scope: it belongs to the outer scope from now on, or to the collector.
func (m *MemoryScope) Keep(ts ...*Tensor) {
	for _, t := range ts {
		if s := t.view.Synced; m.forget(s) {
			m.outer.add(s)
		}
	}
}

func (m *MemoryScope) forget(s *storage.Synced) (found bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, found = m.made[s]
	delete(m.made, s)
	return found
}

// add makes s belong to m. What is made after Close, by operators on arrays that were kept, belongs to the outer scope.
func (m *MemoryScope) add(s *storage.Synced) {
	for ; m != nil; m = m.outer {
		m.mu.Lock()
		if !m.closed {
			m.made[s] = struct{}{}
			m.mu.Unlock()
			return
		}
		m.mu.Unlock()
	}
}

// Close releases the arrays of the scope, as Tensor.Release does: when the operators called so far are done. Using one of them
// later panics with fault.ErrReleased. Those that a live tape has saved are left to the collector. Closing again does nothing.
func (m *MemoryScope) Close() {
	m.mu.Lock()
	made := m.made
	m.made, m.closed = nil, true
	m.mu.Unlock()
	site := fault.Here(1)
	for s := range made {
		if !s.TryRelease(site) && s.IsKept() { // by a Capture, which gives it back
			s.Discard(site)
		}
	}
}

// inner returns the scope of two that lies within the other; m if neither does.
func (m *MemoryScope) inner(other *MemoryScope) *MemoryScope {
	for scope := other; scope != nil; scope = scope.outer {
		if scope == m {
			return other
		}
	}
	if m == nil {
		return other
	}
	return m
}
