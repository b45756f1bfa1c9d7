package device

import (
	"fmt"
	"runtime"
	"sync"
)

// Backend makes the devices of one kind usable. All methods may be called from any goroutine.
type Backend interface {
	// Kind returns the kind of the devices.
	Kind() Kind
	// Count returns how many devices there are. An error tells why there are none, such as a missing driver.
	Count() (int, error)
	// Allocate returns memory of device index, aligned to at least 64 bytes, with undefined contents. Out of memory is an
	// error that wraps fault.ErrOutOfMemory.
	Allocate(index, bytes int) (Pointer, error)
	// Free gives back memory that Allocate returned. Nothing may use it any more, on any stream.
	Free(index int, p Pointer, bytes int)
	// NewStream returns a new stream of device index.
	NewStream(index int) (Stream, error)
	// Kernel returns the kernel with the name that KernelName gives; found is false where the backend has none.
	Kernel(name string) (kernel Kernel, found bool)
}

// Sized is a Backend that knows how many bytes of memory a device has.
type Sized interface {
	Backend
	Total(index int) (bytes int, err error)
}

// Stream is a queue of work that one device runs in order. It is used by one goroutine at a time, on any thread.
type Stream interface {
	// Device returns the device that runs the work.
	Device() Device
	// Copy enqueues a copy of bytes bytes. At most one of dst and src is host memory; host memory must stay valid and
	// unchanged until the copy is complete.
	Copy(dst, src Pointer, bytes int) error
	// Fill enqueues setting bytes bytes at dst to zero.
	Fill(dst Pointer, bytes int) error
	// Wait makes work enqueued later wait for e, an event of any stream of the same backend. The host does not wait.
	Wait(e Event) error
	// Record returns an event that is complete when all work enqueued so far is. Events of a stream complete in their order.
	Record() (Event, error)
	// Close waits for the work of the stream and gives the stream back.
	Close() error
}

// Event is a moment in the work of a stream. Its methods may be called from any goroutine.
type Event interface {
	// Wait blocks the host until the event is complete. It returns the fault of the work that the stream was given since its
	// previous event, every time it is called.
	Wait() error
	// Done reports whether the event is complete.
	Done() bool
}

var registry struct {
	sync.RWMutex
	backends [kindCount]Backend
}

// Register makes b the backend of its kind. It panics if the kind has one already.
func Register(b Backend) {
	registry.Lock()
	defer registry.Unlock()
	if registry.backends[b.Kind()] != nil {
		panic(fmt.Sprintf("device: a backend for %v is registered already", b.Kind()))
	}
	registry.backends[b.Kind()] = b
}

// BackendOf returns the backend of kind k, or an error that tells which package registers it.
func BackendOf(k Kind) (Backend, error) {
	if k >= kindCount {
		return nil, fmt.Errorf("there is no %v of devices", k)
	}
	registry.RLock()
	defer registry.RUnlock()
	if b := registry.backends[k]; b != nil {
		return b, nil
	}
	switch k {
	case KindGPU:
		return nil, fmt.Errorf("no backend for gpu devices: import github.com/weft-nd/weft/kernels/cuda")
	case KindSim:
		return nil, fmt.Errorf("no backend for sim devices: import github.com/weft-nd/weft/kernels/sim")
	}
	return nil, fmt.Errorf("no backend for %v devices", k)
}

// Check returns nil if d exists on this machine, and otherwise an error that tells what is there. Any number of devices of
// the kinds cpu, cpu_pinned and cpu_shared exists: each has queues and a manager of memory of its own, and all share the
// workers of the process and the memory of the machine. Cpu_pinned is ordinary memory where no backend is a PinningBackend;
// cpu_shared does not exist on Windows.
func Check(d Device) error {
	switch {
	case d.Index < 0:
		return fmt.Errorf("device %v does not exist: numbers start at 0", d)
	case d.Kind == KindCPUShared && runtime.GOOS == "windows":
		return fmt.Errorf("device %v does not exist: memory is not shared between processes on Windows", d)
	case d.OnHost():
		return nil
	}
	b, err := BackendOf(d.Kind)
	if err != nil {
		return fmt.Errorf("device %v: %w", d, err)
	}
	count, err := b.Count()
	if err != nil {
		return fmt.Errorf("device %v: %w", d, err)
	}
	if d.Index >= count {
		return fmt.Errorf("device %v does not exist: this machine has %d %v devices", d, count, d.Kind)
	}
	return nil
}
