package ndarray

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
)

// WriteNPY writes a in NumPy's npy format, version 1.0, the bytes that numpy.save writes: column-major if a is the transpose of a
// contiguous array, else row-major. NumPy has no bfloat16; it is written as two raw bytes, '<V2', which is how the Python package
// ml_dtypes saves it. WriteNPY waits for a (first call Wait to do so with a context), and returns the error that sticks to a, or that
// of w, or one with fault.ErrShape if a has more than 64 axes. It panics with *Error if w is nil.
func WriteNPY(w io.Writer, a *Array) error {
	checkNotNil("WriteNPY", a)
	checkWriter("WriteNPY", w)
	return fileError("WriteNPY", writeNPY(w, a, false))
}

// SaveNPY writes a to the file at path; see WriteNPY. The file is replaced as a whole when all of a is on disk, and keeps its
// permissions, and its owner where the process may set that; after an error it is what it was. What is no regular file, such as a pipe,
// is written as it is.
func SaveNPY(path string, a *Array) error {
	checkNotNil("SaveNPY", a)
	return fileError("SaveNPY", atPath(path, replaceFile(path, func(file *os.File) error { return writeNPY(file, a, false) })))
}

// writeNPY writes a; direct tells that w is a file in the end.
func writeNPY(w io.Writer, a *Array, direct bool) error {
	h := npyHeader{dtype: a.DType(), shape: a.Shape()}
	if !a.IsContiguous() {
		if h.columns = a.T().IsContiguous(); h.columns {
			a = a.T()
		}
	}
	start, err := h.encode()
	if err != nil {
		return err
	}
	if _, err := w.Write(start); err != nil {
		return err
	}
	return writeElements(w, a, direct)
}

// ReadNPY reads one array in NumPy's npy format, of any version, byte order and element type that weft has, and nothing
// of r behind it, into the default Env. Raw elements of two bytes, 'V2', are taken for bfloat16: see WriteNPY. An input
// that is malformed gives an error with ErrFormat, one that ends early also with io.ErrUnexpectedEOF. Memory is taken
// as elements arrive, not as the header announces them; an array that is larger than the limit of the memory manager
// gives an error with fault.ErrOutOfMemory before its elements are read. ReadNPY panics with *Error if r is nil.
func ReadNPY(r io.Reader) (*Array, error) {
	checkReader("ReadNPY", r)
	a, err := readNPY(DefaultEnv(), r, remaining(r))
	return a, fileError("ReadNPY", err)
}

// ReadNPYIn is ReadNPY for an array in env.
func ReadNPYIn(env *Env, r io.Reader) (*Array, error) {
	checkEnv("ReadNPYIn", env)
	checkReader("ReadNPYIn", r)
	a, err := readNPY(env, r, remaining(r))
	return a, fileError("ReadNPYIn", err)
}

// LoadNPY reads the array in the file at path; see ReadNPY.
func LoadNPY(path string) (*Array, error) {
	a, err := loadNPY(DefaultEnv(), path)
	return a, fileError("LoadNPY", atPath(path, err))
}

// LoadNPYIn is LoadNPY for an array in env.
func LoadNPYIn(env *Env, path string) (*Array, error) {
	checkEnv("LoadNPYIn", env)
	a, err := loadNPY(env, path)
	return a, fileError("LoadNPYIn", atPath(path, err))
}

func loadNPY(env *Env, path string) (*Array, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readNPY(env, file, remaining(file))
}

// readNPY reads one array in env from r, which is known to have so many bytes; negative if that is not known.
func readNPY(env *Env, r io.Reader, sure int64) (*Array, error) {
	h, length, err := readHeader(r)
	if err != nil {
		return nil, err
	}
	if h.columns {
		slices.Reverse(h.shape)
	}
	if sure >= 0 {
		sure = max(sure-int64(length), 0)
	}
	a, err := readElements(env, r, h.dtype, h.shape, sure, h.mend)
	if err == nil && h.columns {
		a = a.T()
	}
	return a, err
}

// mend makes the elements of a file those of an array.
func (h npyHeader) mend(data []byte) {
	if h.swapped {
		swap(data, h.dtype)
	}
	if h.dtype == dtype.Bool {
		mendBools(data)
	}
}

// mendBools makes true of what is not zero.
func mendBools(data []byte) {
	for i, b := range data {
		data[i] = min(b, 1)
	}
}

// MarshalBinary implements encoding.BinaryMarshaler, and so serves encoding/gob: it returns the npy file of a. See WriteNPY.
func (a *Array) MarshalBinary() ([]byte, error) {
	checkNotNil("MarshalBinary", a)
	var file bytes.Buffer
	if err := writeNPY(&file, a, true); err != nil {
		return nil, fileError("MarshalBinary", err)
	}
	return file.Bytes(), nil
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler: it makes a, which nobody else may use meanwhile, a handle on a
// new array with the contents of data, an npy file, in the Env that a had, or the default one if a is the zero Array.
// See ReadNPY for errors; bytes behind the array are one.
func (a *Array) UnmarshalBinary(data []byte) error {
	if a == nil {
		fail("UnmarshalBinary", fault.ErrMisuse, "the array is nil")
	}
	env := a.tensor().Env()
	if env == nil {
		env = DefaultEnv()
	}
	r := bytes.NewReader(data)
	read, err := readNPY(env, r, int64(len(data)))
	if err == nil && r.Len() > 0 {
		err = fmt.Errorf("%d bytes behind the array: %w", r.Len(), ErrFormat)
	}
	if err != nil {
		return fileError("UnmarshalBinary", err)
	}
	*a = *read
	return nil
}
