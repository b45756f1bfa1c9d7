package cuda

import (
	"errors"
	"fmt"
	"sync"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cuda/driver"
)

// freed is memory that is to be given back to the driver. That may wait for the work of the device, and so is not done where memory is
// freed, which may be in a cleanup.
type freed struct {
	sync.Mutex
	waiting []driver.Address
	running bool
	giving  sync.Mutex // held by who gives memory back
}

func (u *unit) allocate(bytes int) (device.Pointer, error) {
	if bytes < 0 {
		panic(fmt.Sprintf("cuda: Allocate of %d bytes on %v", bytes, u.device))
	}
	c, err := u.use()
	if err != nil {
		return device.Pointer{}, err
	}
	p, err := c.Allocate(max(bytes, 1))
	if errors.Is(err, fault.ErrOutOfMemory) {
		u.giveBack()
		p, err = c.Allocate(max(bytes, 1))
	}
	if errors.Is(err, fault.ErrOutOfMemory) {
		available, total, _ := c.Memory()
		return device.Pointer{}, fmt.Errorf("%v: %w: %d bytes requested, %d of %d free", u.device, fault.ErrOutOfMemory, bytes, available, total)
	}
	if err != nil {
		return device.Pointer{}, u.failed(err)
	}
	return device.Pointer{Address: uintptr(p)}, nil
}

// free notes that p is to be given back, by a goroutine that ends when nothing is left.
func (u *unit) free(p device.Pointer) {
	u.freed.Lock()
	defer u.freed.Unlock()
	u.freed.waiting = append(u.freed.waiting, driver.Address(p.Address))
	if !u.freed.running {
		u.freed.running = true
		go func() {
			for u.giveBack() {
			}
		}()
	}
}

// giveBack gives back what was freed, after those who are doing so. It reports whether there was anything; otherwise nobody is
// running any more.
func (u *unit) giveBack() bool {
	u.freed.giving.Lock()
	defer u.freed.giving.Unlock()
	u.freed.Lock()
	waiting := u.freed.waiting
	u.freed.waiting = nil
	u.freed.running = u.freed.running && len(waiting) > 0
	u.freed.Unlock()
	for _, p := range waiting {
		c, err := u.use()
		if err != nil {
			continue // it went with the device
		}
		if err := u.failed(c.Free(p)); err != nil && u.lost.Load() == nil {
			panic(fmt.Sprintf("cuda: Free of %#x, where no allocation starts: it was freed before, never allocated on this device, or "+
				"bytes outside of it were written: %v", uint64(p), err))
		}
	}
	if len(waiting) > 0 {
		_ = u.do(driver.Context.Trim) // a lost device has nothing left
	}
	return len(waiting) > 0
}
