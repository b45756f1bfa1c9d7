package ndarray

import (
	"archive/zip"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// SaveNPZ writes named arrays in NumPy's npz format: an uncompressed zip archive of npy files, sorted by name, equal for
// equal arrays. See WriteNPY for waiting and errors; after an error the output is incomplete.
func SaveNPZ(w io.Writer, arrays map[string]*Array) error {
	archive := zip.NewWriter(w)
	for _, name := range slices.Sorted(maps.Keys(arrays)) {
		checkNotNil("SaveNPZ", arrays[name])
		member, err := archive.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: zip.Store})
		if err != nil {
			return fileError("SaveNPZ", err)
		}
		if err := writeNPY("SaveNPZ", member, arrays[name]); err != nil {
			return err
		}
	}
	if err := archive.Close(); err != nil {
		return fileError("SaveNPZ", err)
	}
	return nil
}

// LoadNPZ reads all arrays of an npz file of the given size in bytes, compressed or not, by name. See ReadNPY for errors;
// checksums are verified.
func LoadNPZ(r io.ReaderAt, size int64) (map[string]*Array, error) {
	archive, err := zip.NewReader(r, size)
	if err != nil {
		return nil, fileError("LoadNPZ", fmt.Errorf("%w: %w", ErrFormat, err))
	}
	arrays := make(map[string]*Array)
	for _, member := range archive.File {
		name, isArray := strings.CutSuffix(member.Name, ".npy")
		if !isArray || arrays[name] != nil {
			return nil, fileError("LoadNPZ", fmt.Errorf("member %q is no array, or there twice: %w", member.Name, ErrFormat))
		}
		if arrays[name], err = loadMember(member); err != nil {
			return nil, fileError("LoadNPZ", fmt.Errorf("member %q: %w", member.Name, err))
		}
	}
	return arrays, nil
}

func loadMember(member *zip.File) (*Array, error) {
	contents, err := member.Open()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	defer contents.Close()
	a, err := readNPY(contents)
	if err != nil {
		return nil, err
	}
	// The checksum is verified at the end of the member.
	switch n, err := contents.Read(make([]byte, 1)); {
	case n > 0:
		return nil, fmt.Errorf("there is more than one array in it: %w", ErrFormat)
	case err != io.EOF:
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return a, nil
}
