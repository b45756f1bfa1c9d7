//go:build unix

package storage

import (
	"fmt"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	"golang.org/x/sys/unix"
)

// hostSource maps memory outside the sight of Go's collector.
type hostSource struct{}

// hugePage is the size from which transparent huge pages can serve a mapping.
const hugePage = 2 << 20

// Allocate implements source.
func (hostSource) Allocate(bytes int) (device.Pointer, error) {
	p, err := unix.MmapPtr(-1, 0, nil, uintptr(bytes), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return device.Pointer{}, fmt.Errorf("%w: the system refused %s: %v", fault.ErrOutOfMemory, formatBytes(int64(bytes)), err)
	}
	if bytes >= hugePage {
		adviseHugePages(p, bytes)
	}
	return device.Pointer{Host: p}, nil
}

// Free implements source.
func (hostSource) Free(p device.Pointer, bytes int) {
	if err := unix.MunmapPtr(unsafe.Pointer(p.Host), uintptr(bytes)); err != nil {
		panic(fmt.Sprintf("storage: unmapping %d bytes at %p: %v", bytes, p.Host, err))
	}
}

// Discard implements discarding. What shares a page of the system with other memory is left as it is.
func (hostSource) Discard(p device.Pointer, bytes int) {
	if lo, hi := wholePages(uintptr(p.Host), bytes, pageSize); lo < hi {
		discardPages(unsafe.Add(p.Host, lo), hi-lo)
	}
}

// wholePages returns the part of so many bytes at an address that is made of pages of the given size.
func wholePages(address uintptr, bytes, page int) (lo, hi int) {
	offset := int(address % uintptr(page))
	return roundUp(offset, page) - offset, (offset+bytes)/page*page - offset
}
