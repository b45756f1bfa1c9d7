package storage_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/storage"
)

// Caffe's tests of Blob, B1: Initialization, Pointers, Reshape and ReshapeZero.
func TestBlobsHaveTheShapeThatTheyWereGiven(t *testing.T) {
	onEngines(t, func(t *testing.T, m *machine) {
		unshaped, shaped := new(storage.Blob), newBlob(t, m, 2, 3, 4, 5)
		require.Zero(t, unshaped.Axes())
		require.Zero(t, unshaped.Count())
		require.ErrorIs(t, panicOf(t, func() { unshaped.Reshape(2, 3) }), fault.ErrMisuse)

		require.Equal(t, []int{2, 3, 4, 5}, []int{shaped.Number(), shaped.Channels(), shaped.Height(), shaped.Width()})
		require.Equal(t, 4, shaped.Axes())
		require.Equal(t, 120, shaped.Count())
		require.Equal(t, dtype.Float32, shaped.DType())
		for _, v := range []storage.View{shaped.Data(), shaped.Diff()} {
			for _, mode := range []engine.Mode{engine.Read, engine.Update} {
				for _, d := range []device.Device{cpu0, sim0} {
					m.requireNoError(m.do("see", d, func(_ *engine.RunContext, at []device.Pointer) error {
						require.False(t, at[0].IsNil())
						return nil
					}, whole(v.Synced, mode)))
				}
			}
		}
		b := newBlob(t, m, 0)
		b.Reshape(2, 3, 4, 5)
		require.Equal(t, 120, b.Count())
		b.Reshape(0, 5)
		require.Zero(t, b.Count())
		require.Equal(t, 2, b.Axes())
	})
}

// Caffe's test of Blob, B2: LegacyBlobProtoShapeEquals.
func TestLegacyShapesLackAxesInFront(t *testing.T) {
	for _, c := range []struct {
		shape  []int
		legacy [4]int
		equal  bool
	}{
		{[]int{3, 2}, [4]int{1, 1, 3, 2}, true}, {[]int{3, 2}, [4]int{0, 1, 3, 2}, false}, {[]int{3, 2}, [4]int{3, 1, 3, 2}, false},
		{[]int{1, 3, 2}, [4]int{1, 1, 3, 2}, true}, {[]int{2, 3, 2}, [4]int{1, 1, 3, 2}, false}, {[]int{2, 3, 2}, [4]int{1, 2, 3, 2}, true},
		{nil, [4]int{1, 1, 1, 1}, true}, {[]int{1, 1, 1, 3, 2}, [4]int{1, 1, 3, 2}, false}, {[]int{5, 1, 3, 2}, [4]int{5, 1, 3, 2}, true},
	} {
		b := newBlob(t, engine.NewNaive(), c.shape...)
		require.Equal(t, c.equal, b.LegacyShapeEquals(c.legacy[0], c.legacy[1], c.legacy[2], c.legacy[3]), "%v %v", c.shape, c.legacy)
	}
}

func TestMissingAxesOfLegacyShapesAreOne(t *testing.T) {
	for _, c := range []struct{ shape, front, back []int }{
		{nil, []int{1, 1, 1, 1}, []int{1, 1, 1, 1}}, {[]int{7}, []int{7, 1, 1, 1}, []int{1, 1, 1, 7}},
		{[]int{3, 2}, []int{3, 2, 1, 1}, []int{1, 1, 3, 2}}, {[]int{4, 0, 2}, []int{4, 0, 2, 1}, []int{1, 4, 0, 2}},
		{[]int{2, 3, 4, 5}, []int{2, 3, 4, 5}, []int{2, 3, 4, 5}},
	} {
		b := newBlob(t, engine.NewNaive(), c.shape...)
		for axis := range 4 {
			require.Equal(t, c.front[axis], b.LegacyShape(axis))
			require.Equal(t, c.back[axis], b.LegacyShape(axis-4))
		}
		require.Equal(t, c.front, []int{b.Number(), b.Channels(), b.Height(), b.Width()})
		for _, axis := range []int{4, -5} {
			requireMistake(t, fault.ErrAxis, func() { b.LegacyShape(axis) })
		}
	}
	requireMistake(t, fault.ErrAxis, func() { newBlob(t, engine.NewNaive(), 1, 1, 1, 1, 1).Number() })
}

func TestQuestionsAboutTheShape(t *testing.T) {
	b := newBlob(t, engine.NewNaive(), 2, 3, 4)
	require.Equal(t, "2 3 4 (24)", b.ShapeString())
	require.Equal(t, "(1)", newBlob(t, engine.NewNaive()).ShapeString())
	require.Equal(t, "0 5 (0)", newBlob(t, engine.NewNaive(), 0, 5).ShapeString())
	require.True(t, b.ShapeEquals(2, 3, 4))
	require.False(t, b.ShapeEquals(2, 3))
	require.False(t, b.ShapeEquals(2, 3, 5))
	for start, counts := range [][]int{{1, 2, 6, 24}, {1, 3, 12}, {1, 4}, {1}} {
		for i, count := range counts {
			require.Equal(t, count, b.CountBetween(start, start+i))
		}
	}
	for _, c := range [][2]int{{-1, 2}, {2, 1}, {0, 4}, {4, 4}} {
		requireMistake(t, fault.ErrAxis, func() { b.CountBetween(c[0], c[1]) })
	}
	for axis := range 3 {
		require.Equal(t, axis, b.CanonicalAxis(axis))
		require.Equal(t, axis, b.CanonicalAxis(axis-3))
	}
	for _, axis := range []int{3, -4} {
		requireMistake(t, fault.ErrAxis, func() { b.CanonicalAxis(axis) })
	}
	like := newBlob(t, engine.NewNaive(), 1)
	like.ReshapeLike(b)
	require.True(t, like.ShapeEquals(2, 3, 4))
}

// Every index has its number, in row-major order, and those one too high or too low have none: Caffe's legacy form takes an
// index that equals its size.
func TestOffsetsCountElementsInRowMajorOrder(t *testing.T) {
	b := newBlob(t, engine.NewNaive(), 2, 3, 4, 5)
	number := 0
	for n := range 2 {
		for c := range 3 {
			for h := range 4 {
				for w := range 5 {
					require.Equal(t, number, b.LegacyOffset(n, c, h, w))
					require.Equal(t, number, b.Offset(n, c, h, w))
					number++
				}
			}
		}
	}
	require.Zero(t, b.Offset())
	require.Equal(t, 60, b.Offset(1))
	require.Equal(t, 100, b.Offset(1, 2))
	for axis, n := range b.Shape() {
		for _, index := range []int{-1, n, n + 1} {
			at := make([]int, 4)
			at[axis] = index
			requireMistake(t, fault.ErrIndex, func() { b.Offset(at...) })
			requireMistake(t, fault.ErrIndex, func() { b.LegacyOffset(at[0], at[1], at[2], at[3]) })
		}
	}
	requireMistake(t, fault.ErrIndex, func() { b.Offset(0, 0, 0, 0, 0) })
	requireMistake(t, fault.ErrIndex, func() { newBlob(t, engine.NewNaive(), 2, 0).Offset(1) })
	require.Zero(t, newBlob(t, engine.NewNaive()).Offset())
	require.Equal(t, 5, newBlob(t, engine.NewNaive(), 3, 2).LegacyOffset(2, 1, 0, 0))
}

// requireMistake checks that call panics for the given reason, and tells the line of this package that it is on.
func requireMistake(t *testing.T, cause error, call func()) {
	t.Helper()
	failure := panicOf(t, call)
	require.ErrorIs(t, failure, cause)
	require.Regexp(t, `blob_shape_test\.go:\d+$`, failure.Error(), fmt.Sprint(failure))
}
