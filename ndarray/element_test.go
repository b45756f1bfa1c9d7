package ndarray_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

func TestAtMakesNoGarbage(t *testing.T) {
	e, err := engine.New("perdevice") // others make garbage of their own
	require.NoError(t, err)
	t.Cleanup(func() { _ = e.Close(context.Background()) })
	if e.NewVar().Sanitized() {
		t.Skip("so does the sanitizer")
	}
	x := nd.FromSliceIn(ops.NewEnv(e), values[float32](t, floats(300, 400)), 300, 400).T()
	i := 0
	allocations := testing.AllocsPerRun(1000, func() {
		i = (i + 1) % 300
		v, err := nd.At[float32](x, 7, i)
		if err != nil || v != float32(i*400+7) {
			t.Errorf("element (7,%d) is %v, %v", i, v, err)
		}
	})
	require.Less(t, allocations, 2.0, "none, but for pools, which forget: under the race detector every fourth")
}

func TestAtSeesWhatWasWrittenBeforeByAnyGoroutine(t *testing.T) {
	const workers, rounds = 8, 200
	x := nd.Zeros[int64](workers, 3)
	var all sync.WaitGroup
	for worker := range workers {
		all.Go(func() {
			row := x.Index(worker)
			for round := range int64(rounds) {
				nd.Set(row, round, 1)
				nd.AddInto(row, row, nd.FromSlice([]int64{1, 0, 2}))
				for column, want := range []int64{round + 1, round, 2 * (round + 1)} {
					if v, err := nd.At[int64](x, worker, column); err != nil || v != want {
						t.Errorf("element (%d,%d) is %d, %v, want %d", worker, column, v, err, want)
					}
				}
			}
		})
	}
	all.Wait()
}

func TestAtOfAnArrayInErrorGivesTheErrorEachTimeAndThenWorksForOthers(t *testing.T) {
	failed, fine := floats(2).Take(nd.FromSlice([]int64{5}), 0), nd.FromSlice([]complex128{1 + 2i})
	for range 3 {
		_, err := nd.At[float32](failed, 0)
		require.ErrorIs(t, err, fault.ErrIndex)
		v, err := nd.At[complex128](fine, 0)
		require.NoError(t, err)
		require.Equal(t, 1+2i, v)
	}
	released := floats(2)
	released.Release()
	require.ErrorIs(t, mistake(t, func() { _, _ = nd.At[float32](released, 0) }), fault.ErrReleased)
	half, err := nd.At[dtype.F16](nd.FromSlice([]dtype.F16{1, 2, 3}), -1)
	require.NoError(t, err)
	require.EqualValues(t, 3, half)
}
