package ndarray

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// replaceFile writes the file at path by write, so that at every moment, whatever happens, there is the file from before or the
// new one as a whole: it is written beside, made durable, and renamed. Its permissions stay, its owner where the process may give files
// away, and a link stays one. Until then nobody else can read the new one if there was one before. After an error nothing is left of
// the new one. What is no regular file, such as a pipe, is written as it is.
func replaceFile(path string, write func(file *os.File) error) error {
	if path == "" {
		return &fs.PathError{Op: "open", Path: `""`, Err: syscall.ENOENT}
	}
	before, irregular, err := inspect(path)
	if err != nil {
		return err
	}
	if irregular != nil {
		return errors.Join(write(irregular), irregular.Close())
	}
	permissions := fs.FileMode(0o666) // as the umask allows
	if before == nil {
		path = followLinks(path)
	} else {
		permissions = before.Mode() & 0o700
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return err
		}
	}
	file, err := createBeside(path, permissions)
	if err != nil {
		return err
	}
	renamed := false
	defer func() {
		if !renamed { // Write may have panicked.
			file.Close()
			os.Remove(file.Name())
		}
	}()
	if err := write(file); err != nil {
		return err
	}
	if before != nil {
		giveTo(before, file)
		if err := file.Chmod(before.Mode().Perm()); err != nil {
			return err
		}
	}
	if err := file.Sync(); err != nil {
		return err
	}
	if !claimsFiles {
		if err := file.Close(); err != nil {
			return err
		}
	}
	if err := os.Rename(file.Name(), path); err != nil {
		return err
	}
	renamed = true
	if claimsFiles {
		if err := file.Close(); err != nil {
			return err
		}
	}
	folder, _ := filepath.Split(path)
	return syncFolder(cmp.Or(folder, "."))
}

// followLinks returns where the file would be made that path, which opens nothing, leads to by links. Paths are not cleaned: behind a link
// to a folder, ".." is the parent of that folder.
func followLinks(path string) string {
	for { // They end: else the error of opening is another.
		target, err := os.Readlink(path)
		if err != nil {
			return path
		}
		if !filepath.IsAbs(target) {
			folder, _ := filepath.Split(path)
			target = folder + target
		}
		path = target
	}
}

// inspect tells of the regular file at path, nil if there is none; what is no regular one it returns open for writing. A file that may not
// be written is an error: it is not to be replaced either.
func inspect(path string) (regular fs.FileInfo, irregular *os.File, err error) {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		return nil, file, nil
	}
	if closing := file.Close(); err == nil {
		err = closing
	}
	return info, nil, err
}

// createBeside creates a file in the folder of path. Its name follows from path, so that what a process left that was killed while it
// wrote is found, and removed, by the next that writes there; several that write at a time have other names.
func createBeside(path string, permissions fs.FileMode) (*os.File, error) {
	folder, last := filepath.Split(path)
	hash := fnv.New64a()
	io.WriteString(hash, last)
	for number := hash.Sum64(); ; number = rand.Uint64() {
		name := folder + fmt.Sprintf(".weft-%016x.tmp", number)
		file, err := createNew(name, permissions)
		if errors.Is(err, fs.ErrExist) && removeAbandoned(name) {
			file, err = createNew(name, permissions)
		}
		var refused *fs.PathError
		switch {
		case err == nil && claim(file, name):
			return file, nil
		case err == nil: // Somebody took it for abandoned.
			file.Close()
		case errors.Is(err, fs.ErrExist):
		case errors.As(err, &refused):
			return nil, &fs.PathError{Op: "create", Path: path, Err: refused.Err}
		default:
			return nil, err
		}
	}
}

func createNew(name string, permissions fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, permissions)
}

// syncFolder makes the names in a folder durable, where the system can.
func syncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := folder.Sync(); !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}
