package cuda

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cuda/driver"
	"github.com/weft-nd/weft/kernels/cuda/internal/bind"
)

// oldestMajor is the compute capability that kernels are compiled for.
const oldestMajor = 7

// Backend is the GPUs of the machine. It implements device.Backend and device.PinningBackend.
type Backend struct {
	opener atomic.Pointer[driver.Opener] // nil once it is called
	open   func() (found, error)
	pinned pinned
}

// found is what there is.
type found struct {
	driver    driver.Driver
	libraries []driver.Library
	units     []*unit
}

// registered are the GPUs that package device knows.
var registered = New()

func init() { device.Register(registered) }

// Default returns the backend of gpu(0), gpu(1) and so on.
func Default() *Backend { return registered }

// New returns a backend of its own, which loads the libraries when it is first used. It is not registered; memory and events of
// other backends are not valid on it.
func New() *Backend { return NewOn(bind.Open) }

// NewOn is New with another driver, which is opened when the backend is first used.
func NewOn(open driver.Opener) *Backend {
	b := &Backend{}
	b.opener.Store(&open)
	b.open = sync.OnceValues(b.find)
	return b
}

// Bind makes gpu(0), gpu(1) and so on the devices of another driver than the one that the package loads. The init of a package that
// has a driver calls it: once a gpu has been asked for, Bind panics.
func Bind(open driver.Opener) {
	before := registered.opener.Load()
	if before == nil || !registered.opener.CompareAndSwap(before, &open) {
		panic("cuda: Bind after a gpu was asked for")
	}
}

func (b *Backend) find() (f found, err error) {
	f.driver, f.libraries, err = (*b.opener.Swap(nil))()
	if err != nil {
		return f, err
	}
	count, err := f.driver.Count()
	if err != nil {
		return f, fmt.Errorf("CUDA does not tell its devices: %w", err)
	}
	for i := range count {
		f.units = append(f.units, &unit{backend: b, driver: f.driver, device: device.GPU(i)})
	}
	return f, nil
}

// Kind returns device.KindGPU.
func (b *Backend) Kind() device.Kind { return device.KindGPU }

// Count returns how many GPUs there are. The error tells what was looked for in vain.
func (b *Backend) Count() (int, error) {
	f, err := b.open()
	return len(f.units), err
}

// Allocate returns memory of device index, aligned to 256 bytes, with undefined contents. Out of memory is an error that wraps
// fault.ErrOutOfMemory and tells how much is free. Zero bytes are legal, and have an address.
func (b *Backend) Allocate(index, bytes int) (device.Pointer, error) {
	u, err := b.unit(index)
	if err != nil {
		return device.Pointer{}, err
	}
	return u.allocate(bytes)
}

// Free gives back memory that Allocate returned, soon.
func (b *Backend) Free(index int, p device.Pointer, bytes int) {
	u, err := b.unit(index)
	if err != nil {
		panic("cuda: Free: " + err.Error())
	}
	u.free(p)
}

// NewStream returns a new stream of device index.
func (b *Backend) NewStream(index int) (device.Stream, error) {
	u, err := b.unit(index)
	if err != nil {
		return nil, err
	}
	return u.newStream()
}

func (b *Backend) unit(index int) (*unit, error) {
	f, err := b.open()
	if err != nil {
		return nil, err
	}
	if index < 0 || index >= len(f.units) {
		return nil, fmt.Errorf("%w: gpu(%d) does not exist: CUDA has %d devices", fault.ErrDevice, index, len(f.units))
	}
	return f.units[index], nil
}
