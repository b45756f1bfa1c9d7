package storage

import (
	"fmt"
	"sync"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
)

// naive asks the system for every allocation and gives it back at once.
type naive struct {
	device device.Device
	source source

	mu    sync.Mutex
	live  map[device.Pointer]int
	stats Stats
}

// NewNaive returns a manager of d that keeps nothing for reuse. An error tells that d does not exist on this machine.
func NewNaive(d device.Device) (Manager, error) {
	from, err := sourceOf(d)
	if err != nil {
		return nil, err
	}
	return &naive{device: d, source: from, live: map[device.Pointer]int{}}, nil
}

func (m *naive) Allocate(bytes int) (device.Pointer, error) {
	if bytes == 0 {
		return device.Pointer{}, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stats.Limit > 0 && int64(bytes) > m.stats.Limit-m.stats.InUse {
		return device.Pointer{}, overLimit(m.device, bytes, m.stats)
	}
	p, err := m.source.Allocate(bytes)
	if err != nil {
		return p, err
	}
	m.live[p] = bytes
	m.stats.take(int64(bytes))
	return p, nil
}

func (m *naive) Free(p device.Pointer, bytes int) {
	if bytes == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	checkLive(m.live, p, bytes)
	m.stats.InUse -= int64(bytes)
	m.source.Free(p, bytes)
}

func (m *naive) Stats() Stats {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stats
}

func (m *naive) Trim() {}

func (m *naive) SetLimit(bytes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stats.Limit = bytes
}

// take counts an allocation.
func (s *Stats) take(bytes int64) {
	s.Allocations++
	s.InUse += bytes
	s.Peak = max(s.Peak, s.InUse)
}

// checkLive removes an allocation from live; it panics if there is none of that size at p.
func checkLive(live map[device.Pointer]int, p device.Pointer, bytes int) {
	held, found := live[p]
	if !found || held != bytes {
		panic(fmt.Sprintf("storage: freeing %d bytes at %v, where %d are allocated: freed twice, or not from this manager", bytes, p, held))
	}
	delete(live, p)
}

func overLimit(d device.Device, bytes int, s Stats) error {
	return fmt.Errorf("%w: %v: %s asked for, %s in use of a limit of %s",
		fault.ErrOutOfMemory, d, formatBytes(int64(bytes)), formatBytes(s.InUse), formatBytes(s.Limit))
}
