//go:build linux && (amd64 || arm64)

package bind

import (
	"unsafe"

	"github.com/weft-nd/weft/kernels/cuda/driver"
)

// NewStream implements driver.Context.
func (c *context) NewStream() (driver.Stream, error) {
	var s uintptr
	err := c.call(c.driver.calls.StreamCreate, uintptr(unsafe.Pointer(&s)), streamNonBlocking)
	return driver.Stream(s), err
}

// CloseStream implements driver.Context.
func (c *context) CloseStream(s driver.Stream) error {
	return c.call(c.driver.calls.StreamDestroy, uintptr(s))
}

// Synchronize implements driver.Context.
func (c *context) Synchronize(s driver.Stream) error {
	return c.call(c.driver.calls.StreamSynchronize, uintptr(s))
}

// NewEvent implements driver.Context.
func (c *context) NewEvent() (driver.Event, error) {
	var e uintptr
	err := c.call(c.driver.calls.EventCreate, uintptr(unsafe.Pointer(&e)), eventDisableTiming)
	return driver.Event(e), err
}

// Record implements driver.Context.
func (c *context) Record(e driver.Event, s driver.Stream) error {
	return c.callPlain(c.driver.calls.EventRecord, uintptr(e), uintptr(s))
}

// Follow implements driver.Context.
func (c *context) Follow(s driver.Stream, e driver.Event) error {
	return c.callPlain(c.driver.calls.StreamWaitEvent, uintptr(s), uintptr(e), 0)
}

// Await implements driver.Context.
func (c *context) Await(e driver.Event) error {
	return c.callPlain(c.driver.calls.EventSynchronize, uintptr(e))
}

// Reached implements driver.Context.
func (c *context) Reached(e driver.Event) (bool, error) {
	err := c.callPlain(c.driver.calls.EventQuery, uintptr(e))
	if refused, ok := err.(*driver.Error); ok && refused.Status == driver.NotReady {
		return false, nil
	}
	return true, err
}

// CloseEvent implements driver.Context.
func (c *context) CloseEvent(e driver.Event) error {
	return c.call(c.driver.calls.EventDestroy, uintptr(e))
}

// CopyIn implements driver.Context.
func (c *context) CopyIn(dst driver.Address, src unsafe.Pointer, bytes int, s driver.Stream) error {
	return c.call(c.driver.calls.MemcpyHtoDAsync, uintptr(dst), uintptr(src), uintptr(bytes), uintptr(s))
}

// CopyOut implements driver.Context.
func (c *context) CopyOut(dst unsafe.Pointer, src driver.Address, bytes int, s driver.Stream) error {
	return c.call(c.driver.calls.MemcpyDtoHAsync, uintptr(dst), uintptr(src), uintptr(bytes), uintptr(s))
}

// CopyOver implements driver.Context.
func (c *context) CopyOver(dst, src driver.Address, bytes int, s driver.Stream) error {
	return c.call(c.driver.calls.MemcpyAsync, uintptr(dst), uintptr(src), uintptr(bytes), uintptr(s))
}

// Zero implements driver.Context.
func (c *context) Zero(dst driver.Address, bytes int, s driver.Stream) error {
	return c.call(c.driver.calls.MemsetD8Async, uintptr(dst), 0, uintptr(bytes), uintptr(s))
}
