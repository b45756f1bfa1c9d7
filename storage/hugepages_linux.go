package storage

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// adviseHugePages asks for large pages. A kernel without them refuses, which costs speed and nothing else.
func adviseHugePages(p unsafe.Pointer, bytes int) {
	_ = unix.Madvise(unsafe.Slice((*byte)(p), bytes), unix.MADV_HUGEPAGE)
}
