package storage

import (
	"runtime"
	"unsafe"

	"github.com/weft-nd/weft/device"
)

// smallBlock is the size up to which host memory is taken from Go's heap: the collector frees it without help, and an
// array that small is cheaper to drop than to give back.
const smallBlock = 32 << 10

// alignment of small blocks, in bytes. Go aligns objects whose size is a multiple of 64 to 64.
const alignment = 64

// Block is a piece of memory of one device. It is given back by Release, or after it has become unreachable.
type Block struct {
	pointer device.Pointer
	bytes   int
	lease   *lease // nil if there is nothing to give back
	cleanup runtime.Cleanup
}

// NewBlock allocates on d, with undefined contents.
func NewBlock(d device.Device, bytes int) (*Block, error) {
	if bytes == 0 {
		return &Block{}, nil
	}
	if d.OnHost() && bytes <= smallBlock {
		memory := make([]byte, (bytes+alignment-1)/alignment*alignment)
		return &Block{pointer: device.Pointer{Host: unsafe.Pointer(unsafe.SliceData(memory))}, bytes: bytes}, nil
	}
	manager, err := ManagerOf(d)
	if err != nil {
		return nil, err
	}
	p, err := manager.Allocate(bytes)
	if err != nil {
		return nil, err
	}
	b := &Block{pointer: p, bytes: bytes}
	b.lease = newLease(b, manager)
	b.cleanup = runtime.AddCleanup(b, (*lease).end, b.lease)
	return b, nil
}

// adopt makes a block of memory that somebody else owns.
func adopt(p device.Pointer, bytes int) *Block { return &Block{pointer: p, bytes: bytes} }

// Pointer returns the first address. It is valid while b is reachable and not released.
func (b *Block) Pointer() device.Pointer { return b.pointer }

// Release gives the memory back. Nothing may use it any more. Releasing again is harmless, from the same goroutine.
func (b *Block) Release() {
	if b.lease != nil {
		b.cleanup.Stop()
		b.lease.end()
	}
	b.lease, b.pointer = nil, device.Pointer{}
}
