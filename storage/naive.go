package storage

import (
	"sync"
	"time"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
)

// naive asks the system for every allocation and gives it back at once.
type naive struct {
	device device.Device
	source source

	mu    sync.Mutex
	stats Stats
	live  int // allocations
}

// NewNaive returns a manager of d that keeps nothing for reuse. An error tells that d does not exist on this machine.
func NewNaive(d device.Device) (Manager, error) {
	from, err := sourceOf(d)
	if err != nil {
		return nil, err
	}
	return &naive{device: d, source: from, stats: Stats{Limit: defaultLimit(d)}}, nil
}

// Allocate implements Manager.
func (m *naive) Allocate(bytes int) (Memory, error) { return m.allocate(m, bytes) }

// allocate hands out memory of owner.
func (m *naive) allocate(owner Manager, bytes int) (Memory, error) {
	if bytes == 0 {
		return Memory{}, nil
	}
	if bytes < 0 {
		return Memory{}, absurd(bytes)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stats.Limit > 0 && int64(bytes) > m.stats.Limit-m.stats.InUse {
		return Memory{}, overLimit(m.device, bytes, m.stats.InUse, m.stats.Limit)
	}
	p, err := m.source.Allocate(bytes)
	if err != nil {
		return Memory{}, err
	}
	return m.handOut(owner, p, bytes), nil
}

// adopt hands out memory of owner that did not come from its source.
func (m *naive) adopt(owner Manager, p device.Pointer, bytes int) Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.handOut(owner, p, bytes)
}

func (m *naive) handOut(owner Manager, p device.Pointer, bytes int) Memory {
	m.stats.take(int64(bytes))
	m.live++
	c := &chunk{owner: owner, pointer: p, bytes: bytes}
	return c.handOut(bytes)
}

// Free implements Manager.
func (m *naive) Free(memory Memory) { m.free(m, memory) }

func (m *naive) free(owner Manager, memory Memory) {
	if memory.Bytes == 0 {
		return
	}
	c := memory.takeBack(owner)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stats.InUse -= int64(c.bytes)
	m.live--
	m.source.Free(c.pointer, c.bytes)
}

// Stats implements Manager.
func (m *naive) Stats() Stats {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stats
}

// Trim implements Manager: nothing is kept.
func (m *naive) Trim() {}

// TrimUnused implements Manager: nothing is kept.
func (m *naive) TrimUnused(time.Duration) {}

// Limit implements Manager.
func (m *naive) Limit() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stats.Limit
}

// SetLimit implements Manager.
func (m *naive) SetLimit(bytes int64) {
	defer engine.MemoryFreed()
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
