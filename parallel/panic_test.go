package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// A helper whose body ends its goroutine is replaced, and the launcher hears of it; a launcher that ends itself does so
// after the join.
func TestGoexitInABodyIsAPanicOfTheRegion(t *testing.T) {
	severalProcessors(t)
	withoutProcessors(t) // so that the launcher has slot 0
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
		require.Equal(t, errGoexit, (<-launcher).(*Panic).Value)
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

func TestRecoveredTellsWhereAPanicBegan(t *testing.T) {
	recovered := func(f func()) (value any, stack []byte) {
		defer func() { value, stack = Recovered(recover()) }()
		f()
		return nil, nil
	}
	for _, workers := range []int{1, 2} {
		thread := newPool(t, workers).Thread()
		value, stack := recovered(func() { thread.For(2, func(*Thread, int, int) { panicsForTest() }) })
		require.Equal(t, "of a test", value)
		require.Contains(t, string(stack), "panicsForTest")
	}
	value, stack := recovered(panicsForTest)
	require.Equal(t, "of a test", value)
	require.Contains(t, string(stack), "panicsForTest")
	require.NoError(t, (&Panic{Value: "no error"}).Unwrap())
}

//go:noinline
func panicsForTest() { panic("of a test") }
