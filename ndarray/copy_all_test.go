package ndarray_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
	"github.com/weft-nd/weft/storage"
)

func TestCopyAllCopiesAsIfAllSourcesHadBeenCopiedFirst(t *testing.T) {
	a, b, c := nd.FromSlice([]float32{1, 2}), nd.FromSlice([]float32{3, 4}), nd.FromSlice([]float32{5, 6})
	require.NoError(t, nd.CopyAllInto(t.Context(), []*nd.Array{a, b, c}, []*nd.Array{b, c.Index("::-1"), a}))
	for i, want := range [][]float32{{3, 4}, {6, 5}, {1, 2}} {
		got, err := nd.Values[float32]([]*nd.Array{a, b, c}[i])
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

func TestCopyAllCopiesAllOrNothing(t *testing.T) {
	first := nd.Zeros[float32](2)
	ones, failed, released, saved := nd.Ones[float32](2), nd.Ones[float32](3).Take(nd.FromSlice([]int64{0, 9}), 0), nd.Ones[float32](2), nd.Ones[float32](2)
	none := nd.Ones[float32](0)
	released.Release()
	none.Release()
	naive, err := engine.New("naive")
	require.NoError(t, err)
	elsewhere := nd.OnesIn(ops.NewEnv(naive), dtype.Float32, 2)
	watcher := &tape{}
	var held *storage.Hold
	saved.Env().Engine().Atomically(func(engine.Pusher) { held = (*ops.Tensor)(saved).View().Synced.Hold(fault.Here(0)) })
	defer held.Drop()
	cases := map[string]struct {
		dst, src *nd.Array
		want     error
	}{
		"a source in error":      {nd.Zeros[float32](2), failed, fault.ErrIndex},
		"another shape":          {nd.Zeros[float32](2), nd.Ones[float32](3), fault.ErrShape},
		"another dtype":          {nd.Zeros[float32](2), nd.Ones[float64](2), fault.ErrDType},
		"another engine":         {nd.Zeros[float32](2), elsewhere, fault.ErrDevice},
		"none of a released one": {nd.Zeros[float32](0), none, fault.ErrReleased},
		"a watched destination":  {watcher.watch(nd.Zeros[float32](2)), ones, fault.ErrMisuse},
		"a released source":      {nd.Zeros[float32](2), released, fault.ErrReleased},
		"a released destination": {released, ones, fault.ErrReleased},
		"a saved destination":    {saved, ones, fault.ErrSaved},
		"a broadcast view":       {nd.Zeros[float32](1).BroadcastTo(2), ones, fault.ErrMisuse},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var err error
			if mistake := nd.Try(func() { err = nd.CopyAllInto(t.Context(), []*nd.Array{first, c.dst}, []*nd.Array{ones, c.src}) }); mistake != nil {
				err = mistake
			}
			require.ErrorIs(t, err, c.want)
			got, err := nd.Values[float32](first)
			require.NoError(t, err)
			require.Equal(t, []float32{0, 0}, got)
		})
	}
	require.NoError(t, nd.CopyAllInto(t.Context(), []*nd.Array{first}, []*nd.Array{watcher.watch(ones)}), "a watched source is read")
	require.ErrorIs(t, nd.Try(func() { _ = nd.CopyAllInto(t.Context(), []*nd.Array{first}, nil) }), fault.ErrMisuse)
}
