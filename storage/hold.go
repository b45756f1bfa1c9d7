package storage

import (
	"fmt"
	"sync"

	"github.com/weft-nd/weft/fault"
)

// Hold keeps the contents of a Synced from being written: a tape has saved them.
type Hold struct {
	synced *Synced
	site   *fault.Site
	next   *Hold // of the same Synced; guarded by holding
}

// holding guards the lists of all Synceds. Every write looks whether its own is empty, without a lock.
var holding sync.Mutex

// Hold protects s until Drop. It must be called inside engine.Atomically, behind the operation whose contents are saved,
// so that no writer comes between. Site is the place that the error of a writer names.
func (s *Synced) Hold(site *fault.Site) *Hold {
	holding.Lock()
	defer holding.Unlock()
	h := &Hold{s, site, s.holds.Load()}
	s.holds.Store(h)
	return h
}

// Drop ends the protection. Dropping again is harmless. It may be called from any goroutine.
func (h *Hold) Drop() {
	holding.Lock()
	defer holding.Unlock()
	first := h.synced.holds.Load()
	if first == h {
		h.synced.holds.Store(h.next)
		return
	}
	for at := first; at != nil; at = at.next {
		if at.next == h {
			at.next = h.next
			return
		}
	}
}

// held reports whether a live tape has saved s.
func (s *Synced) held() bool { return s.holds.Load() != nil }

// checkHolds panics if the contents of s are saved. Views are not told apart: memory is protected as a whole.
func (s *Synced) checkHolds(site *fault.Site) {
	first := s.holds.Load()
	if first == nil {
		return
	}
	panic(&fault.Error{
		Operator: "write", Cause: fault.ErrSaved, Site: site,
		Detail: fmt.Sprintf("a live tape has saved this memory at %v for its gradient; write to a copy, or use the tape's gradient first", first.site),
	})
}
