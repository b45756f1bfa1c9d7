package storage

import (
	"math/bits"
	"runtime"
	"sync"

	"github.com/weft-nd/weft/device"
)

// pooled keeps freed memory for the next allocation of the same size class.
type pooled struct {
	device device.Device
	source source

	mu    sync.Mutex
	free  map[int][]device.Pointer // by size class
	live  map[device.Pointer]int   // size class of what is in use
	stats Stats

	// Memory outside the collector's sight does not make it run. So the manager does, when the bytes in use have grown
	// by half over the least that was in use since the last time. An array that comes to life while the collector runs
	// is not seen to die until the next time; so that these do not pile up, allocations beyond ceiling wait for it.
	floor      int64
	ceiling    int64
	collecting bool
	collection sync.Mutex // held while the collector runs for this manager
}

// collectFrom is how many bytes must be in use before the manager starts the collector.
const collectFrom = 64 << 20

// NewPooled returns a manager of d that keeps freed memory for the next allocation of about the same size. An error tells
// that d does not exist on this machine.
func NewPooled(d device.Device) (Manager, error) {
	from, err := sourceOf(d)
	if err != nil {
		return nil, err
	}
	return &pooled{device: d, source: from, free: map[int][]device.Pointer{}, live: map[device.Pointer]int{}}, nil
}

// sizeClass rounds up to a multiple of a quarter of the power of two below, and at least to pages: at most a quarter of
// the memory is lost, and few classes exist.
func sizeClass(bytes int) int {
	step := max(4096, 1<<max(0, bits.Len(uint(bytes-1))-3))
	return max(bytes, (bytes+step-1)/step*step) // the sum overflows for sizes that no system has: let it refuse them
}

func (m *pooled) Allocate(bytes int) (device.Pointer, error) {
	if bytes == 0 {
		return device.Pointer{}, nil
	}
	class := sizeClass(bytes)
	switch m.pressure(int64(class)) {
	case pressureHigh:
		m.collect()
	case pressureWait:
		m.awaitCollection()
	}
	p, err := m.attempt(class, bytes)
	if err == nil {
		return p, nil
	}
	// What was dropped is still in use until the collector finds it.
	m.collect()
	return m.attempt(class, bytes)
}

// collect takes back what was dropped.
func (m *pooled) collect() {
	m.collection.Lock()
	defer m.collection.Unlock()
	runtime.GC()
	endLost(m)
	m.mu.Lock()
	m.collecting = false
	m.mu.Unlock()
}

// awaitCollection returns when the collector that runs for this manager has ended.
func (m *pooled) awaitCollection() {
	m.collection.Lock()
	defer m.collection.Unlock()
}

// pressure tells what an allocation does first about memory that was dropped.
type pressure uint8

const (
	pressureLow  pressure = iota // nothing
	pressureHigh                 // run the collector
	pressureWait                 // wait for the collector
)

// pressure returns how it is before class more bytes come into use.
func (m *pooled) pressure(class int64) pressure {
	m.mu.Lock()
	defer m.mu.Unlock()
	next := m.stats.InUse + class
	switch {
	case m.collecting && next > m.ceiling:
		return pressureWait
	case m.collecting || next < collectFrom || next <= m.floor+m.floor/2:
		return pressureLow
	}
	m.collecting, m.floor, m.ceiling = true, next, next+next/4
	return pressureHigh
}

func (m *pooled) attempt(class, bytes int) (device.Pointer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if kept := m.free[class]; len(kept) > 0 {
		p := kept[len(kept)-1]
		m.free[class] = kept[:len(kept)-1]
		m.stats.Cached -= int64(class)
		m.stats.Reused++
		m.live[p] = class
		m.stats.take(int64(class))
		return p, nil
	}
	if limit := m.stats.Limit; limit > 0 && int64(class) > limit-m.stats.InUse-m.stats.Cached {
		m.trim()
		if int64(class) > limit-m.stats.InUse {
			return device.Pointer{}, overLimit(m.device, bytes, m.stats)
		}
	}
	p, err := m.source.Allocate(class)
	if err != nil && m.stats.Cached > 0 {
		m.trim()
		p, err = m.source.Allocate(class)
	}
	if err != nil {
		return p, err
	}
	m.live[p] = class
	m.stats.take(int64(class))
	return p, nil
}

func (m *pooled) Free(p device.Pointer, bytes int) {
	if bytes == 0 {
		return
	}
	class := sizeClass(bytes)
	m.mu.Lock()
	defer m.mu.Unlock()
	checkLive(m.live, p, class)
	m.stats.InUse -= int64(class)
	m.floor = min(m.floor, m.stats.InUse)
	if limit := m.stats.Limit; limit > 0 && int64(class) > limit-m.stats.InUse-m.stats.Cached {
		m.source.Free(p, class)
		return
	}
	m.free[class] = append(m.free[class], p)
	m.stats.Cached += int64(class)
}

func (m *pooled) Stats() Stats {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stats
}

func (m *pooled) Trim() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.trim()
}

func (m *pooled) trim() {
	for class, kept := range m.free {
		for _, p := range kept {
			m.source.Free(p, class)
		}
	}
	clear(m.free)
	m.stats.Cached = 0
}

func (m *pooled) SetLimit(bytes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stats.Limit = bytes
	if bytes > 0 && m.stats.InUse+m.stats.Cached > bytes {
		m.trim()
	}
}
