package storage

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/fault"
)

// Hold keeps the contents of a Synced from being written: a tape has saved them.
type Hold struct {
	synced *Synced
	site   *fault.Site
}

// Hold protects s until Drop. It must be called inside engine.Atomically, behind the operation whose contents are saved,
// so that no writer comes between. Site is the place that the error of a writer names.
func (s *Synced) Hold(site *fault.Site) *Hold {
	h := &Hold{s, site}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holds = append(s.holds, h)
	return h
}

// Drop ends the protection. Dropping again is harmless. It may be called from any goroutine.
func (h *Hold) Drop() {
	s := h.synced
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.holds, h); i >= 0 {
		s.holds = slices.Delete(s.holds, i, i+1)
	}
}

// checkHolds panics if the contents of s are saved. Views are not told apart: memory is protected as a whole.
func (s *Synced) checkHolds(site *fault.Site) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.holds) == 0 {
		return
	}
	panic(&fault.Error{
		Operator: "write", Cause: fault.ErrSaved, Site: site,
		Detail: fmt.Sprintf("a live tape has saved this memory at %v for its gradient; write to a copy, or use the tape's gradient first", s.holds[0].site),
	})
}
