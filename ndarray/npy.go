package ndarray

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/ops"
	"github.com/weft-nd/weft/storage"
)

// WriteNPY writes a in NumPy's npy format, version 1.0, row-major. It waits for a (first call Wait to do so with a
// context), and returns the error that sticks to a, that of w, or one with fault.ErrDType for bfloat16, which NumPy has
// not.
func WriteNPY(w io.Writer, a *Array) error {
	checkNotNil("WriteNPY", a)
	return writeNPY("WriteNPY", w, a)
}

func writeNPY(operator string, w io.Writer, a *Array) error {
	start, err := npyHeader{dtype: a.DType(), shape: a.tensor().Shape()}.encode()
	if err != nil {
		return fileError(operator, err)
	}
	// Elements are copied first: a writer may block for long, or depend on an operator that writes a.
	var elements []byte
	err = a.visit(context.Background(), engine.Read, false, func(data []byte) error {
		elements = bytes.Clone(data)
		return nil
	})
	if err != nil {
		return err
	}
	if _, err := w.Write(start); err != nil {
		return fileError(operator, err)
	}
	if _, err := w.Write(elements); err != nil {
		return fileError(operator, err)
	}
	return nil
}

// ReadNPY reads one array in NumPy's npy format, of any version, byte order and element type that weft has, and nothing of
// r behind it. An input that ends early gives an error with io.ErrUnexpectedEOF, one that is malformed an error with
// ErrFormat. Memory is taken as elements arrive, not as the header announces them.
func ReadNPY(r io.Reader) (*Array, error) {
	a, err := readNPY(r)
	if err != nil {
		return nil, fileError("ReadNPY", err)
	}
	return a, nil
}

func readNPY(r io.Reader) (*Array, error) {
	h, err := readHeader(r)
	if err != nil {
		return nil, err
	}
	count := storage.Count(h.shape)
	size := count * h.dtype.Size()
	var elements bytes.Buffer
	if read, err := io.CopyN(&elements, r, int64(size)); err != nil {
		if err == io.EOF {
			err = fmt.Errorf("%d of %d bytes of elements are there: %w", read, size, io.ErrUnexpectedEOF)
		}
		return nil, err
	}
	data := elements.Bytes()
	if h.swapped {
		swap(data, h.dtype)
	}
	if h.dtype == dtype.Bool {
		for i, b := range data {
			data[i] = min(b, 1)
		}
	}
	var a *Array
	if h.columns {
		slices.Reverse(h.shape)
	}
	if err := Try(func() { a = (*Array)(ops.FromBytes(DefaultEnv(), h.dtype, data, h.shape)) }); err != nil {
		return nil, err
	}
	if h.columns {
		a = a.T()
	}
	return a, nil
}

// swap reverses the bytes of every element, or of its real and imaginary parts.
func swap(data []byte, d dtype.DType) {
	size := d.Size()
	if d.Kind() == dtype.KindComplex {
		size /= 2
	}
	for part := range slices.Chunk(data, size) {
		slices.Reverse(part)
	}
}

// fileError returns err as the error of a function that reads or writes files.
func fileError(operator string, err error) error {
	return &Error{Operator: operator, Detail: err.Error(), Cause: err, Site: fault.Here(1)}
}
