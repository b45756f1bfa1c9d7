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

// Variable returns the variable of r alone, nil as long as that of its Synced serves for it. It must be called inside engine.Atomically.
func (r *Replica) Variable() *engine.Var { return r.variable() }
