package parallel

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestForOwnCoversAllItemsOnce(t *testing.T) {
	severalProcessors(t)
	thread := newPool(t, 4).Thread()
	for n := range 70 {
		counts := make([]atomic.Int32, n)
		thread.ForOwn(n, hotWork, func(_ *Thread, lo, hi int) {
			for i := lo; i < hi; i++ {
				counts[i].Add(1)
			}
		})
		for i := range counts {
			require.EqualValues(t, 1, counts[i].Load(), "item %d of %d", i, n)
		}
	}
}

// TestWhoHasBegunWithAPartOfForOwnKeepsIt lets two begin together, and one of them go on only when the other has done its part.
func TestWhoHasBegunWithAPartOfForOwnKeepsIt(t *testing.T) {
	severalProcessors(t)
	const n = 64
	thread := newPool(t, 2).Thread()
	within := func(met func() bool) bool {
		for range 100_000 {
			if met() {
				return true
			}
			runtime.Gosched()
		}
		return false
	}
	for range 100 {
		var begun, done atomic.Int32
		var together atomic.Bool
		owners := make([]int, n)
		thread.ForOwn(n, hotWork, func(inner *Thread, lo, hi int) {
			if lo == 0 || lo == n/2 {
				begun.Add(1)
				both := within(func() bool { return begun.Load() == 2 })
				if lo > 0 && both {
					together.Store(within(func() bool { return done.Load() == n/2 }))
				}
			}
			for i := lo; i < hi; i++ {
				owners[i] = inner.ID()
			}
			if hi <= n/2 {
				done.Add(int32(hi - lo))
			}
		})
		if together.Load() {
			for i, owner := range owners {
				require.Equal(t, owners[i/(n/2)*(n/2)], owner, "item %d", i)
			}
			require.NotEqual(t, owners[0], owners[n/2])
			return
		}
	}
	t.Error("two never began together")
}
