package device

import "sync"

// Activity is what a device has done so far. Work counts from the moment when it is enqueued.
type Activity struct {
	HostToDevice, DeviceToHost, DeviceToDevice Traffic
	Fills, Launches                            int
	Kept, NotKept                              int // times that a stream has kept work, and that it could not
	Refused                                    int // calls that a library did not take, and kernels of weft computed instead
}

// Traffic counts copies.
type Traffic struct{ Copies, Bytes int }

// Counters count the activity of a device, for its backend. They count on the goroutine that enqueues, since counting work as
// it runs would order the streams. The zero value is ready; methods may be called from any goroutine.
type Counters struct {
	mu       sync.Mutex
	activity Activity
}

// Activity returns what was counted so far.
func (c *Counters) Activity() Activity {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.activity
}

// Copied counts a copy of bytes bytes.
func (c *Counters) Copied(dst, src Pointer, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	traffic := &c.activity.DeviceToDevice
	switch {
	case src.Host != nil:
		traffic = &c.activity.HostToDevice
	case dst.Host != nil:
		traffic = &c.activity.DeviceToHost
	}
	traffic.Copies++
	traffic.Bytes += bytes
}

// Filled counts a fill.
func (c *Counters) Filled() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.activity.Fills++
}

// Launched counts launches of kernels.
func (c *Counters) Launched(kernels int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.activity.Launches += kernels
}

// Refused counts a call that a library did not take.
func (c *Counters) Refused() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.activity.Refused++
}

// Kept counts work that a stream has kept.
func (c *Counters) Kept() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.activity.Kept++
}

// NotKept counts work that a stream could not keep.
func (c *Counters) NotKept() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.activity.NotKept++
}
