package storage

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
)

// shared is naive on memory that other processes may map too. It keeps nothing for reuse, because nobody tells it when the others
// are done: the kernel counts them, and frees the memory after the last.
type shared struct {
	naive

	mu    sync.Mutex
	floor int // the fewest descriptors in use since the manager last called the collector
}

// NewShared returns the manager of memory that can be passed to other processes, which ManagerOf returns for cpu_shared. Every
// allocation takes whole pages and a descriptor until it is freed; too many of these are an error that wraps
// fault.ErrOutOfMemory too. An error tells that d is not of this kind, or does not exist on this system.
func NewShared(d device.Device) (Manager, error) {
	if err := device.Check(d); err != nil {
		return nil, err
	}
	if d.Kind != device.KindCPUShared {
		return nil, fmt.Errorf("%w: the memory of %v is not shared with other processes", fault.ErrDevice, d)
	}
	m := newShared(d)
	m.stats.Limit = defaultLimit(d)
	return m, nil
}

func newShared(d device.Device) *shared {
	return &shared{naive: naive{device: d, source: sharedSource{}}}
}

// received owns the memory that came from other processes. It counts for the manager of no device: its size was decided elsewhere.
var received = &ledger{manager: receiving}

var receiving = newShared(device.CPUShared(0))

// Allocate implements Manager.
func (m *shared) Allocate(bytes int) (Memory, error) {
	if m.grown() {
		collector.request() // and not waited for: workers come here
	}
	return m.naive.allocate(m, bytes)
}

// Free implements Manager.
func (m *shared) Free(memory Memory) { m.naive.free(m, memory) }

// collectFromDescriptors is how many descriptors must be in use before a manager calls the collector for their sake.
const collectFromDescriptors = 256

// grown reports whether the descriptors in use have grown by half since the collector was last called: they make it run no more
// than memory outside its sight does, which ledgers look after.
func (m *shared) grown() bool {
	m.naive.mu.Lock()
	now := m.live
	m.naive.mu.Unlock()
	m.mu.Lock()
	defer m.mu.Unlock()
	if now < max(collectFromDescriptors, m.floor*3/2) {
		m.floor = min(m.floor, now)
		return false
	}
	m.floor = now
	return true
}

// mappings are the shared memory of the process, its own and that of others, by address.
var mappings struct {
	sync.Mutex
	descriptors map[unsafe.Pointer]int
}

// sharedLimit bounds the mappings. Systems do, often at 65530, and the runtime of Go does not survive their end.
const sharedLimit = 16 << 10

// sharedSource maps a file without a name for every allocation.
type sharedSource struct{}

func (s sharedSource) Allocate(bytes int) (device.Pointer, error) {
	descriptor, err := newSharedFile(bytes)
	if err != nil {
		return device.Pointer{}, refusedShared(bytes, err)
	}
	p, err := s.adopt(descriptor, bytes)
	if err != nil {
		closeDescriptor(descriptor)
	}
	return p, err
}

// adopt maps bytes bytes of a file. The descriptor belongs to the mapping then.
func (sharedSource) adopt(descriptor, bytes int) (device.Pointer, error) {
	mappings.Lock()
	defer mappings.Unlock()
	if len(mappings.descriptors) >= sharedLimit {
		return device.Pointer{}, refusedShared(bytes, errSharedLimit)
	}
	p, err := mapShared(descriptor, bytes)
	if err != nil {
		return device.Pointer{}, refusedShared(bytes, err)
	}
	if mappings.descriptors == nil {
		mappings.descriptors = map[unsafe.Pointer]int{}
	}
	mappings.descriptors[p] = descriptor
	return device.Pointer{Host: p}, nil
}

func (sharedSource) Free(p device.Pointer, bytes int) {
	mappings.Lock()
	defer mappings.Unlock()
	if err := unmapShared(p.Host, bytes); err != nil {
		panic(fmt.Sprintf("storage: unmapping %d shared bytes at %p: %v", bytes, p.Host, err))
	}
	closeDescriptor(mappings.descriptors[p.Host])
	delete(mappings.descriptors, p.Host)
}

var errSharedLimit = fmt.Errorf("a process has at most %d arrays in shared memory", sharedLimit)

// refusedShared is the error of an allocation that the system refused for the given reason.
func refusedShared(bytes int, reason error) error {
	return fmt.Errorf("%w: the system refused %s of shared memory: %w", fault.ErrOutOfMemory, formatBytes(int64(bytes)), reason)
}
