package storage

import (
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
)

// Keep makes Discard and TryRelease leave s alone until Hold.Drop, for a program that runs again with the same memory. Unlike Hold it
// lets s be written. It must be called inside engine.Atomically.
func (s *Synced) Keep(site *fault.Site) *Hold {
	h := s.Hold(site)
	h.writable = true
	return h
}

// IsKept reports whether Keep alone holds s, and no live tape has saved it.
func (s *Synced) IsKept() bool { return s.held() && s.saved() == nil }

// IsSaved reports whether a live tape has saved s.
func (s *Synced) IsSaved() bool { return s.held() && s.saved() != nil }

// IsForgotten reports whether s was discarded and is held by one Keep alone, so that nobody else will read what is written
// there.
func (s *Synced) IsForgotten() bool {
	holding.Lock()
	defer holding.Unlock()
	h := s.holds.Load()
	return h != nil && h.writable && h.next != nil && h.next.last
}

// Variable returns the variable of r alone, nil as long as that of its Synced serves for it. It must be called inside engine.Atomically.
func (r *Replica) Variable() *engine.Var { return r.variable() }
