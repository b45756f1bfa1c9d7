package ndarray

import (
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
// new one as a whole: it is written beside, made durable, and renamed. Its permissions stay, and a link stays one. After an error
// nothing is left of the new one. What is no regular file, such as a pipe, is written as it is.
func replaceFile(path string, write func(file *os.File) error) error {
	if _, err := os.Lstat(path); err == nil {
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return err
		}
	}
	permissions, existing, err := inspect(path)
	if err != nil {
		return err
	}
	if existing != nil {
		return errors.Join(write(existing), existing.Close())
	}
	file, err := createBeside(path)
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
	if permissions != 0 {
		if err := file.Chmod(permissions); err != nil {
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
	return syncFolder(filepath.Dir(path))
}

// inspect returns the permissions of the file at path, zero if there is none; and the file, open for writing, if it is no regular
// one. A file that may not be written is an error: it is not to be replaced either.
func inspect(path string) (permissions fs.FileMode, irregular *os.File, err error) {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil, nil
	}
	if err != nil {
		return 0, nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		return 0, file, nil
	}
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return 0, nil, err
	}
	return info.Mode().Perm(), nil, nil
}

// createBeside creates a file in the folder of path. Its name follows from path, so that what a process left that was killed while it
// wrote is found, and removed, by the next that writes there; several that write at a time have other names.
func createBeside(path string) (*os.File, error) {
	hash := fnv.New64a()
	io.WriteString(hash, filepath.Base(path))
	for number := hash.Sum64(); ; number = rand.Uint64() {
		name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".weft-%016x.tmp", number))
		file, err := createNew(name)
		if errors.Is(err, fs.ErrExist) && removeAbandoned(name) {
			file, err = createNew(name)
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

func createNew(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666) // as the umask allows
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
