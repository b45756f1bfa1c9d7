package resource

import (
	"sync/atomic"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/storage"
)

// Scratch is temporary memory of one operation. The zero Scratch holds none; a Scratch must not be copied.
type Scratch struct {
	manager storage.Manager
	memory  storage.Memory
	lent    atomic.Bool
}

// Borrow makes s hold memory of d with undefined contents, aligned to at least 64 bytes; size zero is the nil Pointer. It
// comes from the manager of d, which keeps what was returned warm for the next borrower, near the worker where it can, and
// gives back what stays unused: so operators share no buffer and never wait for one another. Out of memory is an error that
// wraps fault.ErrOutOfMemory and names the largest holders, after which s holds nothing. Borrowing again before Return panics.
//
// The memory must be returned when the operation is done: on a stream that is not when its function returns, but when
// engine.Finisher says so.
func (s *Scratch) Borrow(d device.Device, bytes int) error {
	if s.lent.Load() {
		panic(&fault.Error{Operator: "Scratch.Borrow", Detail: "what was borrowed before is not returned", Cause: fault.ErrMisuse, Site: fault.Here(1)})
	}
	manager, err := storage.ManagerOf(d)
	if err != nil {
		return err
	}
	memory, err := manager.Allocate(bytes)
	if err != nil {
		return storage.NameHolders(d, err)
	}
	s.manager, s.memory = manager, memory
	s.lent.Store(true)
	return nil
}

// Pointer returns the first address. It is valid until Return.
func (s *Scratch) Pointer() device.Pointer { return s.memory.Pointer }

// Return gives the memory back. Returning again, or nothing, is harmless, from any goroutine.
func (s *Scratch) Return() {
	if s.lent.Swap(false) {
		s.manager.Free(s.memory)
	}
}
