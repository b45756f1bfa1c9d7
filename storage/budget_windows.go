package storage

import (
	"sync"
	"unsafe"

	"golang.org/x/sys/windows"
)

var globalMemoryStatus = windows.NewLazySystemDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx")

// memoryStatus is MEMORYSTATUSEX of the system.
type memoryStatus struct {
	length, load                                             uint32
	total, available, totalPageFile, availablePageFile       uint64
	totalVirtual, availableVirtual, availableExtendedVirtual uint64
}

// memoryOfHost returns the bytes of memory of the machine; zero if it does not tell.
var memoryOfHost = sync.OnceValue(func() int64 {
	status := memoryStatus{length: uint32(unsafe.Sizeof(memoryStatus{}))}
	if found, _, _ := globalMemoryStatus.Call(uintptr(unsafe.Pointer(&status))); found == 0 {
		return 0
	}
	return int64(status.total)
})
