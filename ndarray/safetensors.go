package ndarray

import (
	"errors"
	"fmt"
	"io"
	"os"
	"unicode/utf8"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/storage"
)

// WriteSafetensors writes named arrays, and texts about them, in the safetensors format of Hugging Face, the bytes that its reference
// implementation writes: larger elements first, then by name. Metadata may be nil. See WriteNPY for waiting and errors; after an error
// the output is incomplete. It panics with *Error on an array of complex128, which the format does not have, on names that are no
// UTF-8 or __metadata__, and if w is nil.
//
// Source of the format: https://huggingface.co/docs/safetensors.
func WriteSafetensors(w io.Writer, arrays map[string]*Array, metadata map[string]string) error {
	checkWriter("WriteSafetensors", w)
	checkSafetensors("WriteSafetensors", arrays, metadata)
	return fileError("WriteSafetensors", writeSafetensors(w, arrays, metadata))
}

// SaveSafetensors writes named arrays to the file at path, as WriteSafetensors does. The file is replaced as a whole: see SaveNPY. So
// arrays that LoadSafetensors has from that file stay what they are.
func SaveSafetensors(path string, arrays map[string]*Array, metadata map[string]string) error {
	checkSafetensors("SaveSafetensors", arrays, metadata)
	err := replaceFile(path, func(file *os.File) error { return writeSafetensors(file, arrays, metadata) })
	return fileError("SaveSafetensors", atPath(path, err))
}

func checkSafetensors(operator string, arrays map[string]*Array, metadata map[string]string) {
	for name, a := range arrays {
		checkNotNil(operator, a)
		if name == metadataKey || !utf8.ValidString(name) {
			fail(operator, fault.ErrParameter, fmt.Sprintf("%q is no name for an array in the safetensors format", name), a)
		}
		if safetensorsPlace(a.DType()) < 0 {
			fail(operator, fault.ErrDType, "the safetensors format has no "+a.DType().String(), a)
		}
	}
	for key, value := range metadata {
		if !utf8.ValidString(key) || !utf8.ValidString(value) {
			fail(operator, fault.ErrParameter, fmt.Sprintf("the metadata %q: %q are no UTF-8", key, value))
		}
	}
}

func writeSafetensors(w io.Writer, arrays map[string]*Array, metadata map[string]string) error {
	entries := make([]safetensorsEntry, 0, len(arrays))
	for name, a := range arrays {
		entries = append(entries, safetensorsEntry{name: name, dtype: a.DType(), shape: a.Shape()})
	}
	start, err := encodeSafetensors(entries, metadata)
	if err != nil {
		return err
	}
	if _, err := w.Write(start); err != nil {
		return err
	}
	for _, e := range entries {
		if err := writeElements(w, arrays[e.name], false); err != nil {
			return err
		}
	}
	return nil
}

// ReadSafetensors reads the arrays of a file in the safetensors format into the default Env, and its metadata, nil if
// it has none; and nothing of r behind them. A header that is malformed, or has holes, overlaps, equal keys, unknown
// element types, or sizes that do not fit, gives an error with ErrFormat, an input that ends early also with
// io.ErrUnexpectedEOF. Memory is taken as in ReadNPY.
func ReadSafetensors(r io.Reader) (arrays map[string]*Array, metadata map[string]string, err error) {
	checkReader("ReadSafetensors", r)
	arrays, metadata, err = readSafetensors(DefaultEnv(), r)
	return arrays, metadata, fileError("ReadSafetensors", err)
}

// ReadSafetensorsIn is ReadSafetensors for arrays in env.
func ReadSafetensorsIn(env *Env, r io.Reader) (arrays map[string]*Array, metadata map[string]string, err error) {
	checkEnv("ReadSafetensorsIn", env)
	checkReader("ReadSafetensorsIn", r)
	arrays, metadata, err = readSafetensors(env, r)
	return arrays, metadata, fileError("ReadSafetensorsIn", err)
}

func readSafetensors(env *Env, r io.Reader) (map[string]*Array, map[string]string, error) {
	sure := int64(-1)
	entries, metadata, _, err := readSafetensorsHeader(r)
	if err != nil {
		return nil, nil, err
	}
	arrays := make(map[string]*Array, len(entries))
	for _, e := range entries {
		if sure = remaining(r); err == nil {
			arrays[e.name], err = e.read(env, r, sure)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return arrays, metadata, nil
}

// read returns the array, whose elements come next from r.
func (e safetensorsEntry) read(env *Env, r io.Reader, sure int64) (*Array, error) {
	a, err := readElements(env, r, e.dtype, e.shape, sure, npyHeader{dtype: e.dtype, swapped: machineOrder != "<"}.mend)
	if err != nil {
		err = fmt.Errorf("array %q: %w", e.name, err)
	}
	return a, err
}

// LoadSafetensors returns the arrays in the file at path, and its metadata; see ReadSafetensors, and nothing may be behind the arrays.
//
// Where the system can (Linux, macOS), nothing is copied: the arrays are on a private mapping of the file. Pages are read when an operation
// first touches them, and the system may drop them again, so that models may be larger than memory; what is written to an array does not
// reach the file. The mapping ends with the last of its arrays. Arrays of bool, which are checked, and those that are not aligned in the
// file, are copies.
//
// The file must not be modified while it is mapped; replacing it, as SaveSafetensors does, is safe. If it is made shorter,
// operations that touch what is gone have an error that wraps io.ErrUnexpectedEOF and names the file.
func LoadSafetensors(path string) (arrays map[string]*Array, metadata map[string]string, err error) {
	arrays, metadata, err = loadSafetensors(DefaultEnv(), path)
	return arrays, metadata, fileError("LoadSafetensors", atPath(path, err))
}

// LoadSafetensorsIn is LoadSafetensors for arrays in env. Operators on another device than a CPU copy there what they touch.
func LoadSafetensorsIn(env *Env, path string) (arrays map[string]*Array, metadata map[string]string, err error) {
	checkEnv("LoadSafetensorsIn", env)
	arrays, metadata, err = loadSafetensors(env, path)
	return arrays, metadata, fileError("LoadSafetensorsIn", atPath(path, err))
}

func loadSafetensors(env *Env, path string) (map[string]*Array, map[string]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	size, regular := regularSize(file)
	if !regular {
		return readSafetensors(env, file)
	}
	entries, metadata, length, err := readSafetensorsHeader(file)
	if err != nil {
		return nil, nil, err
	}
	wanted := int64(length)
	if len(entries) > 0 {
		wanted += int64(entries[len(entries)-1].hi)
	}
	if wanted != size {
		err := fmt.Errorf("the file has %d bytes, but its header tells of %d: %w", size, wanted, ErrFormat)
		if size < wanted {
			err = fmt.Errorf("%w: %w", err, io.ErrUnexpectedEOF)
		}
		return nil, nil, err
	}
	mapping, err := storage.MapFile(file, int(size))
	switch {
	case err == nil:
		defer mapping.Leave()
	case !errors.Is(err, errors.ErrUnsupported):
		return nil, nil, err
	}
	arrays := make(map[string]*Array, len(entries))
	for _, e := range entries {
		if arrays[e.name], err = e.load(env, file, mapping, length); err != nil {
			return nil, nil, err
		}
	}
	return arrays, metadata, nil
}

// load returns the array, on the mapping if there is one and it can be. The elements of the file begin at the given byte.
func (e safetensorsEntry) load(env *Env, file *os.File, mapping *storage.MappedFile, start int) (*Array, error) {
	lo, hi := start+e.lo, start+e.hi
	if mapping == nil || e.dtype == dtype.Bool || machineOrder != "<" || !mapping.IsAligned(lo, e.dtype.Size()) {
		return e.read(env, io.NewSectionReader(file, int64(lo), int64(hi-lo)), int64(hi-lo))
	}
	return onAll(env, mapping.Part(env.Engine(), lo, hi), e.dtype, e.shape), nil
}
