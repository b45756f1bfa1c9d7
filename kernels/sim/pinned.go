package sim

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
)

// pinned is the memory of the host that counts as page-locked.
type pinned struct {
	sync.Mutex
	blocks map[unsafe.Pointer][]byte // by address: the memory with a guard on both sides
	stats  PinnedStats
}

// PinnedStats are the counters of page-locked memory. Sizes are in bytes, as they were asked for.
type PinnedStats struct {
	InUse, Peak, Limit int // memory now, at most so far, and allowed
	Live, Allocations  int // allocations that are not freed, and all so far
}

// AllocatePinned returns bytes bytes of host memory with poisoned contents, and guards around them. Beyond the limit it returns an
// error that wraps fault.ErrOutOfMemory and gives the sizes. It implements device.PinningBackend.
func (b *Backend) AllocatePinned(bytes int) (device.Pointer, error) {
	if bytes < 0 {
		panic(fmt.Sprintf("sim: AllocatePinned of %d bytes", bytes))
	}
	m := &b.pinned
	m.Lock()
	defer m.Unlock()
	if bytes > m.stats.Limit-m.stats.InUse {
		return device.Pointer{}, fmt.Errorf("%w: %d page-locked bytes requested, %d of %d in use", fault.ErrOutOfMemory, bytes, m.stats.InUse, m.stats.Limit)
	}
	guarded := hostMemory(bytes)
	scribble(guarded)
	p := unsafe.Pointer(&guarded[hostGuard])
	if m.blocks == nil {
		m.blocks = map[unsafe.Pointer][]byte{}
	}
	m.blocks[p] = guarded
	m.stats.InUse += bytes
	m.stats.Peak = max(m.stats.Peak, m.stats.InUse)
	m.stats.Live++
	m.stats.Allocations++
	return device.Pointer{Host: p}, nil
}

// FreePinned gives back memory that AllocatePinned returned, with the same size, and poisons it. It panics if that is not what p
// is, as when it was freed already, and if bytes before or behind it were written.
func (b *Backend) FreePinned(p device.Pointer, bytes int) {
	m := &b.pinned
	m.Lock()
	defer m.Unlock()
	guarded, found := m.blocks[p.Host]
	held := block{guarded: guarded}
	switch {
	case !found:
		panic(fmt.Sprintf("sim: FreePinned of %p, where no live allocation starts: it was freed before or never allocated", p.Host))
	case held.size() != bytes:
		panic(fmt.Sprintf("sim: FreePinned of %d bytes at %p, where %d were allocated", bytes, p.Host, held.size()))
	case !held.intact():
		panic(fmt.Sprintf("sim: FreePinned of %d bytes at %p: bytes outside of them were written", bytes, p.Host))
	}
	scribble(guarded)
	delete(m.blocks, p.Host)
	m.stats.InUse -= bytes
	m.stats.Live--
}

// SetPinnedLimit makes bytes the page-locked memory that there is; it is 4 GiB at first. Below what is in use it only stops
// further allocations.
func (b *Backend) SetPinnedLimit(bytes int) {
	b.pinned.Lock()
	defer b.pinned.Unlock()
	b.pinned.stats.Limit = bytes
}

// PinnedStats returns the page-locked memory in use now and so far.
func (b *Backend) PinnedStats() PinnedStats {
	b.pinned.Lock()
	defer b.pinned.Unlock()
	return b.pinned.stats
}
