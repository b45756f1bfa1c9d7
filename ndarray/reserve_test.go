package ndarray_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	nd "github.com/weft-nd/weft/ndarray"
)

// Room is reserved for large arrays as they are written: behind what the file has, and no byte more than is written counts.
func TestLargeArraysFollowEachOtherInAFile(t *testing.T) {
	const count = 1 << 19 // 2 MiB
	file, err := os.Create(filepath.Join(t.TempDir(), "two.npy"))
	require.NoError(t, err)
	defer file.Close()
	for _, start := range []float32{0, 7} {
		require.NoError(t, nd.WriteNPY(file, nd.Arange(start, start+count, 1)))
	}
	info, err := file.Stat()
	require.NoError(t, err)
	require.EqualValues(t, 2*(128+4*count), info.Size())
	_, err = file.Seek(0, 0)
	require.NoError(t, err)
	for _, start := range []float32{0, 7} {
		a, err := nd.ReadNPY(file)
		require.NoError(t, err)
		require.Equal(t, []int{count}, a.Shape())
		last, err := nd.At[float32](a, count-1)
		require.NoError(t, err)
		require.Equal(t, start+count-1, last)
	}
}

func TestLargeArraysGoThroughPipes(t *testing.T) {
	const count = 1 << 19
	reader, writer, err := os.Pipe()
	require.NoError(t, err)
	defer reader.Close()
	written := make(chan error, 1)
	go func() {
		err := nd.WriteNPY(writer, nd.Arange[float32](0, count, 1))
		writer.Close()
		written <- err
	}()
	a, err := nd.ReadNPY(reader)
	require.NoError(t, err)
	require.NoError(t, <-written)
	require.Equal(t, []int{count}, a.Shape())
}
