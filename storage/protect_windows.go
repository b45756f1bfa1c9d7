package storage

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

var protections = [...]uint32{reachNone: windows.PAGE_NOACCESS, reachRead: windows.PAGE_READONLY, reachWrite: windows.PAGE_READWRITE}

func protectPages(start unsafe.Pointer, bytes int, access reach) error {
	var before uint32
	return windows.VirtualProtect(uintptr(start), uintptr(bytes), protections[access], &before)
}
