package cuda

import (
	"errors"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/kernels/cuda/driver"
)

// Stats are the counters of one device. Work counts for the device of its stream, from the moment when it is enqueued.
type Stats struct {
	Free, Total int         // bytes of memory, of all processes
	Pool        driver.Pool // of the arrays of this process, and what is kept for the next; zero where the device has no pools
	device.Activity
}

var _ device.Sized = (*Backend)(nil)

// Total returns how many bytes of memory device index has.
func (b *Backend) Total(index int) (bytes int, err error) {
	u, err := b.unit(index)
	if err != nil {
		return 0, err
	}
	err = u.do(func(c driver.Context) error {
		_, bytes, err = c.Memory()
		return err
	})
	return bytes, err
}

// Stats returns what device index has done so far and the memory that it has now.
func (b *Backend) Stats(index int) (Stats, error) {
	u, err := b.unit(index)
	if err != nil {
		return Stats{}, err
	}
	stats := Stats{Activity: u.counters.Activity()}
	err = u.do(func(c driver.Context) (err error) {
		if stats.Free, stats.Total, err = c.Memory(); err != nil {
			return err
		}
		if stats.Pool, err = c.Pool(); errors.Is(err, errors.ErrUnsupported) {
			return nil
		}
		return err
	})
	return stats, err
}
