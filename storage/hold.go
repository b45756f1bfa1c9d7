package storage

import (
	"fmt"
	"sync"

	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
)

// Hold keeps the contents of a Synced from being written: a tape has saved them.
type Hold struct {
	synced   *Synced
	site     *fault.Site
	next     *Hold // of the same Synced; guarded by holding
	last     bool  // no tape's, but the mark of Discard behind all others
	writable bool  // it keeps the memory alone, see Keep
}

// holding guards the lists of all Synceds. Every write looks whether its own is empty, without a lock.
var holding sync.Mutex

// Hold protects s until Drop. It must be called inside engine.Atomically, behind the operation whose contents are saved,
// so that no writer comes between. Site is the place that the error of a writer names.
func (s *Synced) Hold(site *fault.Site) *Hold {
	holding.Lock()
	defer holding.Unlock()
	h := &Hold{synced: s, site: site, next: s.holds.Load()}
	s.holds.Store(h)
	return h
}

// Drop ends the protection. Dropping again is harmless. It may be called from any goroutine, but not inside engine.Atomically.
func (h *Hold) Drop() {
	if discarded := h.drop(); discarded != nil {
		h.synced.Discard(discarded.site)
	}
}

// drop takes h out of its list, and with the last of the tapes the mark of Discard, which is returned.
func (h *Hold) drop() (discarded *Hold) {
	holding.Lock()
	defer holding.Unlock()
	s := h.synced
	if first := s.holds.Load(); first == h {
		s.holds.Store(h.next)
	} else {
		for at := first; at != nil; at = at.next {
			if at.next == h {
				at.next = h.next
				break
			}
		}
	}
	if rest := s.holds.Load(); rest != nil && rest.last {
		s.holds.Store(nil)
		return rest
	}
	return nil
}

// Discard releases s as soon as no live tape has it saved. The caller knows that nobody else will use s. Small memory is left
// to the collector, for which it costs less.
func (s *Synced) Discard(site *fault.Site) {
	if s.IsSmall() {
		return
	}
	if site == nil {
		site = fault.Here(1)
	}
	if s.releaseAlone(site) {
		return
	}
	s.engine.Atomically(func(p engine.Pusher) {
		if !s.discardHeld(site) {
			s.release(p, site)
		}
	})
}

// IsSmall reports whether Discard leaves s to the collector.
func (s *Synced) IsSmall() bool { return s.first.bytes < leastRecycled }

// discardHeld marks s, which is to be released with its last Hold; it reports false if there is none.
func (s *Synced) discardHeld(site *fault.Site) bool {
	holding.Lock()
	defer holding.Unlock()
	at := s.holds.Load()
	if at == nil {
		return false
	}
	for at.next != nil {
		at = at.next
	}
	if !at.last {
		at.next = &Hold{synced: s, site: site, last: true}
	}
	return true
}

// held reports whether a live tape has saved s, or a program keeps it.
func (s *Synced) held() bool { return s.holds.Load() != nil }

// checkHolds panics if the contents of s are saved. Views are not told apart: memory is protected as a whole.
func (s *Synced) checkHolds(site *fault.Site) {
	if s.holds.Load() == nil {
		return
	}
	saved := s.saved()
	if saved == nil {
		return
	}
	panic(&fault.Error{
		Operator: "write", Cause: fault.ErrSaved, Site: site,
		Detail: fmt.Sprintf("a live tape has saved this memory at %v for its gradient; write to a copy, or use the tape's gradient first", saved.site),
	})
}

// saved returns the Hold of a tape, nil if there is none.
func (s *Synced) saved() *Hold {
	holding.Lock()
	defer holding.Unlock()
	for h := s.holds.Load(); h != nil; h = h.next {
		if !h.writable && !h.last {
			return h
		}
	}
	return nil
}
