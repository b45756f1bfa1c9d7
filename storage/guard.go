package storage

import (
	"slices"

	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
)

// guard opens the memory of one replica to operations that declare it, in an engine with engine.WithSanitizer. Most replicas
// have none. It lives as long as the variables do, and may outlive the memory.
type guard struct {
	site   *fault.Site // where the array was made
	bytes  int
	pages  *pages // nil until there is memory, and for memory that cannot be protected
	opened []span
}

// span is a part of the memory that is open.
type span struct {
	write  bool
	lo, hi int
}

// protect gives r a guard, and lets those who declare v open it.
func (r *Replica) protect(v *engine.Var) {
	if !v.Sanitized() || !r.Device().OnHost() {
		return
	}
	more := r.more()
	if more.guard == nil {
		more.guard = &guard{site: fault.Here(2), bytes: r.bytes}
	}
	v.SetGuard(more.guard)
}

// attach makes b the memory that g opens. What nobody has opened is closed from now on.
func (g *guard) attach(b *Block) {
	fenced.Lock()
	defer fenced.Unlock()
	if g.pages = fenced.all[uintptr(b.pointer.Host)]; g.pages != nil {
		g.pages.guard = g
		g.update(span{hi: g.bytes})
	}
}

func (g *guard) span(write bool, lo, hi int64) span {
	if hi == 0 {
		return span{write, 0, g.bytes}
	}
	return span{write, int(lo), int(min(hi, int64(g.bytes)))}
}

// Open implements engine.Guard.
func (g *guard) Open(write bool, lo, hi int64) {
	fenced.Lock()
	defer fenced.Unlock()
	s := g.span(write, lo, hi)
	g.opened = append(g.opened, s)
	g.update(s)
}

// Close implements engine.Guard.
func (g *guard) Close(write bool, lo, hi int64) {
	fenced.Lock()
	defer fenced.Unlock()
	s := g.span(write, lo, hi)
	i := slices.Index(g.opened, s)
	g.opened = slices.Delete(g.opened, i, i+1)
	g.update(s)
}

// update protects the pages of s as what is open demands.
func (g *guard) update(s span) {
	p := g.pages
	if p == nil || p.freed || s.lo >= s.hi {
		return
	}
	last := (p.offset() + s.hi - 1) / pageSize
	for first := (p.offset() + s.lo) / pageSize; first <= last; {
		access, end := g.reach(first), first
		for end < last && g.reach(end+1) == access {
			end++
		}
		p.protect(first, end, access)
		first = end + 1
	}
}

// reach returns what those who have opened a part of the given page may do with it.
func (g *guard) reach(page int) reach {
	lo := page*pageSize - g.pages.offset()
	access := reachNone
	for _, s := range g.opened {
		if s.lo < s.hi && s.lo < lo+pageSize && lo < s.hi {
			if s.write {
				return reachWrite
			}
			access = reachRead
		}
	}
	return access
}
