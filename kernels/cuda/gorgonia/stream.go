package gorgonia

// #include <cuda.h>
//
// // Cgo looks at what an untyped pointer points into, and refuses memory inside an object of Go that has pointers elsewhere.
// static CUresult copyIn(CUdeviceptr dst, char *src, size_t bytes, CUstream s) { return cuMemcpyHtoDAsync(dst, src, bytes, s); }
// static CUresult copyOut(char *dst, CUdeviceptr src, size_t bytes, CUstream s) { return cuMemcpyDtoHAsync(dst, src, bytes, s); }
import "C"

import (
	"unsafe"

	"github.com/weft-nd/weft/kernels/cuda/driver"
	"gorgonia.org/cu"
)

// NewStream implements driver.Context.
func (c *context) NewStream() (s driver.Stream, err error) {
	err = c.do("cuStreamCreate", func() error {
		made, err := cu.MakeStream(cu.NonBlocking)
		s = number[driver.Stream](made)
		return err
	})
	return s, err
}

// CloseStream implements driver.Context.
func (c *context) CloseStream(s driver.Stream) error {
	return c.do("cuStreamDestroy", func() error {
		stream := wrap[cu.Stream](s)
		return stream.Destroy()
	})
}

// Synchronize implements driver.Context.
func (c *context) Synchronize(s driver.Stream) error {
	return c.do("cuStreamSynchronize", func() error { return wrap[cu.Stream](s).Synchronize() })
}

// NewEvent implements driver.Context.
func (c *context) NewEvent() (e driver.Event, err error) {
	err = c.do("cuEventCreate", func() error {
		made, err := cu.MakeEvent(cu.DisableTiming)
		e = number[driver.Event](made)
		return err
	})
	return e, err
}

// Record implements driver.Context.
func (c *context) Record(e driver.Event, s driver.Stream) error {
	return c.do("cuEventRecord", func() error { return wrap[cu.Event](e).Record(wrap[cu.Stream](s)) })
}

// Follow implements driver.Context.
func (c *context) Follow(s driver.Stream, e driver.Event) error {
	return c.do("cuStreamWaitEvent", func() error { return wrap[cu.Stream](s).Wait(wrap[cu.Event](e), 0) })
}

// Await implements driver.Context.
func (c *context) Await(e driver.Event) error {
	return c.do("cuEventSynchronize", func() error { return wrap[cu.Event](e).Synchronize() })
}

// Reached implements driver.Context.
func (c *context) Reached(e driver.Event) (bool, error) {
	err := c.do("cuEventQuery", func() error { return wrap[cu.Event](e).Query() })
	if refused, ok := err.(*driver.Error); ok && refused.Status == driver.NotReady {
		return false, nil
	}
	return err == nil, err
}

// CloseEvent implements driver.Context.
func (c *context) CloseEvent(e driver.Event) error {
	return c.do("cuEventDestroy", func() error {
		event := wrap[cu.Event](e)
		return cu.DestroyEvent(&event)
	})
}

// CopyIn implements driver.Context.
func (c *context) CopyIn(dst driver.Address, src unsafe.Pointer, bytes int, s driver.Stream) error {
	return c.doC("cuMemcpyHtoDAsync", func() C.CUresult {
		return C.copyIn(C.CUdeviceptr(dst), (*C.char)(src), C.size_t(bytes), C.CUstream(pointer(s)))
	})
}

// CopyOut implements driver.Context.
func (c *context) CopyOut(dst unsafe.Pointer, src driver.Address, bytes int, s driver.Stream) error {
	return c.doC("cuMemcpyDtoHAsync", func() C.CUresult {
		return C.copyOut((*C.char)(dst), C.CUdeviceptr(src), C.size_t(bytes), C.CUstream(pointer(s)))
	})
}

// CopyOver implements driver.Context.
func (c *context) CopyOver(dst, src driver.Address, bytes int, s driver.Stream) error {
	return c.do("cuMemcpyAsync", func() error {
		return cu.MemcpyAsync(cu.DevicePtr(dst), cu.DevicePtr(src), int64(bytes), wrap[cu.Stream](s))
	})
}

// Zero implements driver.Context.
func (c *context) Zero(dst driver.Address, bytes int, s driver.Stream) error {
	return c.do("cuMemsetD8Async", func() error {
		return cu.MemsetD8Async(cu.DevicePtr(dst), 0, int64(bytes), wrap[cu.Stream](s))
	})
}
