package engine

import (
	"math"
	"sync/atomic"

	"github.com/weft-nd/weft/fault"
)

// Mode is how an operation touches a variable.
type Mode uint8

const (
	// Read leaves the contents alone; readers run together.
	Read Mode = iota
	// Write replaces the contents without reading them: it runs on a variable in error, and cures it. With a range it cures
	// failures of parts as far as it reaches, but not one of the whole variable.
	Write
	// Update changes part of the contents, or reads them too.
	Update
)

// Access is one variable that an operation touches, and how. The byte range [Lo, Hi) restricts it to a part of the
// memory behind the variable; Hi zero means all of it. Accesses of one variable whose ranges are disjoint do not order
// their operations, and one does not see the other's failure.
type Access struct {
	Var  *Var
	Mode Mode
	// Replaces promises that an Update with a range writes all of the range and reads none of it. It inherits no failures of
	// parts, and cures them as far as it reaches, but it does inherit a failure of the whole variable, which may have no memory
	// at all.
	Replaces bool
	Lo, Hi   int64

	// Sequence is filled in by Push for written accesses: the number of writes of Var pushed so far, this one included.
	Sequence uint64
}

// cures reports whether a takes away the failures of what it writes.
func (a *Access) cures() bool { return a.Mode == Write || a.replacesPart() }

func (a *Access) replacesPart() bool { return a.Replaces && a.Mode == Update && a.Hi > 0 }

func (a *Access) access() access { return access{a.Mode, a.Lo, a.Hi} }

// access is how some bytes of one variable are touched.
type access struct {
	mode   Mode
	lo, hi int64
}

func (a access) whole() bool { return a.hi == 0 }

func (a access) writes() bool { return a.mode != Read }

// blocks reports whether b, pushed later, must wait for a to be done, or, between streams, for a to be issued.
func (a access) blocks(b access) bool {
	if !a.writes() && !b.writes() {
		return false
	}
	return a.whole() || b.whole() || a.lo < b.hi && b.lo < a.hi
}

// union returns an access that stands for a and b, which one task makes of the same variable.
func (a access) union(b access) access {
	if a.mode != b.mode {
		a.mode = Update
	}
	if a.whole() || b.whole() {
		a.lo, a.hi = 0, 0
	} else {
		a.lo, a.hi = min(a.lo, b.lo), max(a.hi, b.hi)
	}
	return a
}

// Var stands for memory whose users are ordered by the engine. Its zero value is not usable; see Engine.NewVar.
type Var struct {
	core *core

	// What goroutines that push use, guarded by core.intake.mu.
	sequence  uint64      // writes pushed
	ranged    bool        // by an access to a part: then writes may end in another order than they were pushed in
	openPlace int32       // of the variable's node in open
	wrote     uint64      // number of the latest operation that writes the variable
	open      *Bulk       // that touches the variable and can still grow
	deleted   *fault.Site // where the variable was deleted
	id        uint64      // for observers, given when first asked for; guarded by core.mu
	_         [8]byte     // What follows is on a cache line of its own: others write it.

	// The queue of nodes not done, oldest first, and counts of what is in it. Guarded by core.mu.
	version    atomic.Uint64 // writes done
	lost       atomic.Uint64 // writes that failed or were skipped
	poison     atomic.Pointer[poison]
	head, tail *node
	waiting    *node  // the first that is not granted
	writers    int32  // that write
	uneven     int32  // that have a range, and those whose task runs on a stream
	named      uint32 // low bits of the number of the latest task that touches the variable
	place      int32  // of the variable's node in that task
}

// Sequence returns how many writes of v were pushed.
func (v *Var) Sequence() uint64 {
	v.core.intake.mu.Lock()
	defer v.core.intake.mu.Unlock()
	return v.sequence
}

// IsWritten reports whether every write of v that was pushed has ended, well or not: whether Engine.Wait would return at once.
func (v *Var) IsWritten() bool { // what has ended never falls behind what was pushed before that
	pushed := v.Sequence()
	return v.finished() >= pushed
}

// Version returns how many writes of v are done; skipped and failed ones do not count.
func (v *Var) Version() uint64 { return v.version.Load() }

// Err returns the error that sticks to v, or to a part of it, at this moment, without waiting; the latest if there are several.
// Until the pending writes of v are done it may be an old one.
func (v *Var) Err() error {
	if p := v.poison.Load(); p != nil {
		return p.failures[len(p.failures)-1].err
	}
	return nil
}

// finished returns how many writes of v are done, failed or skipped.
func (v *Var) finished() uint64 { return v.version.Load() + v.lost.Load() }

// count keeps count of n, which comes or goes.
func (v *Var) count(n *node, change int32) {
	if n.mode != Read {
		v.writers += change
	}
	if n.hi != 0 || n.task.rare != nil {
		v.countUneven(n, change)
	}
}

func (v *Var) countUneven(n *node, change int32) {
	if n.hi != 0 {
		v.uneven += change
	}
	if n.task.staging() != nil {
		v.uneven += change
	}
}

// passGranted moves waiting to the first node that is not granted.
func (v *Var) passGranted() {
	for v.waiting != nil && v.waiting.granted {
		v.waiting = v.waiting.next
	}
}

// enqueue appends n to the queue, granting it at once where the counts alone tell that nothing older is in its way.
func (v *Var) enqueue(n *node) {
	n.granted = v.head == nil || n.mode == Read && v.writers == 0
	n.prev, n.next = v.tail, nil
	if v.tail == nil {
		v.head = n
	} else {
		v.tail.next = n
	}
	v.tail = n
	if !n.granted {
		n.task.blocked++
		if v.waiting == nil {
			v.waiting = n
		}
	}
	v.count(n, 1)
}

// dequeue removes n, whose task is done.
func (v *Var) dequeue(n *node) {
	if n.prev == nil {
		v.head = n.next
	} else {
		n.prev.next = n.next
	}
	if n.next == nil {
		v.tail = n.prev
	} else {
		n.next.prev = n.prev
	}
	v.count(n, -1)
}

// grant lets through what nothing older blocks any more now that done, which was in its way, is done or issued. Tasks whose
// last node is granted are added to ready.
func (v *Var) grant(done access, ready *queue) {
	if v.uneven > 0 {
		v.grantUneven(done, ready)
		return
	}
	// What is granted is one write or some reads, all before what is not.
	for n := v.waiting; n != nil && (n == v.head || n.mode == Read && v.head.mode == Read); n = n.next {
		v.waiting = n.next
		n.grant(ready)
	}
}

// grant lets n through, and makes its task ready if that was the last node it waited for.
func (n *node) grant(ready *queue) {
	n.granted = true
	if n.task.blocked--; n.task.blocked == 0 {
		ready.add(n.task)
	}
}

// grantUneven walks the queue from the oldest node that is not granted, up to where all that done touched is to be written again:
// nothing behind that is granted.
func (v *Var) grantUneven(done access, ready *queue) {
	var rewritten stretch
	for n := v.waiting; n != nil; n = n.next {
		if !n.granted && done.blocks(n.access()) {
			if inWay := n.inWay(); inWay != nil {
				rewritten.add(inWay)
			} else {
				n.follow()
				n.grant(ready)
			}
		}
		if rewritten.add(n); rewritten.has(done) {
			break
		}
	}
	v.passGranted()
}

// replaces reports whether n writes the whole variable: then nothing passes it that is not behind its event. Older nodes were
// in the way of n, so each has ended or precedes it by event: what follows n follows these too.
func (n *node) replaces() bool { return n.mode != Read && n.hi == 0 }

// stretch is the bytes [lo, hi) of a variable that nodes write which are not issued: whoever touches some of them waits for one. Hi is
// math.MaxInt64 where one writes all of the variable.
type stretch struct{ lo, hi int64 }

// add adds the bytes that n writes, where they and s are one stretch, or are more than s.
func (s *stretch) add(n *node) {
	switch {
	case n.mode == Read || n.task.issued():
	case n.hi == 0:
		s.lo, s.hi = 0, math.MaxInt64
	case n.lo <= s.hi && s.lo <= n.hi && s.hi > 0:
		s.lo, s.hi = min(s.lo, n.lo), max(s.hi, n.hi)
	case n.hi-n.lo > s.hi-s.lo:
		s.lo, s.hi = n.lo, n.hi
	}
}

// has reports whether all that a touches is in s.
func (s *stretch) has(a access) bool {
	return s.hi == math.MaxInt64 || !a.whole() && s.lo <= a.lo && a.hi <= s.hi
}

// admit reports whether nothing older is in the way of n, and makes n follow what precedes it by event.
func (n *node) admit() bool {
	if n.inWay() != nil {
		return false
	}
	n.follow()
	return true
}

// inWay returns an older node that n must wait for, if there is one.
func (n *node) inWay() *node {
	for older := n.prev; older != nil; older = older.prev {
		if older.access().blocks(n.access()) && !older.task.precedesByEvent(n.task) {
			return older
		}
		if older.replaces() {
			break
		}
	}
	return nil
}

// follow makes the task of n wait for the events of the older nodes that blocked it, whose tasks are issued.
func (n *node) follow() {
	for older := n.prev; older != nil; older = older.prev {
		if older.access().blocks(n.access()) {
			n.task.staging().follow(older.task.staging())
		}
		if older.replaces() {
			break
		}
	}
}

// precedesByEvent reports whether the device itself makes later wait for t, which is issued. An operation with KeepOnSkip
// waits for the end of t instead: launched behind an event, it would have run before it is known that its inputs are good.
func (t *task) precedesByEvent(later *task) bool {
	return t.issued() && later.staging() != nil && !later.operation.KeepOnSkip && t.staging().lane.device.Kind == later.staging().lane.device.Kind
}

// follow makes s wait for earlier's event when it is launched, and for its end before it is done itself.
func (s *staging) follow(earlier *staging) {
	for _, known := range s.after {
		if known == earlier {
			return
		}
	}
	s.after = append(s.after, earlier)
	earlier.holders++
	s.predecessors++
	earlier.successors = append(earlier.successors, s)
}
