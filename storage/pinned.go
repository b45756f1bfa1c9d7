package storage

import "github.com/weft-nd/weft/device"

// pinnedSource takes page-locked memory from a backend.
type pinnedSource struct{ backend device.PinningBackend }

func (s pinnedSource) Allocate(bytes int) (device.Pointer, error) {
	return s.backend.AllocatePinned(bytes)
}

func (s pinnedSource) Free(p device.Pointer, bytes int) { s.backend.FreePinned(p, bytes) }

// pinnedSourceOf returns the source of cpu_pinned: the first of the backends that has a device, one is enough, and locks
// pages; without any, ordinary memory.
func pinnedSourceOf(backends ...device.Backend) source {
	for _, b := range backends {
		pinning, ok := b.(device.PinningBackend)
		if !ok {
			continue
		}
		if count, err := b.Count(); err == nil && count > 0 {
			return pinnedSource{pinning}
		}
	}
	return hostSource{}
}

// pinningOrder are the kinds of backends that are asked for page-locked memory: a device first, then its simulation.
var pinningOrder = []device.Kind{device.KindGPU, device.KindSim}

// registeredBackends returns those of the given kinds that there are.
func registeredBackends(kinds []device.Kind) []device.Backend {
	var found []device.Backend
	for _, k := range kinds {
		if b, err := device.BackendOf(k); err == nil {
			found = append(found, b)
		}
	}
	return found
}
