package storage

import (
	"sync"
	"weak"

	"github.com/weft-nd/weft/device"
)

// lease is what a manager is owed for a Block. It outlives the Block, to be ended by whoever finds first that the Block
// is gone.
type lease struct {
	block   weak.Pointer[Block]
	owner   Manager
	pointer device.Pointer
	bytes   int
}

// leases are those that have not ended.
var leases struct {
	sync.Mutex
	all map[*lease]struct{}
}

func newLease(b *Block, owner Manager) *lease {
	l := &lease{weak.Make(b), owner, b.pointer, b.bytes}
	leases.Lock()
	defer leases.Unlock()
	if leases.all == nil {
		leases.all = map[*lease]struct{}{}
	}
	leases.all[l] = struct{}{}
	return l
}

// end gives the memory back, the first time it is called.
func (l *lease) end() {
	leases.Lock()
	_, found := leases.all[l]
	delete(leases.all, l)
	leases.Unlock()
	if found {
		l.owner.Free(l.pointer, l.bytes)
	}
}

// endLost ends the leases of owner whose blocks the collector has found unreachable. The cleanups of these blocks would do
// so too, but the runtime starts them some time after a collection.
func endLost(owner Manager) {
	var lost []*lease
	leases.Lock()
	for l := range leases.all {
		if l.owner == owner && l.block.Value() == nil {
			lost = append(lost, l)
		}
	}
	leases.Unlock()
	for _, l := range lost {
		l.end()
	}
}
