package ndarray_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

func TestArraysComeBackFromACompressedArchive(t *testing.T) {
	arrays := everyDType()
	arrays["folder/repeated"] = nd.Zeros[float64](1000, 1000)
	var file bytes.Buffer
	require.NoError(t, nd.WriteNPZ(&file, arrays, nd.Compressed()))
	require.Less(t, file.Len(), 100_000)
	loaded, err := nd.ReadNPZ(bytes.NewReader(file.Bytes()), int64(file.Len()))
	require.NoError(t, err)
	require.Len(t, loaded, len(arrays))
	for name, want := range arrays {
		require.Equal(t, fmt.Sprintf("%+v", want), fmt.Sprintf("%+v", loaded[name]), name)
	}
	for length := range file.Len() {
		_, err := nd.ReadNPZ(bytes.NewReader(file.Bytes()[:length]), int64(length))
		require.ErrorIs(t, err, nd.ErrFormat, length)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, length)
	}
}

func TestUnsafeNamesAreNotWritten(t *testing.T) {
	for _, name := range []string{"", ".", "..", "../a", "/a", "a/../b", "a//b", `a\b`, "a\x00b", "\xff"} {
		err := mistake(t, func() { _ = nd.WriteNPZ(&bytes.Buffer{}, map[string]*nd.Array{name: floats(1)}) })
		require.ErrorIs(t, err, fault.ErrParameter, name)
	}
}

// TestMembersOverEachOtherGiveAnError reads an archive whose directory has the same member under many names.
func TestMembersOverEachOtherGiveAnError(t *testing.T) {
	var file bytes.Buffer
	archive := zip.NewWriter(&file)
	for i := range 10 {
		member, err := archive.CreateHeader(&zip.FileHeader{Name: fmt.Sprintf("%d.npy", i)})
		require.NoError(t, err)
		if i == 0 {
			require.NoError(t, nd.WriteNPY(member, nd.Zeros[uint8](1000)))
		}
	}
	require.NoError(t, archive.Close())
	data := file.Bytes()
	directory := data[bytes.Index(data, []byte("PK\x01\x02")):]
	first := directory[:46]
	for entry := directory; bytes.HasPrefix(entry, []byte("PK\x01\x02")); { // checksum and sizes, flags, and where the member is
		copy(entry[16:28], first[16:28])
		copy(entry[42:46], first[42:46])
		name, extra := binary.LittleEndian.Uint16(entry[28:]), binary.LittleEndian.Uint16(entry[30:])
		entry = entry[46+int(name)+int(extra):]
	}
	_, err := nd.ReadNPZ(bytes.NewReader(data), int64(len(data)))
	require.ErrorIs(t, err, nd.ErrFormat)
	require.ErrorContains(t, err, "lies over others")
}

func FuzzReadNPZReturnsArraysOrAnError(f *testing.F) {
	for _, options := range [][]nd.NPZOption{nil, {nd.Compressed()}} {
		var file bytes.Buffer
		require.NoError(f, nd.WriteNPZ(&file, map[string]*nd.Array{"a": floats(2, 3), "b/c": nd.Full(true)}, options...))
		f.Add(file.Bytes())
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		arrays, err := nd.ReadNPZ(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			require.True(t, errors.Is(err, nd.ErrFormat) || errors.Is(err, fault.ErrOutOfMemory), err)
			return
		}
		var written bytes.Buffer
		require.NoError(t, nd.WriteNPZ(&written, arrays))
		again, err := nd.ReadNPZ(bytes.NewReader(written.Bytes()), int64(written.Len()))
		require.NoError(t, err)
		require.Len(t, again, len(arrays))
		for name, a := range arrays {
			require.Equal(t, fmt.Sprintf("%+v", a), fmt.Sprintf("%+v", again[name]))
		}
	})
}

func TestArraysGoThroughGobAndBinaryForms(t *testing.T) {
	for name, want := range everyDType() {
		data, err := want.MarshalBinary()
		require.NoError(t, err)
		var back nd.Array
		require.NoError(t, back.UnmarshalBinary(data))
		require.Equal(t, fmt.Sprintf("%+v", want), fmt.Sprintf("%+v", &back), name)
		require.ErrorIs(t, back.UnmarshalBinary(append(data, 0)), nd.ErrFormat)
		require.ErrorIs(t, back.UnmarshalBinary(data[:len(data)/2]), nd.ErrFormat)
		require.Equal(t, fmt.Sprintf("%+v", want), fmt.Sprintf("%+v", &back), "it is what it was")
	}
	type sample struct {
		Name  string
		Image *nd.Array
		None  *nd.Array
	}
	var stream bytes.Buffer
	sent := sample{"one", floats(2, 3).T(), nil}
	require.NoError(t, gob.NewEncoder(&stream).Encode(sent))
	var received sample
	require.NoError(t, gob.NewDecoder(&stream).Decode(&received))
	require.Equal(t, fmt.Sprintf("%v", sent), fmt.Sprintf("%v", received))
	failed := floats(2).Take(nd.FromSlice([]int64{5}), 0)
	_, err := failed.MarshalBinary()
	require.ErrorIs(t, err, fault.ErrIndex)
}
