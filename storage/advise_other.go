//go:build unix && !linux

package storage

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

func adviseHugePages(unsafe.Pointer, int) {}

// discardPages tells that nobody wants the contents of pages any more. A system that refuses keeps them.
func discardPages(p unsafe.Pointer, bytes int) {
	_ = unix.Madvise(unsafe.Slice((*byte)(p), bytes), unix.MADV_FREE)
}
