package cuda

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cuda/driver"
)

// pinned is page-locked memory that was freed: giving it back is a call of the driver, which no cleanup makes.
type pinned struct {
	sync.Mutex
	waiting []unsafe.Pointer
}

// AllocatePinned returns page-locked host memory that all devices reach, with undefined contents. It implements
// device.PinningBackend.
func (b *Backend) AllocatePinned(bytes int) (device.Pointer, error) {
	u, err := b.unit(0)
	if err != nil {
		return device.Pointer{}, err
	}
	var p unsafe.Pointer
	err = u.do(func(c driver.Context) error {
		b.giveBackPinned(c)
		p, err = c.AllocateHost(max(bytes, 1))
		return err
	})
	if errors.Is(err, fault.ErrOutOfMemory) {
		return device.Pointer{}, fmt.Errorf("%w: %d page-locked bytes requested: %w", fault.ErrOutOfMemory, bytes, err)
	}
	return device.Pointer{Host: p}, err
}

// FreePinned gives back memory that AllocatePinned returned, with the next allocation or soon.
func (b *Backend) FreePinned(p device.Pointer, bytes int) {
	b.pinned.Lock()
	defer b.pinned.Unlock()
	b.pinned.waiting = append(b.pinned.waiting, p.Host)
	if len(b.pinned.waiting) == 1 {
		go func() {
			if u, err := b.unit(0); err == nil {
				_ = u.do(func(c driver.Context) error { b.giveBackPinned(c); return nil })
			}
		}()
	}
}

func (b *Backend) giveBackPinned(c driver.Context) {
	b.pinned.Lock()
	waiting := b.pinned.waiting
	b.pinned.waiting = nil
	b.pinned.Unlock()
	for _, p := range waiting {
		_ = c.FreeHost(p) // of a lost device it is gone
	}
}
