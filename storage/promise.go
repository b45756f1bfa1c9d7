package storage

import (
	"fmt"
	"time"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
)

// Promise is the memory of one device that an operation will take when it runs. Operations run as soon as they are ready; where
// memory is short, one that overtakes others has to leave them what they were promised. So a program that fits into memory step
// by step also fits when all of it is pushed at once. Memory of Go's heap has no limit and is not promised.
//
// The zero Promise promises nothing.
type Promise struct {
	ledger     *ledger // nil if nothing is promised, or not any more
	bytes      int64
	place      int  // in the list of the ledger
	collecting bool // the collector was called for p
	overdue    bool // others have waited for p in vain, and do so no more

	first pledge // of those of p; its replica is nil if there is none
	more  []pledge
}

// pledge is a replica that the operation writes, and that had no memory when it was pushed.
type pledge struct {
	replica *Replica
	own     bool // p has promised the memory; else an operation pushed before has, and p does if that is skipped
}

// promises are those of a ledger that are not kept. They are guarded by ledger.mu.
type promises struct {
	list     []*Promise // in the order in which they were given; nil where one was kept
	count    int        // of those not kept
	bytes    int64
	waitable prefixSums    // of the bytes of those in list that are not overdue, and of 0 behind it
	progress chan struct{} // closed when one was kept, or none for as long as patience; nil if nobody waits for that
	patience *time.Timer
}

// rounding is a Manager that knows how many bytes an allocation takes at least.
type rounding interface{ rounded(bytes int) int }

// patience is how long an operation waits for earlier ones to take what they were promised: one of them may itself wait for
// this operation, by way of a function of the user's.
const patience = time.Second

// AddReplica promises the memory of r, which the operation writes, unless r has memory already. If an operation pushed before
// fills r, the promise is that operation's, and becomes p's if it is skipped. AddReplica is called inside engine.Atomically,
// after all calls of Synced.Acquire for the operation: these push others, which run before it.
func (p *Promise) AddReplica(r *Replica) {
	if r.need.Load() == needMet {
		return
	}
	own := r.need.CompareAndSwap(needOpen, needPromised)
	if !p.enter(r.Device(), r.bytes) {
		r.need.CompareAndSwap(needPromised, needMet)
		return
	}
	if own {
		p.Add(r.Device(), r.bytes)
	}
	if p.first.replica == nil {
		p.first = pledge{r, own}
	} else {
		p.more = append(p.more, pledge{r, own})
	}
}

// inherit promises what those whose operations were skipped have not taken.
func (p *Promise) inherit() {
	p.first.inherit(p)
	for i := range p.more {
		p.more[i].inherit(p)
	}
}

func (g *pledge) inherit(p *Promise) {
	if g.replica != nil && !g.own && g.replica.need.CompareAndSwap(needOpen, needPromised) {
		g.own = true
		p.Add(g.replica.Device(), g.replica.bytes)
	}
}

// Add is AddReplica for other memory of d. All memory of one Promise is of one device.
func (p *Promise) Add(d device.Device, bytes int) {
	if !p.enter(d, bytes) {
		return
	}
	l := p.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	if m, ok := l.manager.(rounding); ok {
		bytes = m.rounded(bytes)
	}
	p.bytes += int64(bytes)
	l.promises.bytes += int64(bytes)
	if !p.overdue {
		l.promises.waitable.add(p.place, int64(bytes))
	}
}

// enter gives p its place among the promises of d, and reports whether an allocation of that size on d is promised at all.
func (p *Promise) enter(d device.Device, bytes int) bool {
	l, err := ledgerFor(d, bytes)
	if l == nil || err != nil || p.ledger != nil {
		return p.ledger != nil && p.ledger == l
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	p.ledger = l
	l.promises.append(p)
	return true
}

// append adds p, of no bytes yet, to the list. A full list is compacted to the promises that are not kept, with room for as
// many more, so that this happens rarely.
func (all *promises) append(p *Promise) {
	if len(all.list) == len(all.waitable) {
		left := make([]*Promise, 0, max(leastPromises, 2*all.count))
		all.waitable = make(prefixSums, cap(left))
		for _, q := range all.list {
			if q != nil {
				q.place = len(left)
				left = append(left, q)
				all.waitable.add(q.place, q.waitable())
			}
		}
		all.list = left
	}
	p.place = len(all.list)
	all.list = append(all.list, p)
	all.count++
}

// leastPromises is how many promises there is room for at least.
const leastPromises = 64

// waitable returns how many bytes of p others wait for.
func (p *Promise) waitable() int64 {
	if p.overdue {
		return 0
	}
	return p.bytes
}

// Due returns nil if the operation may take what it was promised: if earlier ones can take theirs as well, or have waited for
// too long. Otherwise it returns an error that Function.Run must return as it is: the engine tries again.
func (p *Promise) Due() error {
	l := p.ledger
	if l == nil {
		return nil
	}
	p.inherit()
	l.mu.Lock()
	defer l.mu.Unlock()
	all := &l.promises
	limit := l.manager.Limit()
	if limit <= 0 || l.taken+all.bytes <= limit {
		return nil
	}
	earlier := all.waitable.through(p.place) - p.waitable()
	if earlier > 0 && l.taken+p.bytes+earlier > limit {
		return p.wait()
	}
	return nil
}

// wait returns the error of an operation that waits for earlier ones. The caller holds the lock of the ledger.
func (p *Promise) wait() error {
	l := p.ledger // of which p knows nothing any more where the timer goes off while p is dropped
	all := &l.promises
	if all.progress == nil {
		progress := make(chan struct{})
		all.progress = progress
		all.patience = time.AfterFunc(patience, func() { l.lose(progress) })
	}
	l.collector().requestOf(p.collecting) // What was dropped counts as taken.
	p.collecting = true
	return engine.Starved(fmt.Errorf("%w: what there is was promised to earlier operations", fault.ErrOutOfMemory), all.progress)
}

// lose ends the patience of those who wait for progress, if there was none until now.
func (l *ledger) lose(progress chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := &l.promises
	if all.progress != progress { // There was some while the timer went off.
		return
	}
	for _, p := range all.list {
		if p != nil {
			p.overdue = true
		}
	}
	clear(all.waitable)
	all.advance()
}

// advance tells those who wait of progress. The caller holds the lock of the ledger.
func (all *promises) advance() {
	if all.progress != nil {
		all.patience.Stop()
		close(all.progress)
		all.progress = nil
	}
}

// Drop ends p, unless Keep has: its operation will never take its memory. Those pushed later that write the same replicas may.
func (p *Promise) Drop() {
	p.first.drop()
	for i := range p.more {
		p.more[i].drop()
	}
	p.Keep()
}

func (g *pledge) drop() {
	if g.own {
		g.replica.need.CompareAndSwap(needPromised, needOpen)
	}
}

// Keep ends p: its operation has its memory. It may be called again.
func (p *Promise) Keep() {
	l := p.ledger
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	all := &l.promises
	all.waitable.add(p.place, -p.waitable())
	all.list[p.place] = nil
	all.bytes -= p.bytes
	if all.count--; all.count == 0 {
		all.list = all.list[:0]
	}
	all.advance()
	*p = Promise{}
}
