package storage

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// adviseHugePages asks for large pages. A kernel without them refuses, which costs speed and nothing else.
func adviseHugePages(p unsafe.Pointer, bytes int) {
	_ = unix.Madvise(unsafe.Slice((*byte)(p), bytes), unix.MADV_HUGEPAGE)
}

// discardPages gives the memory behind pages back. They read as zero, and get memory again when they are touched. A kernel that
// refuses keeps it.
func discardPages(p unsafe.Pointer, bytes int) {
	_ = unix.Madvise(unsafe.Slice((*byte)(p), bytes), unix.MADV_DONTNEED)
}
