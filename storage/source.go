package storage

import "github.com/weft-nd/weft/device"

// source is where a manager gets its memory from.
type source interface {
	Allocate(bytes int) (device.Pointer, error)
	Free(p device.Pointer, bytes int)
}

// discarding is a source of memory that can be emptied in parts: it costs nothing until it is touched again.
type discarding interface {
	source
	Discard(p device.Pointer, bytes int)
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
	switch d.Kind {
	case device.KindCPU:
		return hostSource{}, nil
	case device.KindCPUPinned:
		return pinnedSourceOf(registeredBackends(pinningOrder)...), nil
	case device.KindCPUShared:
		return sharedSource{}, nil
	}
	backend, err := device.BackendOf(d.Kind)
	if err != nil {
		return nil, err
	}
	return deviceSource{backend, d.Index}, nil
}
