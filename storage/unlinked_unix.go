//go:build unix

package storage

import (
	"os"

	"golang.org/x/sys/unix"
)

// zeroChunk is how much of a file is written at a time.
const zeroChunk = 1 << 20

// newUnlinkedFile returns a descriptor of a new file of zeros in the folder for temporary files, which has no name: it is gone
// with its last user, however that ends. All of it is written, because a mapping kills the process that touches it where the
// disk is full.
func newUnlinkedFile(bytes int) (descriptor int, err error) {
	file, err := os.CreateTemp("", sharedName+"-")
	if err != nil {
		return 0, openFiles(err)
	}
	defer file.Close()
	if err := os.Remove(file.Name()); err != nil {
		return 0, err
	}
	if err := unix.Ftruncate(int(file.Fd()), int64(bytes)); err != nil { // refuses absurd sizes before anything is written
		return 0, err
	}
	zeros := make([]byte, min(bytes, zeroChunk))
	for done := 0; done < bytes; done += len(zeros) {
		if _, err := file.WriteAt(zeros[:min(len(zeros), bytes-done)], int64(done)); err != nil {
			return 0, err
		}
	}
	descriptor, err = unix.FcntlInt(file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	return descriptor, openFiles(err)
}
