package storage

import (
	"errors"

	"golang.org/x/sys/unix"
)

// seals make memory keep its size, whoever has it: a mapping without memory behind it kills the process that touches it.
const seals = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL

// newSharedFile returns a descriptor of new memory, all zeros.
func newSharedFile(bytes int) (descriptor int, err error) {
	const flags = unix.MFD_CLOEXEC | unix.MFD_ALLOW_SEALING
	descriptor, err = unix.MemfdCreate(sharedName, flags|unix.MFD_NOEXEC_SEAL)
	if errors.Is(err, unix.EINVAL) { // a kernel before 6.3
		descriptor, err = unix.MemfdCreate(sharedName, flags)
	}
	if err != nil {
		return 0, openFiles(err)
	}
	if err = unix.Ftruncate(descriptor, int64(bytes)); err == nil {
		_, err = unix.FcntlInt(uintptr(descriptor), unix.F_ADD_SEALS, seals)
	}
	if err != nil {
		closeDescriptor(descriptor)
	}
	return descriptor, err
}

// checkSharedFile returns an error unless the file is memory of at least bytes bytes that cannot shrink. Huge pages are refused
// too: they are unmapped as a whole only, and run out at a touch.
func checkSharedFile(descriptor, bytes int) error {
	var system unix.Statfs_t
	if err := unix.Fstatfs(descriptor, &system); err != nil {
		return err
	}
	if system.Type != unix.TMPFS_MAGIC {
		return malformed("the descriptor is not of memory")
	}
	found, err := unix.FcntlInt(uintptr(descriptor), unix.F_GET_SEALS, 0)
	if err != nil || found&unix.F_SEAL_SHRINK == 0 {
		return malformed("the memory can be taken away: it is not sealed")
	}
	return checkSize(descriptor, bytes)
}
