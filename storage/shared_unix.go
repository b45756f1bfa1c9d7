//go:build unix

package storage

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	"golang.org/x/sys/unix"
)

// sharedName is what the memory is called where it has to have a name, as in /proc/*/maps: "/memfd:weft (deleted)".
const sharedName = "weft"

func mapShared(descriptor, bytes int) (unsafe.Pointer, error) {
	return unix.MmapPtr(descriptor, 0, nil, uintptr(bytes), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
}

func unmapShared(p unsafe.Pointer, bytes int) error { return unix.MunmapPtr(p, uintptr(bytes)) }

func closeDescriptor(descriptor int) { _ = unix.Close(descriptor) }

// SharedFile returns the file behind data, which must be all of an allocation on cpu_shared. The caller closes it. Too many open
// files are an error that wraps fault.ErrOutOfMemory.
func SharedFile(data []byte) (*os.File, error) {
	if err := receiving.makeRoom(); err != nil {
		return nil, err
	}
	mappings.Lock()
	defer mappings.Unlock()
	descriptor, found := mappings.descriptors[unsafe.Pointer(unsafe.SliceData(data))]
	if !found {
		return nil, fmt.Errorf("%w: the memory is not shared", fault.ErrMisuse)
	}
	own, err := unix.FcntlInt(uintptr(descriptor), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, refusedShared(len(data), openFiles(err))
	}
	return os.NewFile(uintptr(own), sharedName), nil
}

// receiveBlock returns the memory of a file that another process sent, and becomes the owner of its descriptor. The file is not
// trusted: memory that could vanish while it is used is refused.
func receiveBlock(descriptor, bytes int) (*Block, error) {
	if relief := received.pressure(bytes); relief != nil {
		<-relief
	}
	err := checkSharedFile(descriptor, bytes)
	var p device.Pointer
	if err == nil {
		p, err = sharedSource{}.adopt(descriptor, bytes)
	}
	if err != nil {
		closeDescriptor(descriptor)
		return nil, err
	}
	return received.lend(receiving.naive.adopt(receiving, p, bytes), fault.Here(1)), nil
}

// makeRoom makes sure that the process may have one descriptor and one mapping more. It may wait for the collector.
func (m *shared) makeRoom() error {
	if m.grown() {
		<-collector.request()
	}
	err := room()
	if err != nil {
		<-collector.request()
		err = room()
	}
	return err
}

func room() error {
	mappings.Lock()
	defer mappings.Unlock()
	err := probeDescriptor()
	if len(mappings.descriptors) >= sharedLimit {
		err = errSharedLimit
	}
	if err != nil {
		return fmt.Errorf("%w: no room for an array in shared memory: %w", fault.ErrOutOfMemory, err)
	}
	return nil
}

// probeDescriptor returns an error if the process may not have one descriptor more.
func probeDescriptor() error {
	descriptor, err := unix.Open(os.DevNull, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	switch {
	case err == nil:
		closeDescriptor(descriptor)
	case errors.Is(err, unix.EMFILE), errors.Is(err, unix.ENFILE):
		return openFiles(err)
	}
	return nil
}

// checkSize returns an error unless the file is an ordinary one with at least bytes bytes.
func checkSize(descriptor, bytes int) error {
	var status unix.Stat_t
	if err := unix.Fstat(descriptor, &status); err != nil {
		return err
	}
	if status.Mode&unix.S_IFMT != unix.S_IFREG {
		return malformed("the descriptor is not of memory")
	}
	if status.Size < int64(bytes) {
		return malformed("the memory has %d bytes, not %d", status.Size, bytes)
	}
	return nil
}

// openFiles adds the limit to an error about too many open files.
func openFiles(err error) error {
	var limit unix.Rlimit
	if errors.Is(err, unix.EMFILE) && unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) == nil {
		return fmt.Errorf("%w: this process may have %d, and every array in shared memory takes one (ulimit -n)", err, limit.Cur)
	}
	return err
}
