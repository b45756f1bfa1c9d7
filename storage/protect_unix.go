//go:build unix

package storage

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

var protections = [...]int{reachNone: unix.PROT_NONE, reachRead: unix.PROT_READ, reachWrite: unix.PROT_READ | unix.PROT_WRITE}

func protectPages(start unsafe.Pointer, bytes int, access reach) error {
	return unix.Mprotect(unsafe.Slice((*byte)(start), bytes), protections[access])
}
