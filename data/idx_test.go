package data

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	nd "github.com/weft-nd/weft/ndarray"
)

func compress(t testing.TB, plain []byte) []byte {
	var buffer bytes.Buffer
	writer := gzip.NewWriter(&buffer)
	_, err := writer.Write(plain)
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	return buffer.Bytes()
}

// threeImages is the IDX file of three images of 1×2 pixels, written out by hand.
func threeImages() []byte {
	return []byte{0, 0, 8, 3, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 2, 10, 11, 20, 21, 30, 31}
}

// threeLabels is the IDX file of the labels 7, 0 and 9, written out by hand.
func threeLabels() []byte {
	return []byte{0, 0, 8, 1, 0, 0, 0, 3, 7, 0, 9}
}

func TestReadersAcceptPlainAndGzippedStreams(t *testing.T) {
	for name, pack := range map[string]func([]byte) []byte{
		"plain":   func(b []byte) []byte { return b },
		"gzipped": func(b []byte) []byte { return compress(t, b) },
	} {
		t.Run(name, func(t *testing.T) {
			images, err := ReadIDXImages(iotest.OneByteReader(bytes.NewReader(pack(threeImages()))))
			require.NoError(t, err)
			require.Equal(t, &Images{Count: 3, Rows: 1, Columns: 2, Pixels: []byte{10, 11, 20, 21, 30, 31}}, images)
			labels, err := ReadIDXLabels(iotest.OneByteReader(bytes.NewReader(pack(threeLabels()))))
			require.NoError(t, err)
			require.Equal(t, []byte{7, 0, 9}, labels)
		})
	}
}

func TestWritersProduceTheBytesOfTheFormat(t *testing.T) {
	var file bytes.Buffer
	require.NoError(t, WriteIDXImages(&file, &Images{Count: 3, Rows: 1, Columns: 2, Pixels: []byte{10, 11, 20, 21, 30, 31}}))
	require.Equal(t, threeImages(), file.Bytes())
	file.Reset()
	require.NoError(t, WriteIDXLabels(&file, []byte{7, 0, 9}))
	require.Equal(t, threeLabels(), file.Bytes())
}

func TestRoundTripKeepsEverySize(t *testing.T) {
	for _, images := range []Images{
		{Count: 0, Rows: 28, Columns: 28},
		{Count: 1, Rows: 1, Columns: 1},
		{Count: 5, Rows: 3, Columns: 7},
		// Beyond one step, and no multiple of it.
		{Count: 3001, Rows: 28, Columns: 28},
	} {
		images.Pixels = make([]byte, images.Count*images.Rows*images.Columns)
		for i := range images.Pixels {
			images.Pixels[i] = byte(i * 31)
		}
		var file bytes.Buffer
		require.NoError(t, WriteIDXImages(&file, &images))
		read, err := ReadIDXImages(&file)
		require.NoError(t, err)
		require.Equal(t, images.Count, read.Count)
		require.Equal(t, images.Rows, read.Rows)
		require.Equal(t, images.Columns, read.Columns)
		require.True(t, bytes.Equal(images.Pixels, read.Pixels))
	}
}

// requireMalformed checks that err is the error of a function about a file that is not what it should be.
func requireMalformed(t testing.TB, err error, function, detail string) {
	t.Helper()
	require.Equal(t, detail, plain(malformedDetail(t, err, function)))
	require.Equal(t, strings.Contains(detail, "truncated") || strings.Contains(detail, "unexpected EOF"), errors.Is(err, io.ErrUnexpectedEOF))
	require.Contains(t, err.Error(), "idx_test.go:")
}

func malformedDetail(t testing.TB, err error, function string) string {
	t.Helper()
	var typed *nd.Error
	require.ErrorAs(t, err, &typed)
	require.ErrorIs(t, err, nd.ErrFormat)
	require.Equal(t, function, typed.Operator)
	require.NotContains(t, err.Error(), "\n")
	return typed.Detail
}

// plain returns detail without the reasons that errors.Is finds.
func plain(detail string) string {
	detail = strings.Replace(detail, ": "+nd.ErrFormat.Error(), "", 1)
	if strings.Contains(detail, "truncated") {
		detail = strings.TrimSuffix(detail, ": "+io.ErrUnexpectedEOF.Error())
	}
	return detail
}

func TestReadersSayWhatIsWrong(t *testing.T) {
	edit := func(file []byte, position int, value ...byte) []byte {
		copy(file[position:], value)
		return file
	}
	broken := compress(t, threeImages())
	broken[len(broken)-6] ^= 0xff // inside the checksum
	tests := map[string]struct {
		images, labels []byte
		want           string
	}{
		"empty stream":       {images: []byte{}, want: "truncated header: expected 16 bytes, found 0"},
		"short header":       {labels: threeLabels()[:7], want: "truncated header: expected 8 bytes, found 7"},
		"missing pixels":     {images: threeImages()[:20], want: "truncated: expected 22 bytes, found 20"},
		"no pixels":          {images: threeImages()[:16], want: "truncated: expected 22 bytes, found 16"},
		"missing labels":     {labels: threeLabels()[:10], want: "truncated: expected 11 bytes, found 10"},
		"trailing byte":      {images: append(threeImages(), 0), want: "trailing bytes: expected 22 bytes, found more"},
		"labels as images":   {images: append(threeLabels(), make([]byte, 9)...), want: "wrong magic number 0x00000801, expected 0x00000803"},
		"images as labels":   {labels: threeImages(), want: "wrong magic number 0x00000803, expected 0x00000801"},
		"label out of range": {labels: edit(threeLabels(), 9, 10), want: "label 10 at position 1 is out of range 0..9"},
		"no rows":            {images: edit(threeImages(), 8, 0, 0, 0, 0), want: "images of 0×2 have no pixels"},
		"absurd count":       {images: edit(threeImages(), 4, 0xff, 0xff, 0xff, 0xff), want: "sizes [4294967295 1 2] make more than 2147483647 bytes"},
		"absurd product": {images: edit(threeImages(), 4, 0xff, 0, 0, 0, 0xff, 0, 0, 0, 0xff, 0, 0, 0),
			want: "sizes [4278190080 4278190080 4278190080] make more than 2147483647 bytes"},
		"absurd labels":     {labels: edit(threeLabels(), 4, 0x80), want: "sizes [2147483651] make more than 2147483647 bytes"},
		"gzip header":       {images: []byte{0x1f, 0x8b, 0xff, 0, 0, 0, 0, 0, 0, 0, 0}, want: "corrupt gzip: gzip: invalid header"},
		"gzip header alone": {images: []byte{0x1f, 0x8b}, want: "corrupt gzip: unexpected EOF"},
		"gzip checksum":     {images: broken, want: "corrupt gzip: gzip: invalid checksum"},
		"gzip cut":          {images: compress(t, threeImages())[:12], want: "truncated header: expected 16 bytes, found 1"},
		"gzip trailer cut":  {labels: compress(t, threeLabels())[:len(compress(t, threeLabels()))-3], want: "corrupt gzip: unexpected EOF"},
		"gzip then garbage": {labels: append(compress(t, threeLabels()), "not gzip at all"...), want: "corrupt gzip: gzip: invalid header"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if test.images != nil {
				images, err := ReadIDXImages(bytes.NewReader(test.images))
				require.Nil(t, images)
				requireMalformed(t, err, "data.ReadIDXImages", test.want)
			} else {
				labels, err := ReadIDXLabels(bytes.NewReader(test.labels))
				require.Nil(t, labels)
				requireMalformed(t, err, "data.ReadIDXLabels", test.want)
			}
		})
	}
}

func TestReaderFailuresArePassedOn(t *testing.T) {
	broken := errors.New("the disk is on fire")
	for length := range len(threeImages()) + 1 {
		_, err := ReadIDXImages(io.MultiReader(bytes.NewReader(threeImages()[:length]), iotest.ErrReader(broken)))
		require.ErrorIs(t, err, broken, "after %d bytes", length)
		require.NotContains(t, err.Error(), "gzip")
	}
}

func TestHeaderAloneDoesNotAllocate(t *testing.T) {
	header := []byte{0, 0, 8, 3, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 1, 0, 0, 0, 1} // claims 2 GiB
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := ReadIDXImages(bytes.NewReader(header))
	runtime.ReadMemStats(&after)
	requireMalformed(t, err, "data.ReadIDXImages", "truncated: expected 2147483663 bytes, found 16")
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(4<<20))
}

func TestWritersRefuseWhatReadersWouldRefuse(t *testing.T) {
	for want, images := range map[string]*Images{
		"2×2×2 images need 8 pixels, found 7":   {Count: 2, Rows: 2, Columns: 2, Pixels: make([]byte, 7)},
		"images of 0×2 have no pixels":          {Count: 2, Rows: 0, Columns: 2},
		"size -1 is out of range 0..2147483647": {Count: -1, Rows: 2, Columns: 2},
	} {
		requireMalformed(t, WriteIDXImages(io.Discard, images), "data.WriteIDXImages", want)
	}
	requireMalformed(t, WriteIDXLabels(io.Discard, []byte{1, 2, 200}), "data.WriteIDXLabels", "label 200 at position 2 is out of range 0..9")
}

// folder writes files by name into a new folder.
func folder(t *testing.T, files map[string][]byte) string {
	dir := t.TempDir()
	for name, content := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
	}
	return dir
}

func TestLoadMNISTFindsEverySpelling(t *testing.T) {
	dir := folder(t, map[string][]byte{
		"train-images-idx3-ubyte":    threeImages(),
		"train-labels.idx1-ubyte":    threeLabels(),
		"t10k-images-idx3-ubyte.gz":  compress(t, threeImages()),
		"t10k-labels.idx1-ubyte.gz":  compress(t, threeLabels()),
		"unrelated-images-idx3-byte": {1, 2, 3},
	})
	train, test, err := LoadMNIST(dir)
	require.NoError(t, err)
	want := &Digits{
		Images: &Images{Count: 3, Rows: 1, Columns: 2, Pixels: []byte{10, 11, 20, 21, 30, 31}},
		Labels: []byte{7, 0, 9},
	}
	require.Equal(t, want, train)
	require.Equal(t, want, test)
}

func TestLoadMNISTNamesTheFileAtFault(t *testing.T) {
	files := func(change func(map[string][]byte)) map[string][]byte {
		all := map[string][]byte{
			"train-images-idx3-ubyte": threeImages(),
			"train-labels-idx1-ubyte": threeLabels(),
			"t10k-images-idx3-ubyte":  threeImages(),
			"t10k-labels-idx1-ubyte":  threeLabels(),
		}
		change(all)
		return all
	}
	tests := map[string]struct {
		files map[string][]byte
		file  string
		want  string
		is    error
	}{
		"missing file": {
			files: files(func(f map[string][]byte) { delete(f, "t10k-labels-idx1-ubyte") }),
			file:  "t10k-labels-idx1-ubyte(.gz)", want: "file does not exist", is: fs.ErrNotExist,
		},
		"truncated file": {
			files: files(func(f map[string][]byte) { f["train-images-idx3-ubyte"] = threeImages()[:21] }),
			file:  "train-images-idx3-ubyte", want: "truncated: expected 22 bytes, found 21",
		},
		"wrong magic": {
			files: files(func(f map[string][]byte) { f["t10k-labels-idx1-ubyte"] = threeImages() }),
			file:  "t10k-labels-idx1-ubyte", want: "wrong magic number 0x00000803, expected 0x00000801",
		},
		"counts differ": {
			files: files(func(f map[string][]byte) { f["t10k-labels-idx1-ubyte"] = []byte{0, 0, 8, 1, 0, 0, 0, 2, 5, 6} }),
			file:  "t10k-labels-idx1-ubyte", want: "2 labels, but t10k-images-idx3-ubyte has 3 images",
		},
		"sizes differ": {
			files: files(func(f map[string][]byte) {
				f["t10k-images-idx3-ubyte"] = []byte{0, 0, 8, 3, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 1, 1, 2, 3}
			}),
			file: "t10k-images-idx3-ubyte", want: "images are 1×1, but those of train-images-idx3-ubyte are 1×2",
		},
		"corrupt gzip": {
			files: files(func(f map[string][]byte) {
				f["train-labels-idx1-ubyte"] = []byte{0x1f, 0x8b, 1, 2, 3, 4, 5, 6, 7, 8, 9}
			}),
			file: "train-labels-idx1-ubyte", want: "corrupt gzip: gzip: invalid header", is: gzip.ErrHeader,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir := folder(t, test.files)
			train, tested, err := LoadMNIST(dir)
			require.Nil(t, train)
			require.Nil(t, tested)
			var typed *nd.Error
			require.ErrorAs(t, err, &typed)
			require.Equal(t, "data.LoadMNIST", typed.Operator)
			require.Equal(t, filepath.Join(dir, test.file)+": "+test.want, plain(typed.Detail))
			require.NotErrorIs(t, err, ErrNoData)
			require.ErrorIs(t, err, cmp.Or(test.is, nd.ErrFormat))
		})
	}
}

func TestLoadMNISTTellsNoDataFromBrokenData(t *testing.T) {
	empty := t.TempDir()
	absent := filepath.Join(empty, "absent")
	for dir, want := range map[string]string{
		empty:  "no MNIST files in " + empty + ": expected train-images-idx3-ubyte, with or without .gz, and three more",
		absent: "no MNIST files: the folder " + absent + " does not exist",
	} {
		_, _, err := LoadMNIST(dir)
		require.ErrorIs(t, err, ErrNoData)
		var typed *nd.Error
		require.ErrorAs(t, err, &typed)
		require.Equal(t, want, typed.Detail)
	}
	file := filepath.Join(folder(t, map[string][]byte{"file": nil}), "file")
	_, _, err := LoadMNIST(file)
	require.ErrorContains(t, err, "weft: data.LoadMNIST: read "+file+": not a folder at ")
	require.NotErrorIs(t, err, ErrNoData)
}

// sharedMNIST walks up from the working folder to a folder shared/mnist.
func sharedMNIST(t *testing.T) string {
	dir, err := os.Getwd()
	require.NoError(t, err)
	for {
		candidate := filepath.Join(dir, "shared", "mnist")
		if _, err := os.Stat(candidate); err == nil {
			return candidate
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Skip("the MNIST files are not here: no folder shared/mnist beside the repository or above it")
		}
		dir = parent
	}
}

func TestLoadMNISTReadsTheRealFiles(t *testing.T) {
	train, test, err := LoadMNIST(sharedMNIST(t))
	require.NoError(t, err)
	for _, set := range []struct {
		digits  *Digits
		count   int
		classes [10]int
	}{
		{train, 60000, [10]int{5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949}},
		{test, 10000, [10]int{980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009}},
	} {
		require.Equal(t, set.count, set.digits.Images.Count)
		require.Equal(t, 28, set.digits.Images.Rows)
		require.Equal(t, 28, set.digits.Images.Columns)
		require.Len(t, set.digits.Images.Pixels, set.count*28*28)
		var classes [10]int
		for _, label := range set.digits.Labels {
			classes[label]++
		}
		require.Equal(t, set.classes, classes)
	}
	t.Logf("read the real MNIST: %d training and %d test images", train.Images.Count, test.Images.Count)
}

func FuzzReadersAcceptOnlyWhatRoundTrips(f *testing.F) {
	f.Add(threeImages())
	f.Add(threeLabels())
	f.Add(compress(f, threeImages()))
	f.Add(compress(f, threeLabels()))
	f.Add([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Add([]byte{0, 0, 8, 3, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 1, 0, 0, 0, 1})
	f.Fuzz(func(t *testing.T, file []byte) {
		var written bytes.Buffer
		if images, err := ReadIDXImages(bytes.NewReader(file)); err == nil {
			require.NoError(t, WriteIDXImages(&written, images))
			again, err := ReadIDXImages(&written)
			require.NoError(t, err)
			require.Equal(t, images, again)
		} else {
			malformedDetail(t, err, "data.ReadIDXImages")
		}
		written.Reset()
		if labels, err := ReadIDXLabels(bytes.NewReader(file)); err == nil {
			require.NoError(t, WriteIDXLabels(&written, labels))
			again, err := ReadIDXLabels(&written)
			require.NoError(t, err)
			require.Equal(t, labels, again)
		} else {
			malformedDetail(t, err, "data.ReadIDXLabels")
		}
	})
}
