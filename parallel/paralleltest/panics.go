package paralleltest

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/parallel"
)

var panics = []property{
	{"APanicReachesTheCallerWithItsStack", panicsReachCaller},
	{"APanicPassesThroughNestedRegions", panicsPassThrough},
	{"APanicInAnySlotLeavesThePoolUsable", panicsLeaveUsable},
	{"ExitsAreNotLost", exits},
}

// caught returns what f panics with, or nil.
func caught(f func()) (reason *parallel.Panic) {
	defer func() {
		if recovered := recover(); recovered != nil {
			reason = recovered.(*parallel.Panic)
		}
	}()
	f()
	return nil
}

var errBody = errors.New("body failed")

//go:noinline
func bodyThatFails() { panic(errBody) }

func panicsReachCaller(t *testing.T, new factory) {
	for _, workers := range []int{1, 2, 8} {
		thread := new(t, workers).Thread()
		for item := range 20 {
			for _, chunk := range []int{0, 1, 7} {
				reason := caught(func() {
					require.NoError(t, thread.WithChunkSize(chunk, func() {
						thread.For(20, func(_ *parallel.Thread, lo, hi int) {
							if lo <= item && item < hi {
								bodyThatFails()
							}
						})
					}))
				})
				require.NotNil(t, reason)
				require.Equal(t, errBody, reason.Value)
				require.ErrorIs(t, reason, errBody)
				require.Contains(t, string(reason.Stack), "bodyThatFails")
				require.ErrorContains(t, reason, "body failed")
				require.ErrorContains(t, reason, "bodyThatFails")
			}
		}
		single := caught(func() { thread.ForCost(1, 1, func(*parallel.Thread, int, int) { bodyThatFails() }) })
		require.Contains(t, string(single.Stack), "bodyThatFails")
		blocks := caught(func() { thread.ForBlocks([]int{3, 3}, func(*parallel.Thread, []int, []int) { bodyThatFails() }) })
		require.Contains(t, string(blocks.Stack), "bodyThatFails")
	}
}

func panicsPassThrough(t *testing.T, new factory) {
	thread := new(t, 3).Thread()
	for range 50 {
		var running atomic.Int32
		reason := caught(func() {
			thread.For(6, func(outer *parallel.Thread, lo, hi int) {
				running.Add(1)
				defer running.Add(-1)
				outer.For(6, func(inner *parallel.Thread, lo, hi int) { bodyThatFails() })
			})
		})
		require.Equal(t, errBody, reason.Value)
		require.Contains(t, string(reason.Stack), "bodyThatFails")
		require.Zero(t, running.Load(), "no body runs after the join")
	}
}

func panicsLeaveUsable(t *testing.T, new factory) {
	thread := new(t, 4).Thread()
	for slot := range 4 {
		for range 25 {
			reason := caught(func() {
				thread.For(40, func(inner *parallel.Thread, lo, hi int) {
					if inner.ID() == slot {
						panic(slot)
					}
				})
			})
			require.Equal(t, slot, reason.Value)
			checkRegion(t, thread, 40)
		}
	}
}

// exits has bodies call runtime.Goexit. In a helper that is a panic of the region; in its launcher it ends the launcher, but
// not before the join.
func exits(t *testing.T, new factory) {
	pool := new(t, 2)
	for i := range 50 {
		launcher := make(chan any, 1)
		var group sync.WaitGroup
		var left atomic.Int32
		group.Go(func() {
			defer func() { launcher <- recover() }()
			pool.Thread().For(2, func(inner *parallel.Thread, lo, hi int) {
				left.Add(1)
				if inner.ID() == i%2 {
					runtime.Goexit()
				}
			})
		})
		if recovered := <-launcher; recovered != nil {
			require.ErrorContains(t, recovered.(*parallel.Panic), "runtime.Goexit")
		}
		group.Wait()
		require.Positive(t, left.Load())
	}
	checkRegion(t, pool.Thread(), 100)
}
