package data

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// ErrNoData is wrapped by the error of [LoadMNIST] when the folder does not exist or holds none of the four files.
var ErrNoData = errors.New("no MNIST files")

const (
	// The third byte of an IDX magic number is the element type (8: unsigned byte), the fourth the number of dimensions.
	imagesMagic = 0x00000803
	labelsMagic = 0x00000801

	// A header is not believed beyond this many elements.
	maximumElements = math.MaxInt32
	// Memory grows with the bytes that have arrived: by this step, then by doubling.
	readStep = 1 << 20
)

// Images is a set of grey images of one size, shape [Count, Rows, Columns].
type Images struct {
	Count, Rows, Columns int
	// Pixels holds Count*Rows*Columns bytes in row-major order; 0 is background, 255 full ink.
	Pixels []byte
}

// Digits is a set of images with their labels: image i shows the digit Labels[i], in 0..9.
type Digits struct {
	Images *Images
	Labels []byte
}

// ReadIDXImages reads all of r as an IDX file of unsigned-byte images (magic 0x00000803), gzipped or not: the gzip magic
// bytes decide. A truncated stream, bytes after the last pixel, a wrong magic number, a corrupt gzip stream, and sizes of
// zero or beyond 2³¹-1 pixels are errors, each an *nd.Error with nd.ErrFormat, of a truncated stream also with
// io.ErrUnexpectedEOF. Memory follows the bytes read, not the size that the header claims.
//
// Source of the format: Y. LeCun, C. Cortes, C. Burges, "The MNIST database of handwritten digits".
func ReadIDXImages(r io.Reader) (*Images, error) {
	images, err := readImages(r)
	return images, idxError("data.ReadIDXImages", err)
}

func readImages(r io.Reader) (*Images, error) {
	header, pixels, err := readIDX(r, imagesMagic, 3)
	if err != nil {
		return nil, err
	}
	return &Images{Count: header[0], Rows: header[1], Columns: header[2], Pixels: pixels}, nil
}

// ReadIDXLabels reads all of r as an IDX file of labels (magic 0x00000801), gzipped or not, one byte in 0..9 for each
// label. Its errors are those of [ReadIDXImages], and a label out of range, named by its position from zero.
func ReadIDXLabels(r io.Reader) ([]byte, error) {
	labels, err := readLabels(r)
	return labels, idxError("data.ReadIDXLabels", err)
}

func readLabels(r io.Reader) ([]byte, error) {
	_, labels, err := readIDX(r, labelsMagic, 1)
	if err == nil {
		err = checkLabels(labels)
	}
	if err != nil {
		return nil, err
	}
	return labels, nil
}

// WriteIDXImages writes images to w as an uncompressed IDX file. It is an error when the sizes are not those that
// [ReadIDXImages] accepts or do not multiply to len(images.Pixels): an *nd.Error with nd.ErrFormat. Errors of w are wrapped.
func WriteIDXImages(w io.Writer, images *Images) error {
	sizes := []int{images.Count, images.Rows, images.Columns}
	for _, size := range sizes {
		if size < 0 || size > maximumElements {
			return idxError("data.WriteIDXImages", malformed("size %d is out of range 0..%d", size, maximumElements))
		}
	}
	elements, err := countElements(sizes)
	if err == nil && elements != len(images.Pixels) {
		err = malformed("%d×%d×%d images need %d pixels, found %d", sizes[0], sizes[1], sizes[2], elements, len(images.Pixels))
	}
	if err == nil {
		err = writeIDX(w, imagesMagic, sizes, images.Pixels)
	}
	return idxError("data.WriteIDXImages", err)
}

// WriteIDXLabels writes labels to w as an uncompressed IDX file. A label above 9 is an error; see [WriteIDXImages].
func WriteIDXLabels(w io.Writer, labels []byte) error {
	_, err := countElements([]int{len(labels)})
	if err == nil {
		err = checkLabels(labels)
	}
	if err == nil {
		err = writeIDX(w, labelsMagic, []int{len(labels)}, labels)
	}
	return idxError("data.WriteIDXLabels", err)
}

// LoadMNIST reads the training and the test set from the folder dir: train-images-idx3-ubyte, train-labels-idx1-ubyte,
// t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte, each with or without ".gz", and with '-' or '.' before "idx".
// Errors are *nd.Error, one line that names the file; those of files that are not IDX files are nd.ErrFormat.
// [ErrNoData] is wrapped when dir does not exist or has none of the four; [fs.ErrNotExist] when it has some of them
// only. Images and labels that differ in number, and training and test images that differ in size, are errors.
func LoadMNIST(dir string) (train, test *Digits, err error) {
	train, test, err = loadMNIST(dir)
	return train, test, idxError("data.LoadMNIST", err)
}

func loadMNIST(dir string) (train, test *Digits, err error) {
	if folder, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("%w: the folder %s does not exist", ErrNoData, dir)
	} else if err != nil {
		return nil, nil, err
	} else if !folder.IsDir() {
		return nil, nil, &fs.PathError{Op: "read", Path: dir, Err: errors.New("not a folder")}
	}
	var paths, missing []string
	for _, set := range []string{"train", "t10k"} {
		for _, part := range []string{"images%cidx3-ubyte", "labels%cidx1-ubyte"} {
			name := set + "-" + part
			if path, found := findIDX(dir, name); found {
				paths = append(paths, path)
			} else {
				missing = append(missing, fmt.Sprintf(name, '-'))
			}
		}
	}
	if len(paths) == 0 {
		return nil, nil, fmt.Errorf("%w in %s: expected %s, with or without .gz, and three more", ErrNoData, dir, missing[0])
	}
	if len(missing) > 0 {
		return nil, nil, fmt.Errorf("%s: %w", filepath.Join(dir, missing[0]+"(.gz)"), fs.ErrNotExist)
	}
	if train, err = loadDigits(paths[0], paths[1]); err != nil {
		return nil, nil, err
	}
	if test, err = loadDigits(paths[2], paths[3]); err != nil {
		return nil, nil, err
	}
	if a, b := train.Images, test.Images; a.Rows != b.Rows || a.Columns != b.Columns {
		return nil, nil, malformed("%s: images are %d×%d, but those of %s are %d×%d",
			paths[2], b.Rows, b.Columns, filepath.Base(paths[0]), a.Rows, a.Columns)
	}
	return train, test, nil
}

// findIDX returns the first spelling of pattern, whose %c stands for the separator, that exists in dir.
func findIDX(dir, pattern string) (path string, found bool) {
	for _, separator := range "-." {
		for _, suffix := range []string{"", ".gz"} {
			path := filepath.Join(dir, fmt.Sprintf(pattern, separator)+suffix)
			// What cannot be looked at is there: opening it says why.
			if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
				return path, true
			}
		}
	}
	return "", false
}

func loadDigits(imagesPath, labelsPath string) (*Digits, error) {
	images, err := readFile(imagesPath, readImages)
	if err != nil {
		return nil, err
	}
	labels, err := readFile(labelsPath, readLabels)
	if err != nil {
		return nil, err
	}
	if len(labels) != images.Count {
		return nil, malformed("%s: %d labels, but %s has %d images",
			labelsPath, len(labels), filepath.Base(imagesPath), images.Count)
	}
	return &Digits{Images: images, Labels: labels}, nil
}

func readFile[T any](path string, read func(io.Reader) (T, error)) (value T, err error) {
	file, err := os.Open(path)
	if err != nil {
		return value, err
	}
	defer file.Close()
	if value, err = read(file); err != nil {
		return value, fmt.Errorf("%s: %w", path, err)
	}
	return value, nil
}

// readIDX reads the whole stream: the magic number, the sizes of all dimensions, and their product in bytes.
func readIDX(r io.Reader, magic uint32, dimensions int) (sizes []int, elements []byte, err error) {
	buffered := bufio.NewReader(r)
	r = buffered
	if start, _ := buffered.Peek(2); len(start) == 2 && start[0] == 0x1f && start[1] == 0x8b {
		if r, err = gzip.NewReader(buffered); err != nil {
			return nil, nil, describe(err)
		}
	}
	header := make([]byte, 4+4*dimensions)
	if n, err := io.ReadFull(r, header); err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil, nil, truncated("truncated header", len(header), n)
	} else if err != nil {
		return nil, nil, describe(err)
	}
	if found := binary.BigEndian.Uint32(header); found != magic {
		return nil, nil, malformed("wrong magic number 0x%08x, expected 0x%08x", found, magic)
	}
	for i := range dimensions {
		sizes = append(sizes, int(binary.BigEndian.Uint32(header[4+4*i:])))
	}
	count, err := countElements(sizes)
	if err != nil {
		return nil, nil, err
	}
	for len(elements) < count {
		end := min(count, max(2*len(elements), readStep))
		elements = slices.Grow(elements, end-len(elements))
		n, err := io.ReadFull(r, elements[len(elements):end])
		elements = elements[:len(elements)+n]
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return nil, nil, truncated("truncated", len(header)+count, len(header)+len(elements))
		} else if err != nil {
			return nil, nil, describe(err)
		}
	}
	// Reading up to the end also makes gzip verify its checksum.
	if n, err := io.ReadFull(r, make([]byte, 1)); n > 0 {
		return nil, nil, malformed("trailing bytes: expected %d bytes, found more", len(header)+count)
	} else if err != io.EOF {
		return nil, nil, describe(err)
	}
	return sizes, elements, nil
}

// countElements returns the product of sizes, the first of which may be zero; an absurd product is an error.
func countElements(sizes []int) (int, error) {
	product := 1
	for i, size := range sizes {
		if i > 0 && size == 0 {
			return 0, malformed("images of %d×%d have no pixels", sizes[1], sizes[2])
		}
		// Each factor and the product so far are below 2³², so that the multiplication cannot overflow.
		if product *= size; size > maximumElements || product > maximumElements {
			return 0, malformed("sizes %d make more than %d bytes", sizes, maximumElements)
		}
	}
	return product, nil
}

func checkLabels(labels []byte) error {
	for i, label := range labels {
		if label > 9 {
			return malformed("label %d at position %d is out of range 0..9", label, i)
		}
	}
	return nil
}

// idxError returns err as the error of a function that reads or writes IDX files.
func idxError(operator string, err error) error {
	if err == nil {
		return nil
	}
	return &nd.Error{Operator: operator, Detail: err.Error(), Cause: err, Site: fault.Here(1)}
}

// malformed returns the error of a file, or of what is to be one, that breaks the format.
func malformed(format string, values ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, values...), nd.ErrFormat)
}

func truncated(what string, expected, found int) error {
	return fmt.Errorf("%s: expected %d bytes, found %d: %w: %w", what, expected, found, nd.ErrFormat, io.ErrUnexpectedEOF)
}

// describe tells a broken gzip stream from a reader that failed.
func describe(err error) error {
	var corrupt flate.CorruptInputError
	if errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, io.EOF) || errors.As(err, &corrupt) {
		return fmt.Errorf("corrupt gzip: %w: %w", nd.ErrFormat, err)
	}
	return err
}

func writeIDX(w io.Writer, magic uint32, sizes []int, elements []byte) error {
	header := binary.BigEndian.AppendUint32(nil, magic)
	for _, size := range sizes {
		header = binary.BigEndian.AppendUint32(header, uint32(size))
	}
	if _, err := w.Write(header); err != nil {
		return err
	}
	_, err := w.Write(elements)
	return err
}
