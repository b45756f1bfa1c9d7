package resource

import (
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/storage"
)

// Scratch is temporary memory of one operator.
type Scratch struct {
	manager storage.Manager
	pointer device.Pointer
	bytes   int
}

// Borrow returns temporary memory of d, aligned to 64 bytes, with undefined contents. It comes warm from the pool that
// earlier borrowers returned theirs to. An error wraps fault.ErrOutOfMemory, or tells that there is no such device.
func Borrow(d device.Device, bytes int) (*Scratch, error) {
	manager, err := storage.ManagerOf(d)
	if err != nil {
		return nil, err
	}
	p, err := manager.Allocate(bytes)
	if err != nil {
		return nil, err
	}
	return &Scratch{manager, p, bytes}, nil
}

// Pointer returns the memory.
func (s *Scratch) Pointer() device.Pointer { return s.pointer }

// Return gives the memory back. An operator on a stream returns it when it is done, not when it is launched; see
// engine.Finisher. Returning again is harmless, from the same goroutine.
func (s *Scratch) Return() {
	if s.manager == nil {
		return
	}
	s.manager.Free(s.pointer, s.bytes)
	s.manager, s.pointer = nil, device.Pointer{}
}
