package storage_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/storage"
)

func newBlob(t *testing.T, e engine.Engine, shape ...int) *storage.Blob {
	t.Helper()
	b, err := storage.NewBlob(e, dtype.Float32, shape...)
	require.NoError(t, err)
	return b
}

// requireBlob checks that the views of b have the given shape and lie within their memory.
func requireBlob(t *testing.T, b *storage.Blob, shape []int) {
	t.Helper()
	require.Equal(t, shape, b.Shape())
	for _, v := range []storage.View{b.Data(), b.Diff()} {
		require.Equal(t, shape, v.Shape)
		require.Equal(t, dtype.Float32, v.DType)
		require.True(t, v.IsContiguous())
		lo, hi := v.Extent()
		require.Zero(t, lo)
		require.Equal(t, storage.Count(shape)*4, hi)
		require.LessOrEqual(t, hi, v.Synced.Bytes())
	}
	require.NotSame(t, b.Data().Synced, b.Diff().Synced)
}

func TestBlobsOfAllShapes(t *testing.T) {
	e := engine.NewNaive()
	for _, shape := range [][]int{{2, 3, 4, 5}, {}, {0, 5}, {0}, {7}, {1, 1, 1}} {
		requireBlob(t, newBlob(t, e, shape...), append([]int{}, shape...))
	}
	require.Equal(t, 120, newBlob(t, e, 2, 3, 4, 5).Data().Count())
	require.Equal(t, 1, newBlob(t, e).Data().Count())
	require.Zero(t, newBlob(t, e, 0, 5).Data().Count())
}

func TestBlobsReallocateOnlyToGrow(t *testing.T) {
	b := newBlob(t, engine.NewNaive(), 2, 3)
	data, diff := b.Data().Synced, b.Diff().Synced
	for _, shape := range [][]int{{3, 2}, {6}, {1}, {0, 9}, {2, 1, 3}} {
		require.NoError(t, b.Reshape(shape...))
		requireBlob(t, b, shape)
		require.Same(t, data, b.Data().Synced)
		require.Same(t, diff, b.Diff().Synced)
	}
	require.NoError(t, b.Reshape(7))
	requireBlob(t, b, []int{7})
	require.NotSame(t, data, b.Data().Synced)
	require.NotSame(t, diff, b.Diff().Synced)
}

func TestBlobsRefuseShapesThatCannotBe(t *testing.T) {
	b := newBlob(t, engine.NewNaive(), 2, 3)
	data := b.Data().Synced
	for _, shape := range [][]int{{-1}, {2, -3}, {0, -1}, {1 << 40, 1 << 40}, {1 << 32, 1 << 32}, {1 << 62}} {
		err := b.Reshape(shape...)
		require.ErrorIs(t, err, fault.ErrShape, "%v", shape)
		require.Regexp(t, `at blob_test\.go:\d+`, err.Error())
		requireBlob(t, b, []int{2, 3})
		require.Same(t, data, b.Data().Synced)
		_, err = storage.NewBlob(engine.NewNaive(), dtype.Float32, shape...)
		require.ErrorIs(t, err, fault.ErrShape, "%v", shape)
	}
}

func TestBlobsAreZeroUntilWrittenOnEveryDevice(t *testing.T) {
	onEngines(t, func(t *testing.T, m *machine) {
		for _, d := range []device.Device{cpu0, sim0} {
			b := newBlob(t, m, 30, 1000)
			m.read(b.Data().Synced, d).requires(make([]byte, 120_000))
			m.update(b.Diff().Synced, d, 4, []byte{1, 2, 3, 4})
			want := make([]byte, 120_000)
			copy(want[4:], []byte{1, 2, 3, 4})
			m.read(b.Diff().Synced, d).requires(want)
			m.read(b.Diff().Synced, sim1).requires(want)
		}
	})
}

func TestBlobsThatShareSeeTheSameMemory(t *testing.T) {
	onEngines(t, func(t *testing.T, m *machine) {
		a, b := newBlob(t, m, 2, 3), newBlob(t, m, 6)
		require.NoError(t, b.ShareData(a))
		require.NoError(t, b.ShareDiff(a))
		m.write(a.Data().Synced, cpu0, pattern(24, 1))
		m.write(b.Diff().Synced, sim0, pattern(24, 2))
		m.read(b.Data().Synced, sim0).requires(pattern(24, 1))
		m.read(a.Diff().Synced, cpu0).requires(pattern(24, 2))

		require.NoError(t, b.Reshape(7))
		requireBlob(t, b, []int{7})
		requireBlob(t, a, []int{2, 3})
		m.read(a.Data().Synced, cpu0).requires(pattern(24, 1))
		m.read(b.Data().Synced, cpu0).requires(make([]byte, 28))
	})
}

// The data and the diff that a blob shares may come from blobs that were larger once, so each has a size of its own.
func TestViewsOfSharedMemoryStayWithinIt(t *testing.T) {
	e := engine.NewNaive()
	large := newBlob(t, e, 100)
	require.NoError(t, large.Reshape(4))
	for _, share := range []func(b *storage.Blob) error{
		func(b *storage.Blob) error { return b.ShareData(large) },
		func(b *storage.Blob) error { return b.ShareDiff(large) },
	} {
		b := newBlob(t, e, 4)
		requireBlob(t, b, []int{4})
		require.NoError(t, share(b))
		for _, shape := range [][]int{{4}, {50}, {100}, {101}} {
			require.NoError(t, b.Reshape(shape...))
			requireBlob(t, b, shape)
		}
	}
}

func TestSharingOfUnequalBlobsIsAnError(t *testing.T) {
	e := engine.NewNaive()
	b := newBlob(t, e, 2, 3)
	halves, err := storage.NewBlob(e, dtype.Float16, 2, 3)
	require.NoError(t, err)
	for _, other := range []*storage.Blob{newBlob(t, e, 7), newBlob(t, e, 5), halves} {
		require.ErrorIs(t, b.ShareData(other), fault.ErrShape)
		require.ErrorIs(t, b.ShareDiff(other), fault.ErrShape)
	}
	elsewhere := newBlob(t, engine.NewNaive(), 2, 3)
	require.ErrorIs(t, b.ShareData(elsewhere), fault.ErrMisuse)
	require.ErrorIs(t, b.ShareDiff(elsewhere), fault.ErrMisuse)
	requireBlob(t, b, []int{2, 3})
}
