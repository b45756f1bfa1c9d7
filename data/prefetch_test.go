package data_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/data"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// watched is a data set that counts its calls, each of which passes through enter.
type watched struct {
	count  int
	begun  *atomic.Int64
	active *atomic.Int64
	enter  func(first int)
}

func newWatched(count int, enter func(first int)) watched {
	return watched{count, new(atomic.Int64), new(atomic.Int64), enter}
}

func (w watched) Len() int { return w.count }

func (w watched) Batch(indices []int) (data.Batch, error) {
	w.begun.Add(1)
	w.active.Add(1)
	defer w.active.Add(-1)
	if w.enter != nil {
		w.enter(indices[0])
	}
	return numbers{w.count, -1}.Batch(indices)
}

func TestWorkersChangeNoOrder(t *testing.T) {
	for _, workers := range []int{1, 2, 7} {
		gates := make([]chan bool, 8)
		for i := range gates {
			gates[i] = make(chan bool)
		}
		set := newWatched(8, func(first int) {
			if workers > 1 && first%2 == 0 { // the even ones are done after the odd ones behind them
				<-gates[first+1]
			} else {
				close(gates[first])
			}
		})
		want := int64(0)
		for b, err := range data.NewLoader(set, 1, data.Workers(workers), data.Prefetch(8)).Batches(context.Background()) {
			require.NoError(t, err)
			values, err := nd.Values[int64](b.Inputs)
			require.NoError(t, err)
			require.Equal(t, []int64{want}, values)
			want++
		}
		require.EqualValues(t, 8, want)
	}
}

func TestNoMoreIsPreparedThanIsAskedFor(t *testing.T) {
	for _, c := range []struct{ prefetch, workers int }{{1, 1}, {1, 5}, {3, 2}, {4, 4}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			set, given := newWatched(100, nil), int64(0)
			for _, err := range data.NewLoader(set, 1, data.Prefetch(c.prefetch), data.Workers(c.workers)).Batches(context.Background()) {
				require.NoError(t, err)
				given++
				for range 20 {
					runtime.Gosched()
				}
				require.LessOrEqual(t, set.begun.Load(), given+int64(c.prefetch))
			}
			require.EqualValues(t, 100, given)
		})
	}
}

func TestNothingReadsTheDataSetWhenTheLoopIsOver(t *testing.T) {
	before := runtime.NumGoroutine()
	failing := errors.New("failing")
	for range 20 {
		for name, leave := range map[string]func(l *data.Loader) error{
			"left": func(l *data.Loader) error {
				for range l.Batches(context.Background()) {
					return nil
				}
				return nil
			},
			"panicking": func(l *data.Loader) (err error) {
				defer func() { err = recover().(error) }()
				for range l.Batches(context.Background()) {
					panic(failing)
				}
				return nil
			},
			"cancelled": func(l *data.Loader) (last error) {
				ctx, cancel := context.WithCancelCause(context.Background())
				defer cancel(nil)
				for _, last = range l.Batches(ctx) {
					cancel(failing)
				}
				return last
			},
		} {
			set := newWatched(1000, func(int) { runtime.Gosched() })
			err := leave(data.NewLoader(set, 1, data.Workers(4), data.Prefetch(4)))
			require.Zero(t, set.active.Load(), name)
			begun := set.begun.Load()
			runtime.Gosched()
			require.Equal(t, begun, set.begun.Load(), name)
			if name != "left" {
				require.ErrorIs(t, err, failing, name)
			}
		}
	}
	require.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+2 }, 10*time.Second, time.Millisecond, "goroutines are left over")
}

func TestErrorsAndPanicsComeAtTheirBatchWithManyWorkers(t *testing.T) {
	for name, c := range map[string]struct {
		fail   func()
		reason error
	}{
		"panic":             {func() { panic("out of luck") }, fault.ErrPanic},
		"mistaken call":     {func() { nd.FromSlice([]float32{1}, 2) }, fault.ErrShape},
		"end of the thread": {runtime.Goexit, fault.ErrPanic},
	} {
		t.Run(name, func(t *testing.T) {
			set := newWatched(30, func(first int) {
				if first == 13 {
					c.fail()
				}
			})
			given := 0
			for _, err := range data.NewLoader(set, 1, data.Workers(5), data.Prefetch(9)).Batches(context.Background()) {
				if given == 13 {
					require.ErrorIs(t, err, c.reason)
					require.ErrorContains(t, err, "batch 14 of 30")
				} else {
					require.NoError(t, err)
				}
				given++
			}
			require.Equal(t, 14, given)
		})
	}
}
