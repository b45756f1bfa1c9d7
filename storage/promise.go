package storage

import (
	"fmt"
	"time"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
)

// Promise is the memory of one device that an operation will take when it runs. Operations run as soon as they are ready; where
// memory is short, one that overtakes others has to leave them what they were promised. So a program that fits into memory
// step by step fits as well when all of it is pushed at once. Memory of Go's heap has no limit and is not promised.
//
// The zero Promise is one of nothing.
type Promise struct {
	ledger         *ledger // nil if nothing is promised, or not any more
	bytes          int64
	earlier, later *Promise // of the same ledger, in the order in which they were given
	collecting     bool     // the collector was called for p
	overdue        bool     // others have waited for p in vain, and do so no more
}

// promises are those of a ledger that are not kept. They are guarded by ledger.mu.
type promises struct {
	first, last *Promise
	bytes       int64
	progress    chan struct{} // closed when one was kept, or none for as long as patience; nil if nobody waits for that
	patience    *time.Timer
}

// rounding is a Manager that can tell how many bytes it takes at least for so many.
type rounding interface{ rounded(bytes int) int }

// patience is how long an operation waits for earlier ones to take what they were promised, of which one may itself wait for
// this one, by way of a function of the user.
const patience = time.Second

// AddReplica promises the memory of r, inside engine.Atomically, unless an operation pushed before has its promise, or r had contents
// before this one. It follows all calls of Synced.Acquire for the operation: these push others, which run before it.
func (p *Promise) AddReplica(r *Replica) {
	if r.fresh {
		r.fresh = false
		p.Add(r.device, r.bytes)
	}
}

// Add is AddReplica for other memory of d. All memory of one Promise is of one device.
func (p *Promise) Add(d device.Device, bytes int) {
	l, err := ledgerFor(d, bytes)
	if l == nil || err != nil || p.ledger != nil && p.ledger != l {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	all := &l.promises
	if p.ledger == nil {
		p.ledger, p.earlier = l, all.last
		if all.last != nil {
			all.last.later = p
		} else {
			all.first = p
		}
		all.last = p
	}
	if m, ok := l.manager.(rounding); ok {
		bytes = m.rounded(bytes)
	}
	p.bytes += int64(bytes)
	all.bytes += int64(bytes)
}

// Due returns nil if the operation may take what it was promised: if earlier ones can take theirs as well, or have waited for too long.
// Else the error is one to return from Function.Run as it is: the engine tries again.
func (p *Promise) Due() error {
	l := p.ledger
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	all := &l.promises
	limit := l.manager.Limit()
	if limit <= 0 || l.taken+all.bytes <= limit {
		return nil
	}
	needed := l.taken + p.bytes
	for q := p.earlier; q != nil; q = q.earlier {
		if q.overdue {
			continue
		}
		if needed += q.bytes; needed > limit {
			return p.wait()
		}
	}
	return nil
}

// wait returns the error of an operation that waits for earlier ones. The caller holds the lock of the ledger.
func (p *Promise) wait() error {
	all := &p.ledger.promises
	if all.progress == nil {
		all.progress = make(chan struct{})
		all.patience = time.AfterFunc(patience, p.ledger.lose)
	}
	collector.requestOf(p.collecting) // What was dropped counts as taken.
	p.collecting = true
	return engine.Starved(fmt.Errorf("%w: what there is was promised to earlier operations", fault.ErrOutOfMemory), all.progress)
}

// lose ends the patience of those who wait.
func (l *ledger) lose() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for p := l.promises.first; p != nil; p = p.later {
		p.overdue = true
	}
	l.promises.advance()
}

// advance tells those who wait of progress. The caller holds the lock of the ledger.
func (all *promises) advance() {
	if all.progress != nil {
		all.patience.Stop()
		close(all.progress)
		all.progress = nil
	}
}

// Keep ends p: its operation has its memory, or will never take it. It may be called again.
func (p *Promise) Keep() {
	l := p.ledger
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	all := &l.promises
	if p.earlier != nil {
		p.earlier.later = p.later
	} else {
		all.first = p.later
	}
	if p.later != nil {
		p.later.earlier = p.earlier
	} else {
		all.last = p.earlier
	}
	all.bytes -= p.bytes
	all.advance()
	*p = Promise{}
}
