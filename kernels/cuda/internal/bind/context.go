//go:build linux && (amd64 || arm64)

package bind

import (
	"errors"
	"runtime"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/kernels/cuda/driver"
)

// context is the primary context of a device.
type context struct {
	driver  *cudaDriver
	ordinal uintptr
	handle  uintptr
	pool    *pool // nil where the device has none
}

// call calls s with the context current on the thread.
//
//go:uintptrescapes
func (c *context) call(s symbol, arguments ...uintptr) error {
	return c.callPlain(s, arguments...)
}

// callPlain is call where no argument points to memory of Go's, so that they need not be kept on the heap.
func (c *context) callPlain(s symbol, arguments ...uintptr) error {
	w := takeCall()
	defer w.give()
	return c.callBy(w, s, arguments)
}

// callBy is call with a wideCall of the caller's.
func (c *context) callBy(w *wideCall, s symbol, arguments []uintptr) error {
	enter := c.driver.calls.SetCurrent
	w.enter, w.context = enter.address, c.handle
	result := w.run(s, arguments)
	if w.enter != 0 {
		s = enter
	}
	return check(s, result)
}

// enter makes the context current on the thread, to which the goroutine is locked.
func (c *context) enter() error {
	s := c.driver.calls.SetCurrent
	return check(s, s.call(c.handle))
}

// Close implements driver.Context.
func (c *context) Close() error {
	s := c.driver.calls.PrimaryRelease
	return errors.Join(c.closePool(), check(s, s.call(c.ordinal)))
}

// Memory implements driver.Context.
func (c *context) Memory() (free, total int, err error) {
	var bytes [2]uint64
	err = c.call(c.driver.calls.MemGetInfo, uintptr(unsafe.Pointer(&bytes[0])), uintptr(unsafe.Pointer(&bytes[1])))
	return int(bytes[0]), int(bytes[1]), err
}

// Allocate implements driver.Context.
func (c *context) Allocate(bytes int) (driver.Address, error) {
	if c.pool != nil {
		return c.allocateFromPool(bytes)
	}
	var p uint64
	err := c.call(c.driver.calls.MemAlloc, uintptr(unsafe.Pointer(&p)), uintptr(bytes))
	return driver.Address(p), err
}

// Free implements driver.Context.
func (c *context) Free(p driver.Address) error {
	if c.pool != nil {
		return c.call(c.driver.pools.Free, uintptr(p), uintptr(c.pool.stream))
	}
	return c.call(c.driver.calls.MemFree, uintptr(p))
}

// AllocateHost implements driver.Context.
func (c *context) AllocateHost(bytes int) (unsafe.Pointer, error) {
	var p unsafe.Pointer
	err := c.call(c.driver.calls.MemHostAlloc, uintptr(unsafe.Pointer(&p)), uintptr(bytes), hostPortable)
	return p, err
}

// FreeHost implements driver.Context.
func (c *context) FreeHost(p unsafe.Pointer) error {
	return c.call(c.driver.calls.MemFreeHost, uintptr(p))
}

// Load implements driver.Context.
func (c *context) Load(ptx string) (driver.Module, error) {
	var m uintptr
	image := append([]byte(ptx), 0)
	err := c.call(c.driver.calls.ModuleLoadData, uintptr(unsafe.Pointer(&m)), uintptr(unsafe.Pointer(&image[0])))
	return driver.Module(m), err
}

// Function implements driver.Context.
func (c *context) Function(m driver.Module, name string) (driver.Function, error) {
	var f uintptr
	text := append([]byte(name), 0)
	err := c.call(c.driver.calls.ModuleGetFunction, uintptr(unsafe.Pointer(&f)), uintptr(m), uintptr(unsafe.Pointer(&text[0])))
	return driver.Function(f), err
}

// Launch implements driver.Context.
func (c *context) Launch(f driver.Function, blocks, threads, shared int, s driver.Stream, argument unsafe.Pointer) error {
	w := takeCall()
	defer w.give()
	w.pointers[0] = argument
	return c.callBy(w, c.driver.calls.LaunchKernel, []uintptr{
		uintptr(f), uintptr(blocks), 1, 1, uintptr(threads), 1, 1, uintptr(shared), uintptr(s), uintptr(unsafe.Pointer(&w.pointers)), 0,
	})
}

// AllowShared implements driver.Context.
func (c *context) AllowShared(f driver.Function, bytes int) error {
	return c.call(c.driver.calls.FuncSetAttribute, uintptr(f), attributeShared, uintptr(bytes))
}

// LaunchGrid implements driver.Context.
func (c *context) LaunchGrid(f driver.Function, g device.Grid, s driver.Stream, arguments []uint64) error {
	places := make([]unsafe.Pointer, len(arguments)+1)
	for i := range arguments {
		places[i] = unsafe.Pointer(&arguments[i])
	}
	b, t := g.Blocks, g.Threads
	err := c.call(c.driver.calls.LaunchKernel, uintptr(f), uintptr(b[0]), uintptr(b[1]), uintptr(b[2]), uintptr(t[0]), uintptr(t[1]), uintptr(t[2]),
		uintptr(g.Shared), uintptr(s), uintptr(unsafe.Pointer(&places[0])), 0)
	runtime.KeepAlive(places)
	return err
}
