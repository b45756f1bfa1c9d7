package parallel

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whatever happened before, patience becomes what the latest finds needed, and is bounded. Who needs more than the bound gets that.
func TestPatienceFollowsWhatIsNeeded(t *testing.T) {
	for _, most := range []int{keenRounds, keenRounds / workerShare} {
		for _, before := range []int{0, leastPatience, most / 2, most} {
			for _, needed := range []int{0, 1, 10, most/2 - leastPatience, most - 1, most, 50 * most} {
				patience := before
				for range 100 {
					// What is not found in time is found soon after.
					patience = learned(patience, min(needed, patience), most)
					require.LessOrEqual(t, patience, most)
				}
				require.Equal(t, min(2*needed+leastPatience, most), patience, "at most %d rounds, %d before, then %d needed", most, before, needed)
			}
		}
	}
}

// A single long wait among short ones leaves patience sufficient for these.
func TestPatienceOutlastsALostProcessor(t *testing.T) {
	const needed = 40
	patience := learned(0, needed, keenRounds)
	require.Greater(t, patience, needed)
	for range 50 {
		patience = learned(patience, patience, keenRounds) // the wait that took long
		require.Greater(t, patience, needed)
		for range 3 {
			patience = learned(patience, needed, keenRounds)
			require.Greater(t, patience, needed)
		}
	}
}

func TestFewerKeepTheirProcessorThanThereAre(t *testing.T) {
	pool := newPool(t, 8)
	for processors := int32(1); processors <= 5; processors++ {
		pool.processors.Store(processors)
		var keeping atomic.Int32
		kept := 0
		for range 10 {
			if pool.keep(&keeping) {
				kept++
			}
		}
		require.EqualValues(t, min(processors, machineProcessors)-1, kept)
		require.EqualValues(t, kept, keeping.Load(), "who was refused is not counted")
		if kept > 0 {
			keeping.Add(-1)
			require.True(t, pool.keep(&keeping))
		}
	}
}

// However bodies end, nobody is left counted as keeping a processor, which would take patience from all later regions.
func TestNobodyKeepsAProcessorOfAnIdlePool(t *testing.T) {
	severalProcessors(t)
	pool := newPool(t, 3)
	for range 50 {
		var callers sync.WaitGroup
		for caller := range 4 {
			callers.Go(func() {
				defer func() { _ = recover() }()
				thread := pool.Thread()
				for region := range 4 {
					thread.For(30, func(inner *Thread, lo, hi int) {
						switch {
						case region == 2 && caller == 1 && inner.ID() == 1:
							panic("body")
						case region == 2 && caller == 2 && inner.ID() == 2:
							runtime.Goexit()
						}
					})
				}
			})
		}
		callers.Wait()
	}
	await(func() bool { return allParked(pool) })
	require.Zero(t, pool.keepingLaunchers.Load())
	require.Zero(t, pool.keepingWorkers.Load())
	checkRegion(t, pool.Thread(), 100)
}

// A worker that kept its processor for its whole patience would not return from this.
func TestWhoLingersYieldsToThoseWhoWait(t *testing.T) {
	severalProcessors(t)
	pool := newPool(t, 1)
	w := &worker{pool: pool, patience: math.MaxInt}
	pool.BeginWait()
	require.False(t, w.linger())
	pool.EndWait()
	require.Zero(t, pool.waiting.Load())

	go pool.BeginWait()
	require.False(t, w.linger(), "somebody begins to wait meanwhile")
	require.Zero(t, pool.keepingWorkers.Load())
}
