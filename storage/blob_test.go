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
	return storage.NewBlob(e, dtype.Float32, shape...)
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
		b.Reshape(shape...)
		requireBlob(t, b, shape)
		require.Same(t, data, b.Data().Synced)
		require.Same(t, diff, b.Diff().Synced)
	}
	b.Reshape(7)
	requireBlob(t, b, []int{7})
	require.NotSame(t, data, b.Data().Synced)
	require.NotSame(t, diff, b.Diff().Synced)
}

func TestBlobsRefuseShapesThatCannotBe(t *testing.T) {
	b := newBlob(t, engine.NewNaive(), 2, 3)
	data := b.Data().Synced
	for _, shape := range [][]int{{-1}, {2, -3}, {0, -1}, {1 << 40, 1 << 40}, {1 << 32, 1 << 32}, {1 << 62}} {
		err := panicOf(t, func() { b.Reshape(shape...) })
		require.ErrorIs(t, err, fault.ErrShape, "%v", shape)
		require.Regexp(t, `at blob_test\.go:\d+`, err.Error())
		requireBlob(t, b, []int{2, 3})
		require.Same(t, data, b.Data().Synced)
		err = panicOf(t, func() { storage.NewBlob(engine.NewNaive(), dtype.Float32, shape...) })
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
		b.ShareData(a)
		b.ShareDiff(a)
		m.write(a.Data().Synced, cpu0, pattern(24, 1))
		m.write(b.Diff().Synced, sim0, pattern(24, 2))
		m.read(b.Data().Synced, sim0).requires(pattern(24, 1))
		m.read(a.Diff().Synced, cpu0).requires(pattern(24, 2))

		b.Reshape(7)
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
	large.Reshape(4)
	for _, share := range []func(b *storage.Blob){
		func(b *storage.Blob) { b.ShareData(large) },
		func(b *storage.Blob) { b.ShareDiff(large) },
	} {
		b := newBlob(t, e, 4)
		requireBlob(t, b, []int{4})
		share(b)
		for _, shape := range [][]int{{4}, {50}, {100}, {101}} {
			b.Reshape(shape...)
			requireBlob(t, b, shape)
		}
	}
}

func TestSharingOfUnequalBlobsIsAMistake(t *testing.T) {
	e := engine.NewNaive()
	b := newBlob(t, e, 2, 3)
	data, diff := b.Data().Synced, b.Diff().Synced
	for _, c := range []struct {
		other *storage.Blob
		cause error
	}{
		{newBlob(t, e, 7), fault.ErrShape}, {newBlob(t, e, 5), fault.ErrShape},
		{storage.NewBlob(e, dtype.Float16, 2, 3), fault.ErrDType}, {newBlob(t, engine.NewNaive(), 2, 3), fault.ErrMisuse},
	} {
		require.ErrorIs(t, panicOf(t, func() { b.ShareData(c.other) }), c.cause)
		require.ErrorIs(t, panicOf(t, func() { b.ShareDiff(c.other) }), c.cause)
		require.ErrorIs(t, panicOf(t, func() { b.CopyFrom(cpu0, c.other, false, false) }), c.cause)
	}
	requireBlob(t, b, []int{2, 3})
	require.Same(t, data, b.Data().Synced)
	require.Same(t, diff, b.Diff().Synced)
}

// The capacity of data and that of diff are two: only what is too small is replaced, and stops being shared.
func TestSharingEndsOnlyWhereMemoryIsTooSmall(t *testing.T) {
	e := engine.NewNaive()
	large, b := newBlob(t, e, 100), newBlob(t, e, 4)
	large.Reshape(4)
	b.ShareDiff(large)
	data := b.Data().Synced
	b.Reshape(100)
	require.NotSame(t, data, b.Data().Synced)
	require.Same(t, large.Diff().Synced, b.Diff().Synced)
	b.Reshape(101)
	require.NotSame(t, large.Diff().Synced, b.Diff().Synced)
}

func TestCopiesOfBlobsKeepShapeAndContents(t *testing.T) {
	onEngines(t, func(t *testing.T, m *machine) {
		for _, d := range []device.Device{cpu0, sim0} {
			for _, diff := range []bool{false, true} {
				part := func(b *storage.Blob) *storage.Synced {
					if diff {
						return b.Diff().Synced
					}
					return b.Data().Synced
				}
				source := newBlob(t, m, 100, 30)
				m.requireNoError(m.write(part(source), d, pattern(12000, 1)))
				for name, target := range map[string]*storage.Blob{
					"of the same size": newBlob(t, m, 100, 30), "smaller": newBlob(t, m, 3), "larger": newBlob(t, m, 4000),
				} {
					m.forgetTraffic()
					own := allTraffic()
					target.CopyFrom(d, source, diff, true)
					requireBlob(t, target, []int{100, 30})
					m.readPart(part(target), d, 0, 12000).requires(pattern(12000, 1))
					if name != "larger" {
						require.Equal(t, map[device.Device]int{cpu0: 0, sim0: 2}[d], allTraffic()-own, "the copy and the read, no fill")
					}
				}
				require.Equal(t, !diff, !source.HasDiff())
			}
		}
	})
}

func TestCopiesOfBlobsOfAnotherShapeAreAMistakeUnlessReshaped(t *testing.T) {
	onEngines(t, func(t *testing.T, m *machine) {
		source, target := newBlob(t, m, 2, 3), newBlob(t, m, 3, 2)
		m.write(source.Data().Synced, cpu0, pattern(24, 1))
		require.ErrorIs(t, panicOf(t, func() { target.CopyFrom(cpu0, source, false, false) }), fault.ErrShape)
		requireBlob(t, target, []int{3, 2})
		m.read(target.Data().Synced, cpu0).requires(make([]byte, 24))

		var hold *storage.Hold
		m.Atomically(func(engine.Pusher) { hold = target.Data().Synced.Hold(nil) })
		require.ErrorIs(t, panicOf(t, func() { target.CopyFrom(cpu0, source, false, true) }), fault.ErrSaved)
		requireBlob(t, target, []int{3, 2})
		hold.Drop()
		target.CopyFrom(cpu0, source, false, true)
		requireBlob(t, target, []int{2, 3})
		m.read(target.Data().Synced, sim0).requires(pattern(24, 1))
		target.CopyFrom(sim0, target, false, false)
		target.CopyFrom(sim0, source, true, false)
		m.read(target.Data().Synced, sim0).requires(pattern(24, 1))
		m.read(target.Diff().Synced, sim0).requires(make([]byte, 24))
	})
}

func TestMemoryOfTheCallerBecomesTheDataOfABlob(t *testing.T) {
	onEngines(t, func(t *testing.T, m *machine) {
		a, b := newBlob(t, m, 2, 3), newBlob(t, m, 6)
		b.ShareData(a)
		values := aligned(24)
		copy(values, pattern(24, 1))
		a.SetData(cpu0, hostPointer(values), nil)
		m.read(b.Data().Synced, sim0).requires(pattern(24, 1))
		require.Same(t, a.Data().Synced, b.Data().Synced)

		a.Reshape(2)
		diff := a.Diff().Synced
		a.SetData(cpu0, hostPointer(values[:8]), nil)
		require.NotSame(t, a.Data().Synced, b.Data().Synced, "the memory had another size")
		require.NotSame(t, diff, a.Diff().Synced)
		m.read(a.Data().Synced, cpu0).requires(pattern(24, 1)[:8])
		requireBlob(t, a, []int{2})

		copy(values, pattern(24, 2))
		b.SetDiff(cpu0, hostPointer(values), nil)
		m.read(b.Diff().Synced, sim1).requires(pattern(24, 2))
		requireBlob(t, b, []int{6})
		for _, p := range []device.Pointer{{}, hostPointer(values).Add(2), {Address: 4096}} {
			require.ErrorIs(t, panicOf(t, func() { b.SetData(cpu0, p, nil) }), fault.ErrMisuse)
			require.ErrorIs(t, panicOf(t, func() { b.SetDiff(cpu0, p, nil) }), fault.ErrMisuse)
		}
		m.read(b.Data().Synced, cpu0)
		m.read(b.Diff().Synced, cpu0).requires(pattern(24, 2))
	})
}
