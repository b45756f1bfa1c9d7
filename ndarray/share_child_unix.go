//go:build unix

package ndarray

import (
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// connected returns two ends of a new stream.
func connected() (own *net.UnixConn, theirs *os.File, err error) {
	syscall.ForkLock.RLock() // a process that is started meanwhile would have both
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(ends[0])
		unix.CloseOnExec(ends[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, err
	}
	theirs = os.NewFile(uintptr(ends[1]), "child")
	if own, err = connectionOf(os.NewFile(uintptr(ends[0]), "parent")); err != nil {
		theirs.Close()
	}
	return own, theirs, err
}
