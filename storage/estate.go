package storage

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
	"weak"

	"github.com/weft-nd/weft/engine"
)

// estate is what a Synced leaves behind when it is dropped: its replicas, and the variable that orders their users. Pending
// operations hold these, and not the Synced, so that the collector finds the Synced as soon as the program has dropped it, and
// its memory goes back when the operations are done. Without an estate, memory that is still written after a collection would
// wait for the next one.
type estate struct {
	title    weak.Pointer[title]
	engine   engine.Engine
	variable *engine.Var
	first    *Replica

	earlier, later *estate // in estates; itself when it is taken out
}

// title is held by the one Synced that an estate belongs to; it becomes unreachable together with that. When the Synced is
// released, title and estate serve another one; see tenant.
type title struct {
	estate *estate
	_      sparse
}

// titles are free ones, which belong to no Synced. Those that the collector takes have estates that were taken out.
var titles = sync.Pool{New: func() any {
	t := &title{estate: new(estate)}
	t.estate.title = weak.Make(t)
	runtime.AddCleanup(t, (*estate).lose, t.estate)
	return t
}}

// estates holds those of all Synceds that were neither released nor found to be dropped.
var estates struct {
	mu     sync.Mutex
	latest *estate
	lost   []*estate       // found by their cleanups, and not wound up
	pushed []chan struct{} // closed when releases are registered for which windUp did not wait
}

// titled is a Synced of memory that is not of Go's heap.
type titled struct {
	Synced
	title *title // nil when the Synced is released
}

// newSynced returns memory of the given size, whose first replica is first, which is zero or filled.
func newSynced(e engine.Engine, first *Replica, bytes int) *Synced {
	if bytes <= smallBlock {
		s := new(Synced)
		s.start(e, first, bytes)
		return s
	}
	s := new(titled)
	s.start(e, first, bytes)
	s.logical.Store(e.NewVar())
	s.title = titles.Get().(*title)
	s.title.estate.enter(&s.Synced)
	return &s.Synced
}

// enter makes e the estate of s.
func (e *estate) enter(s *Synced) {
	e.engine, e.variable, e.first, e.later = s.engine, s.logical.Load(), s.first, nil
	estates.mu.Lock()
	defer estates.mu.Unlock()
	if e.earlier = estates.latest; e.earlier != nil {
		e.earlier.later = e
	}
	estates.latest = e
}

// relinquish ends the estate of s, if it has one: its memory is given back otherwise. It is called inside
// engine.Atomically, or where nobody else can push. All Synceds of so many bytes are the first part of a titled; see
// newSynced.
//
// Memory that the caller adopts has no estate, either: it may be a part of an object that holds s, which the estate would keep.
func (s *Synced) relinquish() {
	if s.first.bytes <= smallBlock {
		return
	}
	whole := (*titled)(unsafe.Pointer(s))
	t := whole.title
	if t == nil {
		return
	}
	whole.title = nil
	t.estate.leave()
	titles.Put(t)
}

// leave takes e out, and from it what it would keep until it serves again.
func (e *estate) leave() {
	estates.mu.Lock()
	defer estates.mu.Unlock()
	e.takeOut()
	e.engine, e.variable, e.first = nil, nil, nil
}

// takeOut takes e out of estates, whose lock is held.
func (e *estate) takeOut() {
	if e.later != nil {
		e.later.earlier = e.earlier
	} else {
		estates.latest = e.earlier
	}
	if e.earlier != nil {
		e.earlier.later = e.later
	}
	e.earlier, e.later = nil, e
}

// lose is called some time after the title of e was found unreachable.
func (e *estate) lose() {
	estates.mu.Lock()
	defer estates.mu.Unlock()
	if e.later == e {
		return
	}
	e.takeOut()
	if estates.lost = append(estates.lost, e); len(estates.lost) == 1 {
		go windUp(nil) // Nobody's cleanups have to wait for those who push.
	}
}

// takeDropped takes out the estates of the Synceds that the collector has found unreachable. Looking at a weak pointer while
// the collector marks keeps its target alive until the next collection, so this is called right after a collection only.
func takeDropped() (dropped []*estate) {
	estates.mu.Lock()
	defer estates.mu.Unlock()
	for e := estates.latest; e != nil; {
		earlier := e.earlier
		if e.title.Value() == nil {
			e.takeOut()
			dropped = append(dropped, e)
		}
		e = earlier
	}
	return dropped
}

// winding is held while estates are wound up, so that another caller finds all of it done.
var winding sync.Mutex

// releasePatience is how long windUp waits for the operations that it pushes to be registered. A goroutine that pushes runs
// what others have pushed, including functions of the user's, which may end their goroutine, or wait for the collector, or for
// somebody who waits for it.
const releasePatience = 50 * time.Millisecond

// windUp gives back the memory of dropped and of lost Synceds: at once where no operation uses it, otherwise behind those that
// do.
func windUp(dropped []*estate) {
	winding.Lock()
	defer winding.Unlock()
	estates.mu.Lock()
	dropped, estates.lost = append(dropped, estates.lost...), nil
	estates.mu.Unlock()
	var used []*estate
	for _, e := range dropped {
		if !e.giveBack() {
			used = append(used, e)
		}
	}
	if len(used) == 0 {
		return
	}
	releasesPushed.Add(1)
	pushed := make(chan struct{})
	go func() {
		defer close(pushed)
		pushReleases(used)
	}()
	wait := releasePatience
	if heldUp() != nil {
		wait = 0
	}
	select {
	case <-pushed:
	case <-time.After(wait):
		estates.mu.Lock()
		estates.pushed = append(estates.pushed, pushed)
		estates.mu.Unlock()
	}
}

// releasesPushed counts how often windUp has left memory to operations, which workers are yet to run when the collector answers.
var releasesPushed atomic.Uint64

// heldUp returns what is closed when the first releases for which windUp did not wait are registered; nil if all are.
func heldUp() <-chan struct{} {
	estates.mu.Lock()
	defer estates.mu.Unlock()
	for len(estates.pushed) > 0 {
		select {
		case <-estates.pushed[0]:
			estates.pushed = slices.Delete(estates.pushed, 0, 1)
		default:
			return estates.pushed[0]
		}
	}
	return nil
}

// giveBack is Synced.releaseAlone.
func (e *estate) giveBack() (done bool) {
	if !e.engine.TryAlone(true) {
		return false
	}
	if done = e.first.apart == nil && e.variable.IsFree(); done {
		e.variable.CountWrite()
		e.variable.Delete(e.first.site)
	}
	e.engine.EndAlone(true, done)
	if done {
		e.first.block.find()
		e.first.giveBack()
	}
	return done
}

// pushReleases pushes the operations that give the memory of estates back. Memory whose variable the user has deleted
// is that of its block alone.
func pushReleases(all []*estate) {
	e, rest := all[0].engine, all
	defer func() { // even if a function of the user's ends the goroutine
		if len(rest) > 0 {
			pushReleases(rest)
		}
	}()
	e.Atomically(func(p engine.Pusher) {
		for len(rest) > 0 && rest[0].engine == e {
			left := rest[0]
			rest = rest[1:]
			if !left.isDeleted() {
				pushRelease(p, left.variable, left.first, left.first.site)
			}
		}
	})
}

// isDeleted reports whether the user has deleted a variable of the memory. It is called inside engine.Atomically.
func (e *estate) isDeleted() bool {
	if e.variable.IsDeleted() {
		return true
	}
	for r := range e.first.all {
		if r.apart != nil && r.apart.variable.IsDeleted() {
			return true
		}
	}
	return false
}

// find counts the memory of b as found by the collector, if it is owed to a manager.
func (b *Block) find() {
	if b == nil || b.tenant == nil || b.tenant == ofHeap {
		return
	}
	entry := b.tenant.lease
	entry.ledger.mu.Lock()
	defer entry.ledger.mu.Unlock()
	entry.ledger.found += int64(entry.memory.Bytes)
}
