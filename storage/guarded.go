package storage

import (
	"fmt"
	"sync"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
)

// guarded is naive on pages that can be protected, which are outside the collector's sight even if they are few.
type guarded struct {
	naive

	mu    sync.Mutex
	since Stats // when the manager last ran the collector
}

// NewGuarded returns the manager of host memory that engines with engine.WithSanitizer need; there it is the one that ManagerOf
// returns. Every allocation ends where a page ends, as far as alignment to 64 bytes allows, with a page behind it that cannot
// be touched. Freed memory cannot be touched either until 64 MiB more were freed: an attempt ends the process, or in such an
// engine the operation. An error tells that d does not exist on this machine, or is not of kind cpu.
func NewGuarded(d device.Device) (Manager, error) {
	if err := device.Check(d); err != nil {
		return nil, err
	}
	if d.Kind != device.KindCPU {
		return nil, fmt.Errorf("%w: the memory of %v has no pages that may be protected", fault.ErrDevice, d)
	}
	m := newGuarded(d)
	m.stats.Limit = defaultLimit(d)
	return m, nil
}

func newGuarded(d device.Device) *guarded {
	return &guarded{naive: naive{device: d, source: fencedSource{}}}
}

// guardedHeap stands for Go's heap where small blocks have to be guarded: they count for the manager of no device.
var guardedHeap = &ledger{manager: newGuarded(device.CPU(0))}

// Allocate implements Manager. What was dropped is freed once the collector has found it, so the manager runs that.
func (m *guarded) Allocate(bytes int) (Memory, error) {
	if m.grown() {
		m.collect()
	}
	memory, err := m.naive.allocate(m, bytes)
	if err == nil {
		return memory, nil
	}
	m.collect()
	return m.naive.allocate(m, bytes)
}

// Free implements Manager.
func (m *guarded) Free(memory Memory) { m.naive.free(m, memory) }

func (m *guarded) collect() { <-collector.request() }

// A guarded manager runs the collector after so many allocations.
const collectAfter = 4 << 10

// grown reports whether it is time to look for what was dropped.
func (m *guarded) grown() bool {
	now := m.Stats()
	m.mu.Lock()
	defer m.mu.Unlock()
	if now.Allocations-m.since.Allocations < collectAfter && now.InUse-m.since.InUse < max(callAlways, m.since.InUse/2) {
		m.since.InUse = min(m.since.InUse, now.InUse)
		return false
	}
	m.since = now
	return true
}

// guards reports whether small blocks of d can be protected, and are to be.
func guards(d device.Device) bool {
	if !engine.Sanitizing() || fencedCount() >= fencedSmall {
		return false
	}
	m, err := ManagerOf(d)
	_, is := m.(*guarded)
	return err == nil && is
}
