package storage

import (
	"runtime"
	"runtime/debug"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// residentPages returns how many pages of memory, which begins with one, are resident.
func residentPages(t *testing.T, memory []byte) (count int) {
	pages := make([]byte, len(memory)/pageSize)
	_, _, err := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(unsafe.SliceData(memory))), uintptr(len(pages)*pageSize),
		uintptr(unsafe.Pointer(unsafe.SliceData(pages))))
	require.Zero(t, err)
	for _, page := range pages {
		count += int(page & 1)
	}
	return count
}

func TestBallastTakesNoMemory(t *testing.T) {
	if LoadBallast(); len(ballast) == 0 {
		t.Skip("the process has no ballast")
	}
	// A large page of the system may reach over an end of the ballast.
	const largePage = 2 << 20
	inner := ballast[min(largePage, len(ballast)/4):][:len(ballast)/2]
	for range 3 {
		runtime.GC()
	}
	debug.FreeOSMemory()
	require.Zero(t, residentPages(t, inner))
}
