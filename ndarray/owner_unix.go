//go:build unix

package ndarray

import (
	"io/fs"
	"os"
	"syscall"
)

// giveTo gives file to the owner and the group of another, as far as the process may.
func giveTo(other fs.FileInfo, file *os.File) {
	owner, known := other.Sys().(*syscall.Stat_t)
	if known && file.Chown(int(owner.Uid), int(owner.Gid)) != nil {
		_ = file.Chown(-1, int(owner.Gid)) // Many may choose among their groups, and few an owner.
	}
}
