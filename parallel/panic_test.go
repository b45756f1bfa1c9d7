package parallel

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPanicIsThrownInTheLauncher(t *testing.T) {
	failed := errors.New("body failed")
	for _, workers := range []int{1, 2, 8} {
		for _, chunk := range []int{0, 1, 7} {
			pool := newPool(t, workers)
			thread := pool.Thread()
			_, err := thread.SetChunkSize(chunk)
			require.NoError(t, err)
			for item := range 40 {
				require.PanicsWithValue(t, failed, func() {
					thread.For(40, func(inner *Thread, lo, hi int) {
						if lo <= item && item < hi {
							panic(failed)
						}
					})
				})
				checkRegion(t, thread, 40)
			}
			require.Equal(t, ^uint64(0), pool.free.Load())
		}
	}
}

func TestPanicPassesThroughNestedRegions(t *testing.T) {
	thread := newPool(t, 3).Thread()
	for range 100 {
		var running atomic.Int32
		require.PanicsWithValue(t, "inner", func() {
			thread.For(6, func(outer *Thread, lo, hi int) {
				running.Add(1)
				defer running.Add(-1)
				outer.For(6, func(inner *Thread, lo, hi int) { panic("inner") })
			})
		})
		require.Zero(t, running.Load(), "no body runs after the join")
	}
}

// A helper whose body ends its goroutine is replaced, and the launcher hears of it; a launcher that ends itself does so
// after the join.
func TestGoexitInABody(t *testing.T) {
	severalProcessors(t)
	pool := newPool(t, 2)
	for range 100 {
		launcher := make(chan any, 1)
		var group sync.WaitGroup
		var arrived, left atomic.Int32
		group.Go(func() {
			defer func() { launcher <- recover() }()
			pool.Thread().For(2, func(inner *Thread, lo, hi int) {
				arrived.Add(1)
				await(func() bool { return arrived.Load() == 2 })
				left.Add(1)
				if inner.ID() == 1 {
					runtime.Goexit()
				}
			})
		})
		require.Equal(t, errGoexit, <-launcher)
		group.Wait()
		require.EqualValues(t, 2, left.Load())

		group.Go(func() {
			defer func() { launcher <- recover() }()
			pool.Thread().For(50, func(inner *Thread, lo, hi int) {
				if inner.ID() == 0 {
					runtime.Goexit()
				}
			})
			t.Error("the launcher has ended")
		})
		require.Nil(t, <-launcher)
		group.Wait()
	}
	checkRegion(t, pool.Thread(), 100)
	require.Equal(t, ^uint64(0), pool.free.Load())
}
