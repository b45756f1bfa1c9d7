package device

// PinningBackend is a Backend whose devices copy to and from page-locked memory of the host faster than to and from ordinary
// memory, or while they compute. Arrays on cpu_pinned are in such memory. All methods may be called from any goroutine.
type PinningBackend interface {
	Backend
	// AllocatePinned returns page-locked host memory that all devices of the backend reach, aligned to at least 64 bytes, with
	// undefined contents. Its Host is set. Out of memory is an error that wraps fault.ErrOutOfMemory.
	AllocatePinned(bytes int) (Pointer, error)
	// FreePinned gives back memory that AllocatePinned returned for the same size. Nothing may use it any more.
	FreePinned(p Pointer, bytes int)
}
