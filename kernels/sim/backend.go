package sim

import (
	"fmt"
	"sync/atomic"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/kernels/cpu"
)

// Backend is a machine with simulated devices. It implements device.Backend and device.PinningBackend.
type Backend struct {
	units   []*unit
	first   uint64 // number of the first unit among the units of all backends
	latency atomic.Int64
	faults  injections
	pinned  pinned
}

// unit is one simulated device.
type unit struct {
	backend  *Backend
	device   device.Device
	memory   memory
	gate     gate
	counters device.Counters
}

// registered is the machine that package device knows.
var registered = New(2)

func init() { device.Register(registered) }

// Default returns the backend of sim(0) and sim(1), which all users of package device share.
func Default() *Backend { return registered }

// unitCount is the number of units of all backends; it keeps their addresses apart.
var unitCount atomic.Uint64

// New returns a machine of its own with the given number of devices. It is not registered: sim(0) elsewhere is not its
// sim(0), and neither memory nor events of other backends are valid on it.
func New(devices int) *Backend {
	b := &Backend{units: make([]*unit, devices), pinned: pinned{stats: PinnedStats{Limit: defaultLimit}}}
	b.first = unitCount.Add(uint64(devices)) - uint64(devices)
	for i := range b.units {
		place := device.Sim(i)
		b.units[i] = &unit{backend: b, device: place, memory: newMemory(place, b.first+uint64(i))}
	}
	return b
}

// Kind returns device.KindSim.
func (b *Backend) Kind() device.Kind { return device.KindSim }

// Count returns the number of devices; the error is nil.
func (b *Backend) Count() (int, error) { return len(b.units), nil }

// Allocate returns bytes bytes of memory of device index, aligned to 256 bytes, with poisoned contents. Beyond the memory
// limit it returns an error that wraps fault.ErrOutOfMemory and gives the sizes. Zero bytes are legal and have an address.
func (b *Backend) Allocate(index, bytes int) (device.Pointer, error) {
	u, err := b.unit(index)
	if err != nil {
		return device.Pointer{}, err
	}
	return u.memory.allocate(bytes)
}

// Free gives back memory that Allocate returned for the same device, with the same size. It panics if that is not what p
// is, as when it was freed already. Work that is still to use p will fault.
func (b *Backend) Free(index int, p device.Pointer, bytes int) {
	b.mustUnit(index).memory.free(p, bytes)
}

// NewStream returns a new stream of device index.
func (b *Backend) NewStream(index int) (device.Stream, error) {
	u, err := b.unit(index)
	if err != nil {
		return nil, err
	}
	return &stream{unit: u}, nil
}

// Kernel returns the kernel that runs the CPU kernel of the same name.
func (b *Backend) Kernel(name string) (device.Kernel, bool) {
	run, found := cpu.Lookup(name)
	if !found {
		return nil, false
	}
	return &kernel{backend: b, name: name, run: run}, true
}

func (b *Backend) unit(index int) (*unit, error) {
	if index < 0 || index >= len(b.units) {
		return nil, fmt.Errorf("sim: there is no device %d: this machine has %d", index, len(b.units))
	}
	return b.units[index], nil
}

func (b *Backend) mustUnit(index int) *unit {
	u, err := b.unit(index)
	if err != nil {
		panic(err.Error())
	}
	return u
}
