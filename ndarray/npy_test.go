package ndarray_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/storage"
)

// npy returns a file as numpy.save of NumPy 2.4.6 writes it.
func npy(header, elements string) []byte {
	return []byte("\x93NUMPY\x01\x00v\x00" + header + strings.Repeat(" ", 117-len(header)) + "\n" + elements)
}

func TestFilesOfNumPyAreReadAndWritten(t *testing.T) {
	for _, test := range []struct {
		file  []byte
		want  *nd.Array
		equal bool // written by weft it has the same bytes
	}{
		{npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }", "\x00\x00\x80?\x00\x00 \xc0\x00\x00\x00>\x00\x00\xc8B"),
			nd.FromSlice([]float32{1, -2.5, 0.125, 100}, 2, 2), true},
		{npy("{'descr': '<i8', 'fortran_order': False, 'shape': (0, 3), }", ""), nd.Zeros[int64](0, 3), true},
		{npy("{'descr': '|b1', 'fortran_order': False, 'shape': (), }", "\x01"), nd.Full(true), true},
		{npy("{'descr': '<f2', 'fortran_order': False, 'shape': (1,), }", "\x00>"), nd.Full(dtype.ToF16(1.5), 1), true},
		{npy("{'descr': '>c8', 'fortran_order': False, 'shape': (1,), }", "?\x80\x00\x00@\x00\x00\x00"), nd.Full[complex64](1+2i, 1), false},
		{npy("{'descr': '<u2', 'fortran_order': True, 'shape': (2, 3), }", "\x00\x00\x03\x00\x01\x00\x04\x00\x02\x00\x05\x00"),
			nd.Arange[uint16](0, 6, 1).Reshape(2, 3), false},
		{npy("{\"shape\":(2L,),'fortran_order':False,'descr':'=i4'}", "\x01\x00\x00\x00\x02\x00\x00\x00"), nd.FromSlice([]int32{1, 2}), false},
		{npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", "\x00\x00\x00\x00\x00\x00@@\x00\x00\x80?\x00\x00\x80@\x00\x00\x00@\x00\x00\xa0@"),
			floats(2, 3).T().Copy().T(), true},
		{npy("{'descr': '<V2', 'fortran_order': False, 'shape': (2,), }", "\x80?\x00@"), nd.FromSlice([]dtype.BF16{0x3f80, 0x4000}), true}, // by ml_dtypes
		{npy("{'descr': '|V2', 'fortran_order': False, 'shape': (1,), }", "\x80?"), nd.FromSlice([]dtype.BF16{0x3f80}), false},
		{[]byte("\x93NUMPY\x02\x00\x38\x00\x00\x00{'descr': '|u1', 'fortran_order': False, 'shape': (1,)}\n\x07"), nd.FromSlice([]uint8{7}), false},
		{[]byte("\x93NUMPY\x03\x00\x38\x00\x00\x00{'descr': '|i1', 'fortran_order': False, 'shape': (1,)}\n\xf9"), nd.FromSlice([]int8{-7}), false},
		// With so many axes the header is longer: NumPy leaves room for the first to grow.
		{[]byte("\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 4, 0, 5, 6, 7, 8, 9, 10, 11, 12), }" + strings.Repeat(" ", 25) + "\n"),
			nd.Zeros[float32](2, 3, 4, 0, 5, 6, 7, 8, 9, 10, 11, 12), true},
		{[]byte("\x93NUMPY\x01\x00\xb6\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 4, 0, 5, 6, 7, 8, 9, 10, 11, 12, 1000), }" + strings.Repeat(" ", 83) + "\n"),
			nd.Zeros[float32](2, 3, 4, 0, 5, 6, 7, 8, 9, 10, 11, 12, 1000), true},
	} {
		read, err := nd.ReadNPY(bytes.NewReader(test.file))
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf("%+v", test.want), fmt.Sprintf("%+v", read))
		if test.equal {
			var written bytes.Buffer
			require.NoError(t, nd.WriteNPY(&written, test.want))
			require.Equal(t, test.file, written.Bytes())
		}
	}
}

// everyDType returns an array of each element type, some of them strided.
func everyDType() map[string]*nd.Array {
	arrays := map[string]*nd.Array{"complex128": nd.FromSlice([]complex128{1i, 2, 3, -4i}, 2, 2).T(), "empty": nd.Zeros[int16](3, 0), "scalar": nd.Full[uint8](7)}
	arrays["complex64"] = nd.FromSlice([]complex64{1, 2i})
	arrays["bool"] = nd.FromSlice([]bool{true, false, true}).Index(nd.SpanBy(nd.Open, nd.Open, -1))
	arrays["int8"], arrays["int16"] = nd.FromSlice([]int8{-1, 2}), nd.FromSlice([]int16{-1, 2})
	arrays["int32"], arrays["int64"] = nd.FromSlice([]int32{-1, 2}), nd.FromSlice([]int64{-1, 2})
	arrays["uint8"], arrays["uint16"] = nd.FromSlice([]uint8{1, 255}), nd.FromSlice([]uint16{1, 65535})
	arrays["uint32"], arrays["uint64"] = nd.FromSlice([]uint32{1, 1 << 31}), nd.FromSlice([]uint64{1, 1 << 63})
	arrays["float16"] = nd.FromSlice([]dtype.F16{dtype.ToF16(0.5)})
	arrays["bfloat16"] = nd.FromSlice([]dtype.BF16{dtype.ToBF16(0.5)})
	arrays["float32"] = floats(2, 3, 4).Transpose(2, 0, 1)
	arrays["float64"] = nd.Linspace(0.0, 1, 7)
	return arrays
}

func TestArraysComeBackFromAnArchive(t *testing.T) {
	arrays := everyDType()
	var file, again bytes.Buffer
	require.NoError(t, nd.WriteNPZ(&file, arrays))
	require.NoError(t, nd.WriteNPZ(&again, arrays))
	require.Equal(t, file.Bytes(), again.Bytes())
	loaded, err := nd.ReadNPZ(bytes.NewReader(file.Bytes()), int64(file.Len()))
	require.NoError(t, err)
	require.Len(t, loaded, len(arrays))
	for name, want := range arrays {
		require.Equal(t, fmt.Sprintf("%#v %+v", want, want), fmt.Sprintf("%#v %+v", loaded[name], loaded[name]), name)
	}
}

func TestReadingTakesOneArrayAndNoMore(t *testing.T) {
	var file bytes.Buffer
	require.NoError(t, nd.WriteNPY(&file, floats(3)))
	require.NoError(t, nd.WriteNPY(&file, floats(2)))
	for _, want := range []int{3, 2} {
		a, err := nd.ReadNPY(iotest.OneByteReader(&file))
		require.NoError(t, err)
		require.Equal(t, want, a.Count())
	}
}

func TestTruncatedFilesGiveAnErrorAtEveryLength(t *testing.T) {
	var array, archive bytes.Buffer
	require.NoError(t, nd.WriteNPY(&array, floats(2, 2)))
	require.NoError(t, nd.WriteNPZ(&archive, map[string]*nd.Array{"a": floats(2, 2), "b": floats(1)}))
	for length := range array.Len() {
		_, err := nd.ReadNPY(bytes.NewReader(array.Bytes()[:length]))
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, length)
		require.ErrorIs(t, err, nd.ErrFormat, length)
	}
	for length := range archive.Len() {
		_, err := nd.ReadNPZ(bytes.NewReader(archive.Bytes()[:length]), int64(length))
		require.ErrorIs(t, err, nd.ErrFormat, length)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, length)
	}
}

func TestMalformedFilesGiveAnError(t *testing.T) {
	for _, header := range []string{
		"", "{", "{}", "[1]", "{'descr': '<f4', 'fortran_order': False, }",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), 'more': 1}",
		"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}",
		"{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2,)}",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (2}",
		"{'descr': '<f4', 'fortran_order': False, 'shape': 2}",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (,)}",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (1,,1)}",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 2)}",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904,)}",
		"{'descr': '|O', 'fortran_order': False, 'shape': (2,)}",
		"{'descr': '|f4', 'fortran_order': False, 'shape': (2,)}",
		"{'descr': '', 'fortran_order': False, 'shape': (2,)}",
		"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}",
	} {
		_, err := nd.ReadNPY(bytes.NewReader(npy(header, strings.Repeat("\x00", 64))))
		require.ErrorIs(t, err, nd.ErrFormat, header)
		require.Contains(t, err.Error(), "npy_test.go:")
	}
	for _, file := range []string{"\x93NUMPX\x01\x00v\x00", "\x93NUMPY\x09\x00v\x00", "\x93NUMPY\x02\x00\xff\xff\xff\xff"} {
		_, err := nd.ReadNPY(strings.NewReader(file))
		require.ErrorIs(t, err, nd.ErrFormat, file)
	}
}

func FuzzReadNPYReturnsAnArrayOrAnError(f *testing.F) {
	for _, a := range everyDType() {
		var file bytes.Buffer
		require.NoError(f, nd.WriteNPY(&file, a))
		f.Add(file.Bytes())
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		a, err := nd.ReadNPY(bytes.NewReader(file))
		if err != nil {
			return
		}
		var written bytes.Buffer
		require.NoError(t, nd.WriteNPY(&written, a))
		again, err := nd.ReadNPY(&written)
		require.NoError(t, err)
		require.Equal(t, a.Shape(), again.Shape())
		require.Equal(t, a.String(), again.String())
	})
}

func TestEveryByteOrderIsRead(t *testing.T) {
	for name, a := range everyDType() {
		if a.DType().Size() == 1 || a.DType() == dtype.BFloat16 {
			continue
		}
		a = a.Copy()
		var file bytes.Buffer
		require.NoError(t, nd.WriteNPY(&file, a))
		size := a.DType().Size()
		if a.DType().Kind() == dtype.KindComplex {
			size /= 2
		}
		start := file.Len() - a.Count()*a.DType().Size()
		swapped := bytes.Replace(file.Bytes()[:start:start], []byte("'<"), []byte("'>"), 1)
		for part := range slices.Chunk(file.Bytes()[start:], size) {
			slices.Reverse(part)
			swapped = append(swapped, part...)
		}
		read, err := nd.ReadNPY(bytes.NewReader(swapped))
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf("%+v", a), fmt.Sprintf("%+v", read), name)
	}
}

func TestMemoryFollowsTheDataAndNotTheHeader(t *testing.T) {
	const sent = 20 << 20
	long := npy("{'descr': '<f8', 'fortran_order': False, 'shape': (100000000,)}", "")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := nd.ReadNPY(io.MultiReader(bytes.NewReader(long), io.LimitReader(zeros{}, sent)))
	runtime.ReadMemStats(&after)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.ErrorIs(t, err, nd.ErrFormat)
	require.Contains(t, err.Error(), "20971520 of 800000000 bytes")
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(sent+3<<20), "what has arrived is kept once")
	for _, length := range []int{0, 1 << 20, 1<<20 + 1, 4 << 20, 8<<20 - 1, 8 << 20, 17 << 20} { // in one piece, and in several
		whole := npy(fmt.Sprintf("{'descr': '|u1', 'fortran_order': False, 'shape': (%d,)}", length), "")
		a, err := nd.ReadNPY(io.MultiReader(bytes.NewReader(whole), io.LimitReader(&counting{}, int64(length))))
		require.NoError(t, err)
		want := make([]byte, length)
		_, _ = new(counting).Read(want)
		require.Equal(t, []int{length}, a.Shape())
		require.True(t, bytes.Equal(want, values[uint8](t, a)), length)
	}
}

// counting is a reader that never ends, of bytes that repeat late.
type counting struct{ read int }

func (c *counting) Read(data []byte) (int, error) {
	for i := range data {
		data[i] = byte((c.read + i) % 251)
	}
	c.read += len(data)
	return len(data), nil
}

func TestWhatTheMemoryManagerCannotHoldIsRefusedBeforeItIsRead(t *testing.T) {
	large := nd.Zeros[uint8](12 << 20)
	var archive, array, tensors bytes.Buffer
	require.NoError(t, nd.WriteNPZ(&archive, map[string]*nd.Array{"a": large}, nd.Compressed()))
	require.NoError(t, nd.WriteNPY(&array, large))
	require.NoError(t, nd.WriteSafetensors(&tensors, map[string]*nd.Array{"a": large}, nil))
	path := filepath.Join(t.TempDir(), "a.npz")
	require.NoError(t, os.WriteFile(path, archive.Bytes(), 0o600))
	before, err := storage.ManagerOf(device.CPU(0))
	require.NoError(t, err)
	tight, err := storage.NewPooled(device.CPU(0))
	require.NoError(t, err)
	tight.SetLimit(8 << 20)
	storage.SetManager(device.CPU(0), tight)
	defer storage.SetManager(device.CPU(0), before)
	for name, read := range map[string]func(read *int) error{
		"ReadNPY": func(read *int) error {
			_, err := nd.ReadNPY(arriving{&array, read})
			return err
		},
		"ReadSafetensors": func(read *int) error {
			_, _, err := nd.ReadSafetensors(arriving{&tensors, read})
			return err
		},
		"ReadNPZ": func(*int) error {
			_, err := nd.ReadNPZ(bytes.NewReader(archive.Bytes()), int64(archive.Len()))
			return err
		},
		"LoadNPZ": func(*int) error {
			_, err := nd.LoadNPZ(path)
			require.ErrorContains(t, err, path)
			return err
		},
	} {
		arrived := 0
		err := read(&arrived)
		require.ErrorIs(t, err, fault.ErrOutOfMemory, name)
		require.ErrorContains(t, err, "weft: "+name+": ")
		require.ErrorContains(t, err, "uint8 (12582912,)", name)
		require.ErrorContains(t, err, "npy_test.go:", name)
		require.Less(t, arrived, 1000, name)
	}
}

// arriving counts the bytes that are read from a reader that does not tell how many it has.
type arriving struct {
	r    io.Reader
	read *int
}

func (c arriving) Read(data []byte) (int, error) {
	n, err := c.r.Read(data)
	*c.read += n
	return n, err
}

// zeros is a reader that never ends.
type zeros struct{}

func (zeros) Read(data []byte) (int, error) {
	clear(data)
	return len(data), nil
}

func TestTheHeaderIsNotBelieved(t *testing.T) {
	header := npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000000,)}", "\x00\x00\x00")
	_, err := nd.ReadNPY(bytes.NewReader(header))
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.Contains(t, err.Error(), "3 of 8000000000000000 bytes")
}

func TestTrueIsOneWhateverTheFileSays(t *testing.T) {
	a, err := nd.ReadNPY(bytes.NewReader(npy("{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}", "\x00\x01\xff")))
	require.NoError(t, err)
	require.Equal(t, []int64{0, 1, 1}, values[int64](t, a.Cast(dtype.Int64)))
}

func TestArchivesOfOtherThingsGiveAnError(t *testing.T) {
	var array bytes.Buffer
	require.NoError(t, nd.WriteNPY(&array, floats(2)))
	for name, members := range map[string][][2]string{
		"no array":   {{"readme.txt", "hello"}},
		"twice":      {{"a.npy", array.String()}, {"a.npy", array.String()}},
		"more":       {{"a.npy", array.String() + "x"}},
		"other file": {{"a.npy", "a,b\n1,2\n"}},
		"parent":     {{"../a.npy", array.String()}},
		"deeper":     {{"a/../../b.npy", array.String()}},
		"root":       {{"/etc/a.npy", array.String()}},
		"backslash":  {{`..\a.npy`, array.String()}},
		"no name":    {{".npy", array.String()}},
	} {
		var file bytes.Buffer
		w := zip.NewWriter(&file)
		for _, member := range members {
			contents, err := w.Create(member[0])
			require.NoError(t, err)
			_, err = io.WriteString(contents, member[1])
			require.NoError(t, err)
		}
		require.NoError(t, w.Close())
		_, err := nd.ReadNPZ(bytes.NewReader(file.Bytes()), int64(file.Len()))
		require.ErrorIs(t, err, nd.ErrFormat, name)
	}
}

func TestWhatIsNotCutDoesNotEndUnexpectedly(t *testing.T) {
	var file bytes.Buffer
	require.NoError(t, nd.WriteNPZ(&file, map[string]*nd.Array{"a": floats(2)}))
	for name, data := range map[string][]byte{
		"other file":        []byte("a,b\n1,2\n"),
		"damaged directory": bytes.Replace(file.Bytes(), []byte("PK\x01\x02"), []byte("PK\x01\x03"), 1),
	} {
		_, err := nd.ReadNPZ(bytes.NewReader(data), int64(len(data)))
		require.ErrorIs(t, err, nd.ErrFormat, name)
		require.NotErrorIs(t, err, io.ErrUnexpectedEOF, name)
	}
}

func TestElementTypesThatAreNotSupportedAreShownWhole(t *testing.T) {
	for _, descr := range []string{"[('a', '<i4'), ('b]', '<f8', (2, 3))]", "('<f4', (2,))", "'<M8[D]'"} {
		_, err := nd.ReadNPY(bytes.NewReader(npy("{'descr': "+descr+", 'fortran_order': False, 'shape': (2,)}", "")))
		require.ErrorIs(t, err, nd.ErrFormat)
		require.ErrorContains(t, err, "elements of type "+descr+" are not supported")
	}
	long := "[" + strings.Repeat("('a', '<i4'), ", 2000) + "]"
	header := "{'descr': " + long + ", 'fortran_order': False, 'shape': (2,)}"
	_, err := nd.ReadNPY(strings.NewReader("\x93NUMPY\x01\x00" + string([]byte{byte(len(header)), byte(len(header) >> 8)}) + header))
	require.ErrorContains(t, err, long[:100])
	require.Less(t, len(err.Error()), 1000)
}

func TestDamagedArchivesAreNoticed(t *testing.T) {
	var file bytes.Buffer
	require.NoError(t, nd.WriteNPZ(&file, map[string]*nd.Array{"a": floats(2)}))
	damaged := bytes.Replace(file.Bytes(), []byte("\x00\x00\x80?"), []byte("\x00\x00\x81?"), 1)
	_, err := nd.ReadNPZ(bytes.NewReader(damaged), int64(len(damaged)))
	require.ErrorIs(t, err, zip.ErrChecksum)
}

func TestErrorsOfWritersAndReadersComeBack(t *testing.T) {
	cause := errors.New("disk full")
	full := writer(func([]byte) (int, error) { return 0, cause })
	require.ErrorIs(t, nd.WriteNPY(full, floats(2)), cause)
	require.ErrorIs(t, nd.WriteNPZ(full, map[string]*nd.Array{"a": nd.Zeros[float64](10000)}), cause)
	_, err := nd.ReadNPY(iotest.ErrReader(cause))
	require.ErrorIs(t, err, cause)
}

type writer func(data []byte) (int, error)

func (w writer) Write(data []byte) (int, error) { return w(data) }
