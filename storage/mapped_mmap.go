//go:build linux || darwin

package storage

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// mapPrivate maps a file copy-on-write. No memory is set aside for copies: a model may be larger than it.
func mapPrivate(file *os.File, bytes int) ([]byte, error) {
	memory, err := unix.Mmap(int(file.Fd()), 0, bytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if errors.Is(err, unix.ENODEV) {
		err = fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
	}
	return memory, err
}

func unmapPrivate(memory []byte) error { return unix.Munmap(memory) }
