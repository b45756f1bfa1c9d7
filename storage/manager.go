package storage

import (
	"fmt"
	"time"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
)

// Manager hands out the memory of one device. All methods may be called from any goroutine.
type Manager interface {
	// Allocate returns memory aligned to at least 64 bytes with undefined contents; size zero gives the nil Pointer. Out of
	// memory is an error that wraps fault.ErrOutOfMemory and names the sizes; what was kept has gone back to the system then.
	Allocate(bytes int) (Memory, error)
	// Free gives back what Allocate returned. It panics on memory that was freed before, or is another manager's.
	Free(m Memory)
	// Stats returns what is in use and what is kept for reuse.
	Stats() Stats
	// Trim gives the memory that is kept for reuse back to the system.
	Trim()
	// TrimUnused is Trim for what has been kept for longer than age.
	TrimUnused(age time.Duration)
	// SetLimit bounds the bytes in use and kept together; zero or less means no bound. What is in use already stays; what is kept
	// beyond the bound goes back to the system.
	SetLimit(bytes int64)
	// Limit returns that bound, zero or less if there is none. It is called for every operation that takes memory.
	Limit() int64
}

// Stats describes the memory of one manager, in bytes where nothing else is said.
type Stats struct {
	InUse       int64 // as rounded up by the manager
	Cached      int64 // kept for reuse
	Peak        int64 // largest InUse so far; it may count what a front cache has kept
	Limit       int64 // zero or less: none
	Allocations uint64
	Reused      uint64 // allocations that were served from memory kept for reuse
}

func overLimit(d device.Device, bytes int, inUse, limit int64) error {
	return fmt.Errorf("%w: %v: %s asked for, %s in use of a limit of %s",
		fault.ErrOutOfMemory, d, formatBytes(int64(bytes)), formatBytes(inUse), formatBytes(limit))
}

func absurd(bytes int) error {
	return fmt.Errorf("%w: no system has %s", fault.ErrOutOfMemory, formatBytes(int64(bytes)))
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
