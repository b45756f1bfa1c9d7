package storage

import (
	"runtime"
	"sync"
	"time"
	"weak"

	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
)

// lease is what a manager is owed for a Block. It outlives the Block, and is ended by whoever first finds the Block gone,
// because its tenant is unreachable.
type lease struct {
	tenant weak.Pointer[tenant]
	ledger *ledger
	memory Memory
	site   *fault.Site // where the array was made

	collections    uint64 // of the ledger that had begun before
	earlier, later *lease // in the ledger; itself when the lease has ended
}

// tenant is held by the one Block that has the memory of a lease; it becomes unreachable together with that. When the Block is
// released, tenant and lease serve another one: registering a cleanup with the runtime takes longer than everything else that
// makes a Block.
type tenant struct {
	lease *lease
	_     sparse
}

// tenants are free ones, which belong to no Block. The leases of those that the collector takes have ended.
var tenants = sync.Pool{New: func() any {
	t := &tenant{lease: new(lease)}
	t.lease.tenant = weak.Make(t)
	runtime.AddCleanup(t, (*lease).end, t.lease)
	return t
}}

// ledger has the leases of one manager that have not ended.
type ledger struct {
	manager Manager
	slack   int64 // bytes of growth that never call the collector; see slackOf

	mu     sync.Mutex
	latest *lease
	leased int64 // bytes, as asked for
	taken  int64 // bytes, as rounded up by the manager

	promises   promises
	collecting *collections // nil: collector

	// Memory outside the collector's sight does not make it run. So the ledger does, when the bytes leased have grown far
	// beyond the least since the collector last ran; or, for some time, beyond what it left, if it found little: a step of a
	// training takes and gives back much, and has dropped nothing. An array that comes to life while it runs is not seen to die
	// until the next time; so that these do not pile up, leases beyond ceiling wait for it.
	least       int64
	found       int64     // by estates, since the collector began
	alive       int64     // the most that the collector left since it found much
	collected   time.Time // when it ran
	ceiling     int64
	collections uint64          // that have begun
	relief      <-chan struct{} // closed when the collector that was called has run
}

// enter adds a lease, and returns its tenant.
func (l *ledger) enter(memory Memory, site *fault.Site) *tenant {
	t := tenants.Get().(*tenant)
	entry := t.lease
	entry.ledger, entry.memory, entry.site, entry.later = l, memory, site, nil
	l.mu.Lock()
	defer l.mu.Unlock()
	entry.collections = l.collections
	if entry.earlier = l.latest; l.latest != nil {
		l.latest.later = entry
	}
	l.latest = entry
	l.leased += int64(memory.Bytes)
	l.taken += memory.taken()
	return t
}

// end gives the memory back, the first time it is called, and tells those who wait for some.
func (l *lease) end() {
	if l.ledger != nil && l.give() {
		engine.MemoryFreed()
	}
}

// give is end without telling those who wait. It reports whether it was the first call.
func (l *lease) give() bool {
	memory, first := l.ledger.remove(l)
	if first {
		l.ledger.manager.Free(memory)
	}
	return first
}

// remove takes entry out, and from it the memory and the site, which it would keep until it serves again; it reports
// false if it is out already.
func (l *ledger) remove(entry *lease) (memory Memory, first bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if entry.later == entry {
		return Memory{}, false
	}
	if entry.later != nil {
		entry.later.earlier = entry.earlier
	} else {
		l.latest = entry.earlier
	}
	if entry.earlier != nil {
		entry.earlier.later = entry.later
	}
	entry.later, entry.earlier = entry, nil
	memory, entry.memory, entry.site = entry.memory, Memory{}, nil
	l.leased -= int64(memory.Bytes)
	l.taken -= memory.taken()
	l.least = min(l.least, l.leased)
	return memory, true
}

// endLost ends the leases whose blocks the collector has found unreachable. The cleanups of these blocks would do so too, but
// the runtime starts them some time after a collection.
func (l *ledger) endLost() {
	var lost []*lease
	var alive int64
	l.mu.Lock()
	found := l.found
	l.found = 0
	for entry := l.latest; entry != nil; entry = entry.earlier {
		switch {
		case entry.tenant.Value() == nil:
			lost = append(lost, entry)
			found += int64(entry.memory.Bytes)
		case entry.collections < l.collections: // What came to life while the collector ran may be dropped already.
			alive += int64(entry.memory.Bytes)
		}
	}
	l.collectorLeft(alive, found)
	l.mu.Unlock()
	for _, entry := range lost {
		entry.end()
	}
}

// beginCollection tells l that the collector is about to run.
func (l *ledger) beginCollection() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.collections++
	l.found = 0
}
