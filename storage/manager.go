package storage

import (
	"fmt"
	"sync"

	"github.com/weft-nd/weft/device"
)

// Manager hands out the memory of one device. All methods may be called from any goroutine.
type Manager interface {
	// Allocate returns memory aligned to at least 64 bytes with undefined contents; size zero gives the nil Pointer. Out of
	// memory is an error that wraps fault.ErrOutOfMemory and names the sizes.
	Allocate(bytes int) (device.Pointer, error)
	// Free gives back what Allocate returned for the same size. Freeing what is not allocated panics.
	Free(p device.Pointer, bytes int)
	// Stats returns what is in use and what is kept for reuse.
	Stats() Stats
	// Trim gives the memory that is kept for reuse back to the system.
	Trim()
	// SetLimit bounds the bytes in use and kept together; zero means no bound. What is in use already stays; what is kept
	// beyond the bound goes back to the system.
	SetLimit(bytes int64)
}

// Stats describes the memory of one manager, in bytes where nothing else is said.
type Stats struct {
	InUse       int64
	Cached      int64 // kept for reuse
	Peak        int64 // largest InUse so far
	Limit       int64 // zero: none
	Allocations uint64
	Reused      uint64 // allocations that were served from memory kept for reuse
}

// source is where a manager gets its memory from.
type source interface {
	Allocate(bytes int) (device.Pointer, error)
	Free(p device.Pointer, bytes int)
}

// deviceSource allocates on a device by its backend.
type deviceSource struct {
	backend device.Backend
	index   int
}

func (s deviceSource) Allocate(bytes int) (device.Pointer, error) {
	return s.backend.Allocate(s.index, bytes)
}

func (s deviceSource) Free(p device.Pointer, bytes int) { s.backend.Free(s.index, p, bytes) }

// sourceOf returns the source of the memory of d. An error tells that d does not exist on this machine.
func sourceOf(d device.Device) (source, error) {
	if err := device.Check(d); err != nil {
		return nil, err
	}
	if d.OnHost() {
		return hostSource{}, nil
	}
	backend, err := device.BackendOf(d.Kind)
	if err != nil {
		return nil, err
	}
	return deviceSource{backend, d.Index}, nil
}

var managers struct {
	sync.Mutex
	byDevice map[device.Device]Manager
}

// ManagerOf returns the manager of the memory of d, a pooled one unless SetManager chose another. An error tells that d
// does not exist on this machine.
func ManagerOf(d device.Device) (Manager, error) {
	managers.Lock()
	defer managers.Unlock()
	if m := managers.byDevice[d]; m != nil {
		return m, nil
	}
	m, err := NewPooled(d)
	if err != nil {
		return nil, err
	}
	return setManager(d, m), nil
}

// SetManager makes m the manager of d. Memory handed out by an earlier manager goes back to that one.
func SetManager(d device.Device, m Manager) {
	managers.Lock()
	defer managers.Unlock()
	setManager(d, m)
}

func setManager(d device.Device, m Manager) Manager {
	if managers.byDevice == nil {
		managers.byDevice = map[device.Device]Manager{}
	}
	managers.byDevice[d] = m
	return m
}

// formatBytes writes a size as users read it: "401408 bytes (392.0 KiB)".
func formatBytes(n int64) string {
	value, unit := float64(n), ""
	for _, larger := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if value < 1024 {
			break
		}
		value, unit = value/1024, larger
	}
	if unit == "" {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%d bytes (%.1f %s)", n, value, unit)
}
