package parallel

import (
	"context"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

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
		require.PanicsWithError(t, `weft: WEFT_NUM_THREADS: the environment variable is "`+value+`" (legal: from 1 to 2147483647 threads)`,
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
