//go:build linux || darwin

package ndarray

import (
	"os"

	"golang.org/x/sys/unix"
)

// claimsFiles tells that a file which is being written is locked until it has its name, so that one which is not was abandoned.
const claimsFiles = true

// claim locks file, and reports whether nobody else has, and name still is its name.
func claim(file *os.File, name string) bool {
	if unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		return false
	}
	own, err := file.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(name)
	return err == nil && os.SameFile(own, named)
}

// removeAbandoned removes the file of the given name if it was left by a process that ended while it wrote, and reports whether it did.
func removeAbandoned(name string) bool {
	file, err := os.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer file.Close() // Until then nobody else takes it for abandoned.
	return claim(file, name) && os.Remove(name) == nil
}
