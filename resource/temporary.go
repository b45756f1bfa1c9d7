package resource

import (
	"sync/atomic"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/storage"
)

// Scratch is temporary memory of one operation.
type Scratch struct {
	manager  storage.Manager
	pointer  device.Pointer
	bytes    int
	returned atomic.Bool
}

// Borrow returns memory of d with undefined contents, aligned to at least 64 bytes; size zero gives the nil Pointer. It
// comes from the manager of d, whose pool keeps what was returned for the next borrower, so operators share no buffer and
// never wait for one another. Out of memory is an error that wraps fault.ErrOutOfMemory.
//
// The memory must be returned when the operation is done: on a stream that is not when its function returns, but when
// engine.Finisher says so.
func Borrow(d device.Device, bytes int) (*Scratch, error) {
	manager, err := storage.ManagerOf(d)
	if err != nil {
		return nil, err
	}
	p, err := manager.Allocate(bytes)
	if err != nil {
		return nil, err
	}
	return &Scratch{manager: manager, pointer: p, bytes: bytes}, nil
}

// Pointer returns the first address. It is valid until Return.
func (s *Scratch) Pointer() device.Pointer { return s.pointer }

// Return gives the memory back. Returning again is harmless, from any goroutine.
func (s *Scratch) Return() {
	if !s.returned.Swap(true) {
		s.manager.Free(s.pointer, s.bytes)
	}
}
