package engine

import (
	"sync/atomic"
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
	Var    *Var
	Mode   Mode
	Lo, Hi int64

	// Sequence is filled in by Push for written accesses: the number of writes of Var pushed so far, this one included.
	Sequence uint64

	op         *Operation
	prev, next *Access
	granted    bool
	merged     bool // into an earlier access of the same operation
}

func (a *Access) writes() bool { return a.Mode != Read }

func (a *Access) whole() bool { return a.Hi == 0 }

// blocks reports whether b, pushed later, must wait for a to be done, or, between streams, for a to be issued.
func (a *Access) blocks(b *Access) bool {
	if !a.writes() && !b.writes() {
		return false
	}
	return a.whole() || b.whole() || a.Lo < b.Hi && b.Lo < a.Hi
}

// merge makes a stand for b too, a later access of the same operation to the same variable.
func (a *Access) merge(b *Access) {
	if a.Mode != b.Mode {
		a.Mode = Update
	}
	if a.whole() || b.whole() {
		a.Lo, a.Hi = 0, 0
	} else {
		a.Lo, a.Hi = min(a.Lo, b.Lo), max(a.Hi, b.Hi)
	}
	b.merged = true
}

// Var stands for memory whose users are ordered by the engine. Its zero value is not usable; see Engine.NewVar.
type Var struct {
	core     *core
	sequence atomic.Uint64 // writes pushed
	version  atomic.Uint64 // writes done
	poison   atomic.Pointer[poison]

	// The queue of accesses not done, oldest first, and counts of what is in it. Guarded by core.mu.
	head, tail *Access
	writers    int     // that write
	waiting    int     // that are not granted
	ranged     int     // that have a range
	staged     int     // whose operation runs on a stream
	registered *Access // of the operation being registered, to find a variable named twice
}

// Sequence returns how many writes of v were pushed.
func (v *Var) Sequence() uint64 { return v.sequence.Load() }

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

func (v *Var) count(a *Access, n int) {
	if a.writes() {
		v.writers += n
	}
	if !a.whole() {
		v.ranged += n
	}
	if a.op.lane != nil {
		v.staged += n
	}
}

// enqueue appends a to the queue, granting it at once where the counts alone tell that nothing older is in its way.
func (v *Var) enqueue(a *Access) {
	a.granted = v.head == nil || !a.writes() && v.writers == 0
	v.count(a, 1)
	a.prev = v.tail
	if v.tail == nil {
		v.head = a
	} else {
		v.tail.next = a
	}
	v.tail = a
	if !a.granted {
		v.waiting++
		a.op.blocked++
	}
}

// dequeue removes a, whose operation is done.
func (v *Var) dequeue(a *Access) {
	if a.prev == nil {
		v.head = a.next
	} else {
		a.prev.next = a.next
	}
	if a.next == nil {
		v.tail = a.prev
	} else {
		a.next.prev = a.prev
	}
	a.prev, a.next = nil, nil
	v.count(a, -1)
}

// grant walks the queue from the oldest access and grants what nothing older blocks any more. Operations whose last
// access is granted are added to ready.
func (v *Var) grant(ready *queue) {
	if v.waiting == 0 {
		return
	}
	simple := v.ranged == 0 && v.staged == 0
	for a := v.head; a != nil; a = a.next {
		if !a.granted && v.admits(a, simple) {
			a.granted = true
			v.waiting--
			if a.op.blocked--; a.op.blocked == 0 {
				ready.add(a.op)
			}
		}
		// Behind a write of the whole variable that is not issued nothing can be granted.
		if v.waiting == 0 || a.writes() && a.whole() && a.op.event == nil {
			return
		}
	}
}

// admits reports whether nothing older is in the way of a. In a simple queue every older access is granted, and a read
// if the walk of grant reaches a.
func (v *Var) admits(a *Access, simple bool) bool {
	if simple {
		return !a.writes() || v.head == a
	}
	for older := v.head; older != a; older = older.next {
		if older.blocks(a) && !older.op.precedesByEvent(a.op) {
			return false
		}
	}
	for older := v.head; older != a; older = older.next {
		if older.blocks(a) {
			a.op.follow(older.op)
		}
	}
	return true
}

// precedesByEvent reports whether the device itself makes later wait for op, which is issued. An operation with KeepOnSkip
// waits for the end of op instead: launched behind an event, it would have run before it is known that its inputs are good.
func (op *Operation) precedesByEvent(later *Operation) bool {
	return op.event != nil && later.lane != nil && !later.KeepOnSkip && op.lane.device.Kind == later.lane.device.Kind
}

// follow makes op wait for earlier's event when it is launched, and for its end before it is done itself.
func (op *Operation) follow(earlier *Operation) {
	for _, known := range op.after {
		if known == earlier {
			return
		}
	}
	op.after = append(op.after, earlier)
	op.predecessors++
	earlier.successors = append(earlier.successors, op)
}
