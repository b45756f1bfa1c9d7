package ndarray

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/bits"
	"os"
	"strings"
	"syscall"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/storage"
)

// trusted is how many bytes are allocated for a file that has not shown that it has them. An array that needs more is allocated when one
// in shownParts of its bytes has arrived.
const (
	trusted    = 1 << 20
	shownParts = 8
)

// readElements returns a new array in env of the elements that come next from r, which is known to have sure bytes; negative if that is not
// known. What is too large for the memory manager is refused before anything is read. Else only as much memory is taken as the file has
// proved to need. Mend changes what was read into elements.
func readElements(env *Env, r io.Reader, d dtype.DType, shape []int, sure int64, mend func(data []byte)) (*Array, error) {
	size := storage.Count(shape) * d.Size()
	short := func(read int, err error) error {
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			err = fmt.Errorf("%d of %d bytes of elements are there: %w: %w", read, size, ErrFormat, io.ErrUnexpectedEOF)
		}
		return err
	}
	if sure >= 0 && sure < int64(size) {
		return nil, short(int(sure), io.EOF)
	}
	host := device.CPU(0)
	if err := checkLimit(host, size); err != nil {
		return nil, tooLarge(d, shape, err)
	}
	var arrived [][]byte // pieces, so that none is copied while there are more
	for sure < 0 && size > trusted && len(arrived) < size/trusted/shownParts+1 {
		piece := make([]byte, trusted)
		n, err := io.ReadFull(r, piece)
		if err != nil {
			return nil, short(len(arrived)*trusted+n, err)
		}
		arrived = append(arrived, piece)
	}
	block, err := storage.NewBlockFor(env.Engine(), host, size)
	if err != nil {
		return nil, tooLarge(d, shape, err)
	}
	data, read := block.Pointer().Bytes(size), 0
	for i, piece := range arrived {
		read += copy(data[read:], piece)
		arrived[i] = nil
	}
	if n, err := io.ReadFull(r, data[read:]); err != nil {
		block.Release()
		return nil, short(read+n, err)
	}
	mend(data)
	return onAll(env, storage.NewSyncedFrom(env.Engine(), host, block, size), d, shape), nil
}

// checkLimit returns an error if no array of so many bytes can ever be on d.
func checkLimit(d device.Device, size int) error {
	manager, err := storage.ManagerOf(d)
	if err != nil {
		return err
	}
	if limit := manager.Limit(); limit > 0 && int64(size) > limit {
		return fmt.Errorf("%w: %d bytes are needed, and the memory manager of %v has a limit of %d", fault.ErrOutOfMemory, size, d, limit)
	}
	return nil
}

// tooLarge returns err with the array that there is no memory for.
func tooLarge(d dtype.DType, shape []int, err error) error {
	return fmt.Errorf("%v %s: %w", d, fault.FormatShape(shape), err)
}

// remaining returns how many bytes can be read from r; negative if it does not tell.
func remaining(r io.Reader) int64 {
	switch source := r.(type) {
	case *bytes.Reader:
		return int64(source.Len())
	case *bytes.Buffer:
		return int64(source.Len())
	case *strings.Reader:
		return int64(source.Len())
	case *os.File:
		if size, regular := regularSize(source); regular {
			if position, err := source.Seek(0, io.SeekCurrent); err == nil {
				return max(size-position, 0)
			}
		}
	}
	return -1
}

// regularSize returns the size of a file, if it is a regular one.
func regularSize(file *os.File) (size int64, regular bool) {
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return 0, false
	}
	return info.Size(), true
}

// writeElements writes the elements of a, which are contiguous. A writer in general may block for long, or depend on an operator
// that writes a: it gets a copy of them. A file does not.
func writeElements(w io.Writer, a *Array, direct bool) error {
	if file, isFile := w.(*os.File); isFile {
		if _, direct = regularSize(file); direct {
			if err := reserve(file, int64(a.Count()*a.DType().Size())); err != nil {
				return err
			}
		}
	}
	a = a.reading()
	if !direct {
		if err := a.Wait(context.Background()); err != nil {
			return err
		}
		a = a.Copy()
	}
	var refused error // by w; the error of the operation would be another
	err := a.visit(context.Background(), engine.Read, true, func(data []byte) error {
		if _, refused = w.Write(data); errors.Is(refused, syscall.EFAULT) {
			touch(data) // The system tells no more than that memory is gone; the fault of a touch is explained.
		}
		return nil
	})
	return cmp.Or(err, refused)
}

// touch reads a byte of every page of data.
//
//go:noinline
func touch(data []byte) (sum byte) {
	for i := 0; i < len(data); i += os.Getpagesize() {
		sum += data[i]
	}
	return sum
}

// checkReader fails if what is to be read from, an io.Reader or io.ReaderAt, is nil.
func checkReader(operator string, r any) {
	if r == nil {
		fail(operator, fault.ErrMisuse, "the reader is nil")
	}
}

// checkWriter fails if what is to be written to is nil.
func checkWriter(operator string, w io.Writer) {
	if w == nil {
		fail(operator, fault.ErrMisuse, "the writer is nil")
	}
}

// swap reverses the bytes of every element, or of its real and imaginary parts.
func swap(data []byte, d dtype.DType) {
	size := d.Size()
	if d.Kind() == dtype.KindComplex {
		size /= 2
	}
	switch order := binary.NativeEndian; size {
	case 2:
		for i := 0; i < len(data); i += 2 {
			order.PutUint16(data[i:], bits.ReverseBytes16(order.Uint16(data[i:])))
		}
	case 4:
		for i := 0; i < len(data); i += 4 {
			order.PutUint32(data[i:], bits.ReverseBytes32(order.Uint32(data[i:])))
		}
	case 8:
		for i := 0; i < len(data); i += 8 {
			order.PutUint64(data[i:], bits.ReverseBytes64(order.Uint64(data[i:])))
		}
	}
}

// fileError returns err as the error of a function that reads or writes files; what is an *Error of an operator stays what it is.
func fileError(operator string, err error) error {
	var sticky *Error
	if err == nil || errors.As(err, &sticky) {
		return err
	}
	return &Error{Operator: operator, Detail: err.Error(), Cause: err, Site: fault.Here(1)}
}

// atPath returns err with the path of the file that it is about.
func atPath(path string, err error) error {
	var known *fs.PathError
	if err == nil || errors.As(err, &known) || errors.As(err, new(*Error)) || errors.As(err, new(*os.LinkError)) {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}
