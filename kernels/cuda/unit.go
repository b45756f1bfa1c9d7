package cuda

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cuda/driver"
)

// unit is one GPU.
type unit struct {
	backend *Backend
	driver  driver.Driver
	device  device.Device

	opening    sync.Mutex
	context    atomic.Pointer[driver.Context]
	processors int

	lost     atomic.Pointer[lost]
	freed    freed
	modules  modules
	events   events
	findings findings
	graphs   graphs
	reached  reached

	multiplies      atomic.Bool // a stream has a handle of cuBLAS
	refusedProducts refusedProducts
	convolutions    planner[driver.Convolution, driver.Algorithm]
	affines         planner[driver.Product, driver.AffineAlgorithm]
	counters        device.Counters
	refusal         atomic.Pointer[error] // the last call of a library that was refused
	notKept         atomic.Pointer[error] // why work was last not kept
}

// lost is why a device is disabled.
type lost struct {
	device device.Device
	cause  error
}

// Error returns one line, such as "gpu(0) is disabled: cuEventSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS: what was on it is lost, and
// only a new process can use it".
func (l *lost) Error() string {
	return fmt.Sprintf("%v is disabled: %v: what was on it is lost, and only a new process can use it", l.device, l.cause)
}

// Unwrap returns the first failure.
func (l *lost) Unwrap() error { return l.cause }

// use returns the context of the device, made when it is first used. The error tells why the device cannot be used.
func (u *unit) use() (driver.Context, error) {
	if l := u.lost.Load(); l != nil {
		return nil, l
	}
	if c := u.context.Load(); c != nil {
		return *c, nil
	}
	u.opening.Lock()
	defer u.opening.Unlock()
	if c := u.context.Load(); c != nil {
		return *c, nil
	}
	p, err := u.driver.Describe(u.device.Index)
	if err != nil {
		return nil, u.failed(err)
	}
	if p.Major < oldestMajor {
		return nil, fmt.Errorf("%w: %v, %s, has compute capability %d.%d, and %d.0 is needed", fault.ErrDevice, u.device, p.Name, p.Major, p.Minor, oldestMajor)
	}
	c, err := u.driver.Open(u.device.Index)
	if err != nil {
		return nil, u.failed(err)
	}
	u.processors = p.Processors
	u.context.Store(&c)
	return c, nil
}

// failed returns the error of a call with the name of the device. One that takes the context with it disables the device.
func (u *unit) failed(err error) error {
	if err == nil {
		return nil
	}
	if refused := (*driver.Error)(nil); errors.As(err, &refused) && refused.Status.Sticky() {
		u.lost.CompareAndSwap(nil, &lost{u.device, err})
		return u.lost.Load()
	}
	if known := (*located)(nil); errors.As(err, &known) && known.device == u.device {
		return err
	}
	return &located{u.device, err}
}

// located is the error of a call with the name of the device.
type located struct {
	device device.Device
	cause  error
}

func (l *located) Error() string { return fmt.Sprintf("%v: %v", l.device, l.cause) }

func (l *located) Unwrap() error { return l.cause }

// do calls f with the context of the device.
func (u *unit) do(f func(c driver.Context) error) error {
	c, err := u.use()
	if err != nil {
		return err
	}
	return u.failed(f(c))
}

// refused counts a call that a library did not take, which a kernel of weft computes.
func (u *unit) refused(err error) {
	u.counters.Refused()
	u.refusal.Store(&err)
}
