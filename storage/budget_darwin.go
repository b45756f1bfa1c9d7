package storage

import (
	"sync"

	"golang.org/x/sys/unix"
)

// memoryOfHost returns the bytes of memory of the machine; zero if it does not tell.
var memoryOfHost = sync.OnceValue(func() int64 {
	total, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return 0
	}
	return int64(total)
})
