package gorgonia

// #cgo CFLAGS: -I/usr/local/cuda/include
// #cgo LDFLAGS: -lcuda -L/usr/local/cuda/lib64
// #include <cuda.h>
//
// static CUresult launch(CUfunction f, unsigned blocks, unsigned threads, unsigned shared, CUstream s, char *argument) {
// 	void *arguments[] = {argument};
// 	return cuLaunchKernel(f, blocks, 1, 1, threads, 1, 1, shared, s, arguments, 0);
// }
//
// // Cgo passes no pointers to pointers of Go.
// static CUresult launchGrid(CUfunction f, unsigned *grid, CUstream s, unsigned long long *values, int count) {
// 	void *arguments[count + 1];
// 	for (int i = 0; i < count; i++) arguments[i] = values + i;
// 	return cuLaunchKernel(f, grid[0], grid[1], grid[2], grid[3], grid[4], grid[5], grid[6], s, arguments, 0);
// }
//
// static CUresult enablePeer(CUcontext peer) { return cuCtxEnablePeerAccess(peer, 0); }
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/kernels/cuda/driver"
	"gorgonia.org/cu"
)

// context is the primary context of a device.
type context struct {
	device cu.Device
	handle cu.CUContext
}

// do calls f with the context current on the thread.
func (c *context) do(call string, f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cu.SetCurrentContext(c.handle); err != nil {
		return check("cuCtxSetCurrent", err)
	}
	return check(call, f())
}

// doC is do for what gorgonia.org/cu does not have.
func (c *context) doC(call string, f func() C.CUresult) error {
	var result C.CUresult
	err := c.do(call, func() error {
		result = f()
		return nil
	})
	if err == nil && result != C.CUDA_SUCCESS {
		err = &driver.Error{Call: call, Status: driver.Status(result)}
	}
	return err
}

// Close implements driver.Context.
func (c *context) Close() error {
	return check("cuDevicePrimaryCtxRelease", c.device.ReleasePrimaryCtx())
}

// Memory implements driver.Context.
func (c *context) Memory() (free, total int, err error) {
	err = c.do("cuMemGetInfo", func() error {
		available, all, err := cu.MemInfo()
		free, total = int(available), int(all)
		return err
	})
	return free, total, err
}

// Allocate implements driver.Context.
func (c *context) Allocate(bytes int) (p driver.Address, err error) {
	err = c.do("cuMemAlloc", func() error {
		found, err := cu.MemAlloc(int64(bytes))
		p = driver.Address(found)
		return err
	})
	return p, err
}

// Free implements driver.Context.
func (c *context) Free(p driver.Address) error {
	return c.do("cuMemFree", func() error { return cu.MemFree(cu.DevicePtr(p)) })
}

// Trim implements driver.Context. What Free has is given back.
func (c *context) Trim() error { return nil }

// Pool implements driver.Context.
func (c *context) Pool() (driver.Pool, error) {
	return driver.Pool{}, fmt.Errorf("gorgonia.org/cu has no pools of memory: %w", errors.ErrUnsupported)
}

// Owner implements driver.Context.
func (c *context) Owner(p driver.Address) (int, error) {
	var ordinal C.int
	err := c.doC("cuPointerGetAttribute", func() C.CUresult {
		return C.cuPointerGetAttribute(unsafe.Pointer(&ordinal), C.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, C.CUdeviceptr(p))
	})
	return int(ordinal), err
}

// Reach implements driver.Context. Copies between devices that are not peers go by way of the host.
func (c *context) Reach(peer driver.Context) error {
	other := peer.(*context)
	var can C.int
	err := c.doC("cuDeviceCanAccessPeer", func() C.CUresult {
		return C.cuDeviceCanAccessPeer(&can, C.CUdevice(c.device), C.CUdevice(other.device))
	})
	if err != nil {
		return err
	}
	if can == 0 {
		return fmt.Errorf("the devices are not peers: %w", errors.ErrUnsupported)
	}
	err = c.doC("cuCtxEnablePeerAccess", func() C.CUresult { return C.enablePeer(*(*C.CUcontext)(unsafe.Pointer(&other.handle))) })
	var refused *driver.Error
	if errors.As(err, &refused) {
		switch refused.Status {
		case driver.PeerAccessAlreadyEnabled:
			return nil
		case driver.PeerAccessUnsupported, driver.TooManyPeers:
			return fmt.Errorf("%w: %w", err, errors.ErrUnsupported)
		}
	}
	return err
}

// AllocateHost implements driver.Context.
func (c *context) AllocateHost(bytes int) (p unsafe.Pointer, err error) {
	err = c.doC("cuMemHostAlloc", func() C.CUresult { return C.cuMemHostAlloc(&p, C.size_t(bytes), C.CU_MEMHOSTALLOC_PORTABLE) })
	return p, err
}

// FreeHost implements driver.Context.
func (c *context) FreeHost(p unsafe.Pointer) error {
	return c.do("cuMemFreeHost", func() error { return cu.MemFreeHost(p) })
}

// Load implements driver.Context.
func (c *context) Load(ptx string) (m driver.Module, err error) {
	err = c.do("cuModuleLoadData", func() error {
		module, err := cu.LoadData(ptx)
		m = number[driver.Module](module)
		return err
	})
	return m, err
}

// Function implements driver.Context.
func (c *context) Function(m driver.Module, name string) (f driver.Function, err error) {
	err = c.do("cuModuleGetFunction", func() error {
		function, err := wrap[cu.Module](m).Function(name)
		f = number[driver.Function](function)
		return err
	})
	return f, err
}

// Launch implements driver.Context. The launch of gorgonia.org/cu takes 8 bytes of an argument.
func (c *context) Launch(f driver.Function, blocks, threads, shared int, s driver.Stream, argument unsafe.Pointer) error {
	return c.doC("cuLaunchKernel", func() C.CUresult {
		return C.launch(C.CUfunction(pointer(f)), C.uint(blocks), C.uint(threads), C.uint(shared), C.CUstream(pointer(s)), (*C.char)(argument))
	})
}

// AllowShared implements driver.Context.
func (c *context) AllowShared(f driver.Function, bytes int) error {
	return c.doC("cuFuncSetAttribute", func() C.CUresult {
		return C.cuFuncSetAttribute(C.CUfunction(pointer(f)), C.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, C.int(bytes))
	})
}

// LaunchGrid implements driver.Context.
func (c *context) LaunchGrid(f driver.Function, g device.Grid, s driver.Stream, arguments []uint64) error {
	var grid [7]C.uint
	for i, n := range g.Integers() {
		grid[i] = C.uint(n)
	}
	values := make([]C.ulonglong, len(arguments)+1)
	for i, v := range arguments {
		values[i] = C.ulonglong(v)
	}
	return c.doC("cuLaunchKernel", func() C.CUresult {
		return C.launchGrid(C.CUfunction(pointer(f)), &grid[0], C.CUstream(pointer(s)), &values[0], C.int(len(arguments)))
	})
}

// pointer returns the pointer of the CUDA driver, to what is not memory of Go, with a number.
func pointer[N ~uintptr](number N) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&number)) }
