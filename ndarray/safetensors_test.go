package ndarray_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// safetensors returns a file of the given header and elements.
func safetensors(header, elements string) []byte {
	return append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header+elements...)
}

// everySafetensorsDType returns an array of each element type that the format has, some of them strided.
func everySafetensorsDType() map[string]*nd.Array {
	arrays := everyDType()
	maps.DeleteFunc(arrays, func(_ string, a *nd.Array) bool { return a.DType() == dtype.Complex128 })
	return arrays
}

// TestSafetensorsHaveTheBytesOfTheReference has what safetensors.numpy.save of version 0.8.0 writes.
func TestSafetensorsHaveTheBytesOfTheReference(t *testing.T) {
	arrays := map[string]*nd.Array{
		"b": nd.FromSlice([]bool{true, false, true}), "w<&>": nd.FromSlice([]float32{1, -2}, 2, 1), "h": nd.FromSlice([]dtype.F16{0x3c00}),
		"e": nd.Zeros[int64](0, 3), "s": nd.Full(uint8(7)),
	}
	want := safetensors(`{"__metadata__":{"format":"np"},"e":{"dtype":"I64","shape":[0,3],"data_offsets":[0,0]},`+
		`"w<&>":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},"h":{"dtype":"F16","shape":[1],"data_offsets":[8,10]},`+
		`"s":{"dtype":"U8","shape":[],"data_offsets":[10,11]},"b":{"dtype":"BOOL","shape":[3],"data_offsets":[11,14]}}    `,
		"\x00\x00\x80?\x00\x00\x00\xc0\x00<\x07\x01\x00\x01")
	var file bytes.Buffer
	metadata := map[string]string{"format": "np"}
	require.NoError(t, nd.WriteSafetensors(&file, arrays, metadata))
	require.Equal(t, string(want), file.String())
	read, found, err := nd.ReadSafetensors(iotest.OneByteReader(&file))
	require.NoError(t, err)
	require.Equal(t, metadata, found)
	require.Equal(t, fmt.Sprint(arrays), fmt.Sprint(read))
}

func TestArraysComeBackFromSafetensors(t *testing.T) {
	arrays := everySafetensorsDType()
	path := filepath.Join(t.TempDir(), "a")
	require.NoError(t, nd.SaveSafetensors(path, arrays, nil))
	file, err := os.ReadFile(path)
	require.NoError(t, err)
	loaded, metadata, err := nd.LoadSafetensors(path)
	require.NoError(t, err)
	require.Nil(t, metadata)
	read, _, err := nd.ReadSafetensors(bytes.NewReader(file))
	require.NoError(t, err)
	for name, want := range arrays {
		require.Equal(t, fmt.Sprintf("%+v", want), fmt.Sprintf("%+v", loaded[name]), name)
		require.Equal(t, fmt.Sprintf("%+v", want), fmt.Sprintf("%+v", read[name]), name)
	}
	require.Len(t, loaded, len(arrays))
	for length := range len(file) {
		_, _, err := nd.ReadSafetensors(bytes.NewReader(file[:length]))
		require.ErrorIs(t, err, nd.ErrFormat, length)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, length)
		if length%32 == 0 {
			require.NoError(t, os.WriteFile(path, file[:length], 0o600))
			_, _, err = nd.LoadSafetensors(path)
			require.ErrorIs(t, err, nd.ErrFormat, length)
			require.ErrorContains(t, err, path)
		}
	}
	require.NoError(t, os.WriteFile(path, append(file, 0), 0o600))
	_, _, err = nd.LoadSafetensors(path)
	require.ErrorIs(t, err, nd.ErrFormat)
}

func TestElementsThatAreNotAlignedAreRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	header := `{"b":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"f":{"dtype":"F32","shape":[2],"data_offsets":[1,9]},"t":{"dtype":"BOOL","shape":[2],"data_offsets":[9,11]}}`
	require.NoError(t, os.WriteFile(path, safetensors(header, "\x07\x00\x00\x80?\x00\x00\x00\xc0\xff\x00"), 0o600))
	arrays, _, err := nd.LoadSafetensors(path)
	require.NoError(t, err)
	require.Equal(t, "map[b:[7] f:[ 1. -2.] t:[ True False]]", fmt.Sprint(arrays))
	require.Equal(t, []int64{1, 0}, values[int64](t, arrays["t"].Cast(dtype.Int64)))
}

func TestHostileSafetensorsGiveAnError(t *testing.T) {
	const good = `"dtype":"U8","shape":[2],"data_offsets":[0,2]`
	for _, header := range []string{
		"", " {}", "[]", "{", `{"a":1}`, `{"a":{` + good + `}`, `{"a":{` + good + `}}{}`, `{"a":{` + good + `},}`,
		`{"a":{` + good + `},"a":{` + good + `}}`, `{"a":{` + good + `},"\u0061":{"dtype":"U8","shape":[0],"data_offsets":[2,2]}}`,
		`{"a":{` + good + `,"dtype":"U8"}}`, `{"a":{` + good + `,"more":1}}`, `{"a":{"DType":"U8","shape":[2],"data_offsets":[0,2]}}`,
		`{"a":{"dtype":"U8","shape":[2]}}`, `{"a":{"dtype":8,"shape":[2],"data_offsets":[0,2]}}`,
		`{"a":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[0,2]}}`, `{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,2]}}`,
		`{"a":{"dtype":"U8","shape":2,"data_offsets":[0,2]}}`, `{"a":{"dtype":"U8","shape":[-2],"data_offsets":[0,2]}}`,
		`{"a":{"dtype":"U8","shape":[2.0],"data_offsets":[0,2]}}`, `{"a":{"dtype":"U8","shape":["2"],"data_offsets":[0,2]}}`,
		`{"a":{"dtype":"U8","shape":[2],"data_offsets":[0]}}`, `{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2,2]}}`,
		`{"a":{"dtype":"U8","shape":[2],"data_offsets":[2,0]}}`, `{"a":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}}`,
		`{"a":{"dtype":"U8","shape":[9223372036854775808],"data_offsets":[0,2]}}`,
		`{"a":{"dtype":"F64","shape":[4611686018427387904,4],"data_offsets":[0,0]}}`,
		`{"a":{"dtype":"U8","shape":[9223372036854775807],"data_offsets":[0,9223372036854775807]}}`,
		`{"a":{"dtype":"U8","shape":[` + strings.Repeat("1,", 64) + `2],"data_offsets":[0,2]}}`,
		`{"a":{` + good + `},"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}}`, // an overlap
		`{"a":{` + good + `},"b":{"dtype":"U8","shape":[2],"data_offsets":[3,5]}}`, // a hole
		`{"a":{` + good + `},"b":{` + good + `}}`,
		`{"__metadata__":{"k":1},"a":{` + good + `}}`, `{"__metadata__":{"k":"1","k":"2"},"a":{` + good + `}}`, `{"__metadata__":[],"a":{` + good + `}}`,
		"{\"\xff\":{" + good + "}}", strings.Repeat("[", 10000), `{"a":` + strings.Repeat(`{"a":`, 10000),
	} {
		_, _, err := nd.ReadSafetensors(bytes.NewReader(safetensors(header, "\x01\x02")))
		require.ErrorIs(t, err, nd.ErrFormat, "%.100s", header)
		require.ErrorContains(t, err, "safetensors_test.go:")
		require.Less(t, len(err.Error()), 1000)
	}
	for _, length := range []uint64{100_000_001, 1 << 62, 1<<64 - 1, 99_999_999} { // the last may be, but is not there
		_, _, err := nd.ReadSafetensors(bytes.NewReader(append(binary.LittleEndian.AppendUint64(nil, length), '{')))
		require.ErrorIs(t, err, nd.ErrFormat, length)
	}
}

func TestWhatTheFormatDoesNotHaveIsNotWritten(t *testing.T) {
	for want, mistaken := range map[error]func() error{
		fault.ErrDType: func() error {
			return nd.WriteSafetensors(io.Discard, map[string]*nd.Array{"a": nd.Zeros[complex128](1)}, nil)
		},
		fault.ErrParameter: func() error {
			return nd.WriteSafetensors(io.Discard, map[string]*nd.Array{"__metadata__": floats(1)}, nil)
		},
		fault.ErrMisuse: func() error { return nd.WriteSafetensors(io.Discard, map[string]*nd.Array{"a": nil}, nil) },
	} {
		require.ErrorIs(t, mistake(t, func() { _ = mistaken() }), want)
	}
	err := mistake(t, func() { _ = nd.WriteSafetensors(io.Discard, nil, map[string]string{"k": "\xff"}) })
	require.ErrorIs(t, err, fault.ErrParameter)
	axes := make([]int, 65)
	for i := range axes {
		axes[i] = 1
	}
	var file bytes.Buffer
	require.NoError(t, nd.WriteSafetensors(&file, map[string]*nd.Array{"a": nd.Zeros[float32](axes[:64]...)}, nil))
	_, _, readable := nd.ReadSafetensors(&file)
	require.NoError(t, readable)
	deep := nd.WriteSafetensors(&file, map[string]*nd.Array{"a": nd.Zeros[float32](axes...)}, nil)
	require.ErrorIs(t, deep, fault.ErrShape)
	require.ErrorContains(t, deep, "65 axes")
	require.Zero(t, file.Len())
	failed := floats(2).Take(nd.FromSlice([]int64{5}), 0)
	require.ErrorIs(t, nd.WriteSafetensors(io.Discard, map[string]*nd.Array{"a": failed}, nil), fault.ErrIndex)
}

func FuzzReadSafetensorsReturnsArraysOrAnError(f *testing.F) {
	var file bytes.Buffer
	require.NoError(f, nd.WriteSafetensors(&file, everySafetensorsDType(), map[string]string{"k": "v"}))
	f.Add(file.Bytes())
	f.Add(safetensors(`{"a":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]}}`, "12345678"))
	f.Fuzz(func(t *testing.T, file []byte) {
		arrays, metadata, err := nd.ReadSafetensors(bytes.NewReader(file))
		if err != nil {
			require.ErrorIs(t, err, nd.ErrFormat)
			return
		}
		var written bytes.Buffer
		require.NoError(t, nd.WriteSafetensors(&written, arrays, metadata))
		again, found, err := nd.ReadSafetensors(bytes.NewReader(written.Bytes()))
		require.NoError(t, err)
		require.Equal(t, len(metadata), len(found))
		require.Equal(t, fmt.Sprint(arrays), fmt.Sprint(again))
	})
}
