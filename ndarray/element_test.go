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

func TestSetWritesAtOnceOrBehindWhatIsPendingAndMakesNoGarbage(t *testing.T) {
	e, err := engine.New("perdevice")
	require.NoError(t, err)
	t.Cleanup(func() { _ = e.Close(context.Background()) })
	if e.NewVar().Sanitized() {
		t.Skip("the sanitizer makes garbage")
	}
	env := ops.NewEnv(e)
	for _, x := range []*nd.Array{nd.FromSliceIn(env, make([]complex128, 12), 3, 4), nd.ZerosIn(env, dtype.Complex128, 3, 4)} {
		column := x.Index(nd.Whole, 2)
		nd.Set(column, 2i, -1)
		require.NoError(t, x.Wait(t.Context()))
		allocations := testing.AllocsPerRun(1000, func() { nd.Set(column, 3i, -1) })
		require.Less(t, allocations, 2.0, "none, but for pools, which forget: under the race detector every fourth")
		copied := x.Copy() // what is pending reads what was there
		nd.Set(x, 1+2i, 0, 0)
		require.Equal(t, []complex128{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3i, 0}, values[complex128](t, copied))
		require.Equal(t, []complex128{1 + 2i, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3i, 0}, values[complex128](t, x))
	}

	failed := floats(2).Take(nd.FromSlice([]int64{5, 5}), 0)
	nd.Set(failed, float32(1), 0)
	_, err = nd.At[float32](failed, 0)
	require.ErrorIs(t, err, fault.ErrIndex, "part of an array in error is written, the error stays")
}

func TestElementsOfEveryDTypeAreReadAndWritten(t *testing.T) {
	elementIsReadAndWritten(t, false, true)
	elementIsReadAndWritten[int](t, -1, 2)
	elementIsReadAndWritten[int8](t, -1, 2)
	elementIsReadAndWritten[int16](t, -1, 2)
	elementIsReadAndWritten[int32](t, -1, 2)
	elementIsReadAndWritten[int64](t, -1, 2)
	elementIsReadAndWritten[uint8](t, 1, 255)
	elementIsReadAndWritten[uint16](t, 1, 2)
	elementIsReadAndWritten[uint32](t, 1, 2)
	elementIsReadAndWritten[uint64](t, 1, 1<<63)
	elementIsReadAndWritten[dtype.F16](t, 1, 2)
	elementIsReadAndWritten[dtype.BF16](t, 1, 2)
	elementIsReadAndWritten[float32](t, 1, 2)
	elementIsReadAndWritten[float64](t, 1, 2)
	elementIsReadAndWritten[complex64](t, 1, 2i)
	elementIsReadAndWritten[complex128](t, 1, 2i)
}

func elementIsReadAndWritten[T dtype.Element](t *testing.T, old, changed T) {
	var zero T
	x := nd.FromSlice([]T{zero, zero, old, zero, zero, old}, 2, 3)
	view := x.Index(nd.SpanBy(nd.Open, nd.Open, -1), nd.SpanBy(0, nd.Open, 2))
	for range 2 { // also where it is there
		v, err := nd.At[T](view, 0, 1)
		require.NoError(t, err)
		require.Equal(t, old, v)
		nd.Set(view, old, -2, -1)
	}
	nd.Set(view, changed, -1, 0)
	require.Equal(t, []T{changed, zero, old, zero, zero, old}, values[T](t, x))
}

func TestElementsAreReadAndWrittenFromManyGoroutinesBesideOperators(t *testing.T) {
	const workers, rounds = 4, 300
	x := nd.Zeros[float64](workers, 2)
	var all sync.WaitGroup
	for worker := range workers {
		all.Go(func() {
			for round := range rounds {
				nd.Set(x, float64(round), worker, 0)
				if round%16 == 0 {
					row := x.Index(worker)
					nd.AddInto(row, row, nd.FromSlice([]float64{0, 1}))
				}
				v, err := nd.At[float64](x, worker, 0)
				if err != nil || v != float64(round) {
					t.Errorf("element (%d,0) is %v, %v, want %d", worker, v, err, round)
				}
				if _, err := nd.At[float64](x, (worker+1)%workers, 1); err != nil {
					t.Errorf("element (%d,1): %v", worker+1, err)
				}
			}
		})
	}
	all.Wait()
	for worker := range workers {
		v, err := nd.At[float64](x, worker, 1)
		require.NoError(t, err)
		require.EqualValues(t, (rounds+15)/16, v)
	}
}
