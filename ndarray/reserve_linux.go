package ndarray

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// worthReserving is how many bytes a write has from which room is reserved for it.
const worthReserving = 1 << 20

// reserve allocates room on the disk for so many bytes at the file's position, without changing its size. A file system that puts
// blocks off until they are written out, as ext4 does, writes a file that was truncated out as it is closed, and its next
// truncation waits for that; blocks that are there spare it both. That there is no room is told before a byte is written; that the file
// system reserves none is no error.
func reserve(file *os.File, size int64) error {
	const keepSize = 1 // FALLOC_FL_KEEP_SIZE of linux/falloc.h
	if size < worthReserving {
		return nil
	}
	position, err := file.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil // A pipe has no position, and no blocks.
	}
	connection, err := file.SyscallConn()
	if err != nil {
		return err
	}
	var refused error
	err = connection.Control(func(descriptor uintptr) {
		for refused = syscall.EINTR; refused == syscall.EINTR; {
			refused = syscall.Fallocate(int(descriptor), keepSize, position, size)
		}
	})
	for _, full := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		if errors.Is(refused, full) {
			return &os.PathError{Op: "fallocate", Path: file.Name(), Err: refused}
		}
	}
	return err
}
