package storage

import (
	"errors"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
)

// smallBlock is the size up to which memory of kind cpu is taken from Go's heap: the collector frees it without help, and an
// array that small is cheaper to drop than to give back.
const smallBlock = 32 << 10

// alignment of small blocks, in bytes. Go aligns objects whose size is a multiple of 64 to 64.
const alignment = 64

// Block is a piece of memory of one device. It is given back by Release, or after it has become unreachable.
type Block struct {
	pointer device.Pointer
	tenant  *tenant // nil, or ofHeap, if there is nothing to give back
}

// NewBlock allocates on d, with undefined contents. Where memory is short it waits for the collector to find what was
// dropped. Out of memory is an error that wraps fault.ErrOutOfMemory and names the largest holders. It must not be
// called inside engine.Atomically, or with a lock that others hold there: the collector waits for engines.
func NewBlock(d device.Device, bytes int) (*Block, error) {
	l, err := ledgerFor(d, bytes)
	if err != nil {
		return nil, err
	}
	if l == nil {
		return heapBlock(bytes), nil
	}
	if relief := l.pressure(bytes); relief != nil {
		<-relief
	}
	var hunger Hunger
	for vain := 0; ; {
		b, err := l.newBlock(bytes, fault.Here(1))
		if !errors.Is(err, fault.ErrOutOfMemory) {
			return b, err
		}
		if relief := hunger.next(); relief != nil {
			<-relief
			continue
		}
		// A worker that the system has stopped right behind an operation keeps what was dropped alive once.
		if vain++; vain == 2 {
			return nil, l.refuse(err)
		}
	}
}

// ledgerFor returns the ledger of d; nil for memory that Go's collector looks after.
func ledgerFor(d device.Device, bytes int) (*ledger, error) {
	small := bytes == 0 || d.Kind == device.KindCPU && bytes <= smallBlock
	switch {
	case !small:
		return ledgerOf(d)
	case bytes > 0 && guards(d):
		return guardedHeap, nil
	}
	return nil, nil
}

// heapBlock returns a block of Go's heap.
func heapBlock(bytes int) *Block {
	b := &Block{}
	if bytes > 0 {
		b.take(bytes)
	}
	return b
}

// take gives b so many bytes of Go's heap, with undefined contents.
func (b *Block) take(bytes int) {
	if bytes >= leastRecycled {
		b.pointer.Host, b.tenant = recyclable(bytes), ofHeap
		return
	}
	memory := make([]byte, (bytes+alignment-1)/alignment*alignment)
	b.pointer.Host = unsafe.Pointer(unsafe.SliceData(memory))
}

// newBlock returns a block of memory that is owed to the manager of l, made for site.
func (l *ledger) newBlock(bytes int, site *fault.Site) (*Block, error) {
	memory, err := l.manager.Allocate(bytes)
	if err != nil {
		return nil, err
	}
	return l.lend(memory, site), nil
}

// lend returns a block of memory.
func (l *ledger) lend(memory Memory, site *fault.Site) *Block {
	return &Block{pointer: memory.Pointer, tenant: l.enter(memory, site)}
}

// adopt makes a block of memory that somebody else owns.
func adopt(p device.Pointer) *Block { return &Block{pointer: p} }

// Pointer returns the first address. It is valid while b is reachable and not released.
func (b *Block) Pointer() device.Pointer { return b.pointer }

// Release gives the memory back. Nothing may use it any more. Releasing again is harmless, from the same goroutine.
func (b *Block) Release() {
	if b.release() {
		engine.MemoryFreed()
	}
}

// release reports whether there was something to give back.
func (b *Block) release() (given bool) {
	if given = b.tenant != nil && b.tenant != ofHeap; given {
		b.tenant.lease.give()
		tenants.Put(b.tenant)
	}
	b.tenant, b.pointer = nil, device.Pointer{}
	return given
}
