//go:build !unix

package ndarray

import (
	"io/fs"
	"os"
)

// giveTo leaves file to whom the system gives it.
func giveTo(fs.FileInfo, *os.File) {}
