package ndarray

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/weft-nd/weft/fault"
)

// NPZOption changes how an npz file is written.
type NPZOption func(*npzOptions)

type npzOptions struct{ method uint16 }

// Compressed makes WriteNPZ and SaveNPZ compress, as numpy.savez_compressed does.
func Compressed() NPZOption { return func(o *npzOptions) { o.method = zip.Deflate } }

// WriteNPZ writes named arrays in NumPy's npz format: a zip archive of npy files, sorted by name, equal for equal arrays. It is not
// compressed unless the option Compressed is given. See WriteNPY for waiting and errors; after an error the output is incomplete. It
// panics with *Error if a name is no relative path, see ReadNPZ, or w or an option is nil.
func WriteNPZ(w io.Writer, arrays map[string]*Array, options ...NPZOption) error {
	checkWriter("WriteNPZ", w)
	checkNPZ("WriteNPZ", arrays, options)
	return fileError("WriteNPZ", writeNPZ(w, arrays, options, false))
}

// SaveNPZ writes named arrays to the file at path, as WriteNPZ does, and panics as that does. The file is replaced as a whole: see SaveNPY.
func SaveNPZ(path string, arrays map[string]*Array, options ...NPZOption) error {
	checkNPZ("SaveNPZ", arrays, options)
	err := replaceFile(path, func(file *os.File) error { return writeNPZ(file, arrays, options, true) })
	return fileError("SaveNPZ", atPath(path, err))
}

func checkNPZ(operator string, arrays map[string]*Array, options []NPZOption) {
	for name, a := range arrays {
		checkNotNil(operator, a)
		if !isLocal(name) {
			fail(operator, fault.ErrParameter, fmt.Sprintf("%q is no name for an array in an archive", name), a)
		}
	}
	for i, option := range options {
		if option == nil {
			fail(operator, fault.ErrMisuse, fmt.Sprintf("option %d is nil", i))
		}
	}
}

// isLocal reports whether name stays in the folder that an archive is unpacked to, on every system.
func isLocal(name string) bool {
	return fs.ValidPath(name) && name != "." && !strings.ContainsAny(name, "\\\x00")
}

func writeNPZ(w io.Writer, arrays map[string]*Array, options []NPZOption, direct bool) error {
	chosen := npzOptions{method: zip.Store}
	for _, option := range options {
		option(&chosen)
	}
	archive := zip.NewWriter(w)
	for _, name := range slices.Sorted(maps.Keys(arrays)) {
		member, err := archive.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: chosen.method})
		if err == nil {
			err = writeNPY(member, arrays[name], direct)
		}
		if err != nil {
			return err
		}
	}
	return archive.Close()
}

// ReadNPZ reads all arrays of an npz file of the given size in bytes, compressed or not, by name, into the default Env.
// See ReadNPY for errors; checksums are verified. A name that leads out of the folder that the archive could be
// unpacked to, such as ../a or /a, members that are there twice or lie over each other, and what is no array, give an
// error with ErrFormat.
func ReadNPZ(r io.ReaderAt, size int64) (map[string]*Array, error) {
	checkReader("ReadNPZ", r)
	arrays, err := readNPZ(DefaultEnv(), r, size)
	return arrays, fileError("ReadNPZ", err)
}

// ReadNPZIn is ReadNPZ for arrays in env.
func ReadNPZIn(env *Env, r io.ReaderAt, size int64) (map[string]*Array, error) {
	checkEnv("ReadNPZIn", env)
	checkReader("ReadNPZIn", r)
	arrays, err := readNPZ(env, r, size)
	return arrays, fileError("ReadNPZIn", err)
}

// LoadNPZ reads all arrays of the npz file at path; see ReadNPZ.
func LoadNPZ(path string) (map[string]*Array, error) {
	arrays, err := loadNPZ(DefaultEnv(), path)
	return arrays, fileError("LoadNPZ", atPath(path, err))
}

// LoadNPZIn is LoadNPZ for arrays in env.
func LoadNPZIn(env *Env, path string) (map[string]*Array, error) {
	checkEnv("LoadNPZIn", env)
	arrays, err := loadNPZ(env, path)
	return arrays, fileError("LoadNPZIn", atPath(path, err))
}

func loadNPZ(env *Env, path string) (map[string]*Array, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	return readNPZ(env, file, info.Size())
}

func readNPZ(env *Env, r io.ReaderAt, size int64) (map[string]*Array, error) {
	archive, err := zip.NewReader(io.NewSectionReader(r, 0, size), size) // which sees to it that offsets are within
	if errors.Is(err, zip.ErrFormat) && isCut(r, size) {
		err = fmt.Errorf("%w: its end is missing: %w", err, io.ErrUnexpectedEOF)
	}
	if err != nil {
		return nil, damaged(err)
	}
	arrays, left := make(map[string]*Array), uint64(size)
	for _, member := range archive.File {
		name, isArray := strings.CutSuffix(member.Name, ".npy")
		if !isArray || !isLocal(name) || arrays[name] != nil {
			return nil, fmt.Errorf("member %q is no array, has no safe name, or is there twice: %w", member.Name, ErrFormat)
		}
		if member.CompressedSize64 > left { // Members that share bytes could make any amount of memory out of a small file.
			return nil, fmt.Errorf("member %q lies over others, or behind the end: %w", member.Name, ErrFormat)
		}
		left -= member.CompressedSize64
		if arrays[name], err = readMember(env, member); err != nil {
			return nil, fmt.Errorf("member %q: %w", member.Name, err)
		}
	}
	return arrays, nil
}

// isCut reports whether what is no zip archive begins as one, or has no bytes, and lacks the record that ends it.
func isCut(r io.ReaderAt, size int64) bool {
	const (
		member, ending = "PK\x03\x04", "PK\x05\x06" // what these records begin with
		record         = 22                         // bytes of the second without its comment, which has at most as many as 16 bits count
	)
	start, end := make([]byte, min(size, int64(len(member)))), make([]byte, min(size, record+math.MaxUint16))
	_, first := io.ReadFull(io.NewSectionReader(r, 0, size), start)
	_, last := io.ReadFull(io.NewSectionReader(r, size-int64(len(end)), size), end)
	if first != nil || last != nil {
		return false
	}
	begins := strings.HasPrefix(member, string(start)) || strings.HasPrefix(ending, string(start))
	return begins && !bytes.Contains(end[:max(len(end)-record+len(ending), 0)], []byte(ending))
}

func readMember(env *Env, member *zip.File) (*Array, error) {
	contents, err := member.Open()
	if err != nil {
		return nil, damaged(err)
	}
	defer contents.Close()
	sure := int64(-1)
	if member.Method == zip.Store && member.CompressedSize64 == member.UncompressedSize64 { // as many bytes as the file has
		sure = int64(member.CompressedSize64)
	}
	a, err := readNPY(env, contents, sure)
	if err != nil {
		return nil, damaged(err)
	}
	// The checksum is verified at the end of the member.
	switch n, err := contents.Read(make([]byte, 1)); {
	case n > 0:
		return nil, fmt.Errorf("there is more than one array in it: %w", ErrFormat)
	case err != io.EOF:
		return nil, damaged(err)
	}
	return a, nil
}

// damaged returns err with ErrFormat where it tells of what is in the archive, and not of reading it.
func damaged(err error) error {
	for _, reason := range []error{zip.ErrFormat, zip.ErrAlgorithm, zip.ErrChecksum, io.EOF, io.ErrUnexpectedEOF} {
		if errors.Is(err, reason) {
			return fmt.Errorf("%w: %w", ErrFormat, err)
		}
	}
	if errors.As(err, new(flate.CorruptInputError)) {
		return fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return err
}
