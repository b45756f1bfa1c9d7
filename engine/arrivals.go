package engine

import (
	"sync/atomic"
	"time"

	"github.com/weft-nd/weft/fault"
)

// arrival is one operation that was pushed, or several in bulk.
type arrival struct {
	operation *Operation
	site      *fault.Site
	number    uint64
	rare      *rare
}

// crowd is how many arrivals are handed over at once where there are so many: to hand them over one by one takes both sides
// longer.
const crowd = 32

// batch is a piece of the queue of arrivals.
type batch struct {
	next  *batch
	count int
	stamp time.Duration // when it was begun, if somebody observes; else 0
	// Those that follow one another, from one line of the user's, differ in the operation alone: the first ones that do. What is
	// written and read on different processors takes them longer than all else.
	alike      int
	first      uint64 // number of the first
	site       *fault.Site
	operations [crowd]*Operation
	others     [crowd]arrival // with the index of what is not among the first
}

// arrival returns the one with the given index.
func (b *batch) arrival(i int) arrival {
	if i < b.alike {
		return arrival{operation: b.operations[i], site: b.site, number: b.first + uint64(i)}
	}
	return b.others[i]
}

func (b *batch) add(a *arrival) {
	switch i := b.count; {
	case a.rare != nil || i > b.alike:
		b.others[i] = *a
	case i == 0:
		b.first, b.site, b.operations[0], b.alike = a.number, a.site, a.operation, 1
	case a.site == b.site && a.number == b.first+uint64(i):
		b.operations[i] = a.operation
		b.alike++
	default:
		b.others[i] = *a
	}
	b.count++
}

// arrivals is the queue between goroutines that push, who hold core.intake.mu, and those that register, who hold core.mu. A
// batch is written by the former until it is sealed, and read by the latter, who need the other side's lock only to seal one
// that is not full.
type arrivals struct {
	filling *batch // guarded by intake.mu
	own     *batch // free ones, linked; guarded by intake.mu

	_      [64]byte
	taken  *batch // that were sealed before those in sealed, linked, the first one first; guarded by core.mu
	_      [64]byte
	sealed atomic.Pointer[batch] // linked, the latest first
	free   atomic.Pointer[batch] // linked
	_      [64]byte
}

// add appends an arrival. It reports whether it is the first of a batch, and whether it has filled it. The caller holds
// intake.mu.
func (q *arrivals) add(a arrival) (first, filled bool) {
	if q.filling == nil {
		q.filling = q.fresh()
	}
	b := q.filling
	b.add(&a)
	if b.count == crowd {
		q.seal()
		return false, true
	}
	return b.count == 1, false
}

func (q *arrivals) fresh() *batch {
	if q.own == nil {
		if q.own = q.free.Swap(nil); q.own == nil {
			return &batch{}
		}
	}
	b := q.own
	q.own, b.next, b.stamp = b.next, nil, 0
	return b
}

// seal ends the open batch. The caller holds intake.mu.
func (q *arrivals) seal() {
	if b := q.filling; b != nil {
		q.filling = nil
		push(&q.sealed, b)
	}
}

// isEmpty reports whether everything that was added has been read. The caller holds core.mu and intake.mu.
func (q *arrivals) isEmpty() bool {
	return q.filling == nil && q.taken == nil && q.sealed.Load() == nil
}

// next returns the first sealed batch, nil if there is none. The caller holds core.mu.
func (q *arrivals) next() *batch {
	if q.taken == nil {
		q.taken = q.take()
	}
	b := q.taken
	if b != nil {
		q.taken, b.next = b.next, nil
	}
	return b
}

// offers reports whether something was sealed and not taken yet.
func (q *arrivals) offers() bool { return q.sealed.Load() != nil }

// take returns the batches that were sealed since it was called last, linked, the first one first. The caller holds core.mu.
func (q *arrivals) take() (first *batch) {
	for b := q.sealed.Swap(nil); b != nil; {
		earlier := b.next
		b.next = first
		first, b = b, earlier
	}
	return first
}

// takeAll returns the sealed batches and the open one, linked, the first one first. The caller holds core.mu and intake.mu.
func (q *arrivals) takeAll() (first *batch) {
	parts := [3]*batch{q.taken, q.take(), q.filling}
	q.taken, q.filling = nil, nil
	end := &first
	for _, part := range parts {
		for *end = part; *end != nil; end = &(*end).next {
		}
	}
	return first
}

// giveBack takes a batch that was read.
func (q *arrivals) giveBack(b *batch) {
	clear(b.operations[:b.alike])
	clear(b.others[b.alike:b.count])
	b.count, b.alike = 0, 0
	push(&q.free, b)
}

// push adds b to a stack from which others take everything at once, so that one does not meet the same batch twice.
func push(stack *atomic.Pointer[batch], b *batch) {
	for {
		b.next = stack.Load()
		if stack.CompareAndSwap(b.next, b) {
			return
		}
	}
}
