package parallel

import (
	"context"
	"math"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMaskIsBoundedByTheWorkers(t *testing.T) {
	thread := newPool(t, 4).Thread()
	require.Equal(t, 4, thread.NumThreads())
	for _, n := range []int{1, 2, 4, 3} {
		require.NoError(t, thread.SetNumThreads(n))
		require.Equal(t, n, thread.NumThreads())
	}
	for _, n := range []int{0, -1, 5, math.MaxInt} {
		err := thread.SetNumThreads(n)
		var rangeError *RangeError
		require.ErrorAs(t, err, &rangeError)
		require.Equal(t, RangeError{"number of threads", n, 1, 4}, *rangeError)
		require.ErrorContains(t, err, "number of threads must be between 1 and 4")
		require.Equal(t, 3, thread.NumThreads())
	}
}

func TestChunkSizeIsReturnedWhenReplaced(t *testing.T) {
	thread := newPool(t, 2).Thread()
	old, err := thread.SetChunkSize(7)
	require.NoError(t, err)
	require.Equal(t, 0, old)
	old, err = thread.SetChunkSize(-1)
	require.ErrorContains(t, err, "chunk size must be greater than or equal to 0, not -1")
	require.Equal(t, 7, old)
	old, err = thread.SetChunkSize(0)
	require.NoError(t, err)
	require.Equal(t, 7, old)
	require.Equal(t, 0, thread.ChunkSize())
}

func TestForkAndResetAreIndependentOfTheOriginal(t *testing.T) {
	pool := newPool(t, 4)
	thread := pool.Thread()
	require.NoError(t, thread.SetNumThreads(2))
	_, err := thread.SetChunkSize(5)
	require.NoError(t, err)

	fork := thread.Fork()
	require.Equal(t, []int{2, 0, 0, 0}, []int{fork.NumThreads(), fork.ChunkSize(), fork.ID(), fork.Level()})
	require.NoError(t, fork.SetNumThreads(3))
	require.Equal(t, 2, thread.NumThreads())
	require.Same(t, pool, fork.Pool())

	thread.Reset()
	require.Equal(t, []int{4, 0, 3}, []int{thread.NumThreads(), thread.ChunkSize(), fork.NumThreads()})
	require.Equal(t, 4, pool.Thread().NumThreads(), "a fresh handle has the default mask")
}

func TestSerialHandleStaysInTheCaller(t *testing.T) {
	before := runtime.NumGoroutine()
	thread := Serial()
	require.Equal(t, 1, thread.NumThreads())
	require.Error(t, thread.SetNumThreads(2))
	calls := 0
	thread.For(100, func(inner *Thread, lo, hi int) {
		calls++
		require.Equal(t, []int{0, 100, 0, 1, 1}, []int{lo, hi, inner.ID(), inner.Level(), inner.NumThreads()})
		inner.For(3, func(innermost *Thread, lo, hi int) { require.Equal(t, 2, innermost.Level()) })
	})
	require.Equal(t, 1, calls)
	require.LessOrEqual(t, runtime.NumGoroutine(), before)
}

func TestHandleTravelsInAContext(t *testing.T) {
	_, ok := FromContext(context.Background())
	require.False(t, ok)
	thread := Serial()
	got, ok := FromContext(NewContext(context.Background(), thread))
	require.True(t, ok)
	require.Same(t, thread, got)
}

func TestDefaultWorkersComeFromTheEnvironment(t *testing.T) {
	require.Equal(t, runtime.GOMAXPROCS(0), defaultWorkers(""))
	require.Equal(t, 3, defaultWorkers("3"))
	for _, value := range []string{"0", "-2", "many", "1.5", " 2", "99999999999"} {
		require.PanicsWithValue(t, `parallel: the environment variable WEFT_NUM_THREADS must be a positive number of threads, not "`+value+`"`,
			func() { defaultWorkers(value) })
	}
}

func TestDefaultPoolIsMadeOnce(t *testing.T) {
	pools := make([]*Pool, 8)
	var group sync.WaitGroup
	for i := range pools {
		group.Go(func() { pools[i] = Default() })
	}
	group.Wait()
	for _, pool := range pools {
		require.Same(t, Default(), pool)
	}
}

func TestPoolNeedsAWorker(t *testing.T) {
	require.Panics(t, func() { New(0) })
	require.Panics(t, func() { New(-3) })
	require.Equal(t, 1, New(1).NumWorkers())
}
