package cuda

import (
	"sync"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/kernels/cuda/driver"
)

// Stats are the counters of one device. Work counts for the device of its stream, from the moment when it is enqueued.
type Stats struct {
	Free, Total int // bytes of memory, of all processes

	HostToDevice, DeviceToHost, DeviceToDevice Traffic
	Fills, Launches                            int
}

// Traffic counts copies.
type Traffic struct{ Copies, Bytes int }

// Stats returns what device index has done so far and the memory that it has now.
func (b *Backend) Stats(index int) (Stats, error) {
	u, err := b.unit(index)
	if err != nil {
		return Stats{}, err
	}
	u.counters.Lock()
	stats := u.counters.stats
	u.counters.Unlock()
	err = u.do(func(c driver.Context) (err error) {
		stats.Free, stats.Total, err = c.Memory()
		return err
	})
	return stats, err
}

type counters struct {
	sync.Mutex
	stats Stats
}

func (c *counters) copied(dst, src device.Pointer, bytes int) {
	c.Lock()
	defer c.Unlock()
	traffic := &c.stats.DeviceToDevice
	switch {
	case src.Host != nil:
		traffic = &c.stats.HostToDevice
	case dst.Host != nil:
		traffic = &c.stats.DeviceToHost
	}
	traffic.Copies++
	traffic.Bytes += bytes
}

func (c *counters) filled() {
	c.Lock()
	defer c.Unlock()
	c.stats.Fills++
}

func (c *counters) launched() {
	c.Lock()
	defer c.Unlock()
	c.stats.Launches++
}
