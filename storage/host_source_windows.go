package storage

import (
	"fmt"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	"golang.org/x/sys/windows"
)

// hostSource reserves memory outside the sight of Go's collector.
type hostSource struct{}

// Allocate implements source.
func (hostSource) Allocate(bytes int) (device.Pointer, error) {
	address, err := windows.VirtualAlloc(0, uintptr(bytes), windows.MEM_RESERVE|windows.MEM_COMMIT, windows.PAGE_READWRITE)
	if err != nil {
		return device.Pointer{}, fmt.Errorf("%w: the system refused %s: %v", fault.ErrOutOfMemory, formatBytes(int64(bytes)), err)
	}
	// The address is of no Go object, so converting it does not race with the collector; going through a pointer to it
	// tells vet so.
	return device.Pointer{Host: *(*unsafe.Pointer)(unsafe.Pointer(&address))}, nil
}

// Free implements source.
func (hostSource) Free(p device.Pointer, bytes int) {
	if err := windows.VirtualFree(uintptr(p.Host), 0, windows.MEM_RELEASE); err != nil {
		panic(fmt.Sprintf("storage: freeing %d bytes at %p: %v", bytes, p.Host, err))
	}
}

// Discard implements discarding. The system takes the memory when it needs some, without writing it to a file first.
func (hostSource) Discard(p device.Pointer, bytes int) {
	_, _ = windows.VirtualAlloc(uintptr(p.Host), uintptr(bytes), windows.MEM_RESET, windows.PAGE_READWRITE)
}
