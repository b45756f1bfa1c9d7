package paralleltest

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/parallel"
)

var items = []property{
	{"EveryItemRunsOnce", everyItemOnce},
	{"FewItemsLeaveThreadsIdle", fewItems},
	{"ParticipantsRunAtTheSameTime", participantsMeet},
	{"WorkersAnswerAfterPauses", pauses},
	{"AClosedPoolRunsRegionsInTheCaller", closedPool},
}

// checkRegion runs a region and checks that each item ran once, under an identity below the mask that nobody else used at
// the time, with the settings of a fresh participant.
func checkRegion(t testing.TB, thread *parallel.Thread, n int) {
	mask, chunk, level := thread.NumThreads(), thread.ChunkSize(), thread.Level()
	runs := make([]atomic.Int32, n)
	busy := make([]atomic.Bool, mask)
	seen := make([]atomic.Bool, mask)
	thread.For(n, func(inner *parallel.Thread, lo, hi int) {
		id := inner.ID()
		if id < 0 || id >= mask || lo < 0 || lo >= hi || hi > n {
			t.Errorf("n %d mask %d chunk %d: slot %d got [%d, %d)", n, mask, chunk, id, lo, hi)
			return
		}
		if !busy[id].CompareAndSwap(false, true) {
			t.Errorf("n %d mask %d chunk %d: slot %d is used twice at a time", n, mask, chunk, id)
		}
		if inner.NumThreads() != mask || inner.ChunkSize() != 0 || inner.Level() != level+1 || inner.Pool() != thread.Pool() {
			t.Errorf("n %d mask %d chunk %d: participant has mask %d chunk %d level %d", n, mask, chunk, inner.NumThreads(), inner.ChunkSize(), inner.Level())
		}
		// What a body sets ends with the call.
		if inner.SetNumThreads(1+lo%inner.Pool().NumWorkers()) != nil {
			t.Error("the mask of a body is bounded by the workers")
		}
		if _, err := inner.SetChunkSize(lo); err != nil {
			t.Error(err)
		}
		seen[id].Store(true)
		for i := lo; i < hi; i++ {
			runs[i].Add(1)
		}
		busy[id].Store(false)
	})
	for i := range runs {
		if count := runs[i].Load(); count != 1 {
			t.Fatalf("n %d mask %d chunk %d: item %d ran %d times", n, mask, chunk, i, count)
		}
	}
	if chunk == 0 {
		for id := range min(mask, n) {
			if !seen[id].Load() {
				t.Fatalf("n %d mask %d: slot %d of the static schedule is missing", n, mask, id)
			}
		}
	}
	if thread.NumThreads() != mask || thread.ChunkSize() != chunk || thread.Level() != level {
		t.Fatalf("n %d mask %d chunk %d: the body changed the handle of its launcher", n, mask, chunk)
	}
}

// pauses is Numba's test_thread_response, whose pauses are of halving times: workers that look for work, doze or sleep by then take
// part in the next region. It meets them in each of these states, without a clock, and passes whichever it meets.
func pauses(t *testing.T, new factory) {
	thread := new(t, 4).Thread()
	for yields := 1 << 16; yields > 0; yields /= 2 {
		for range yields {
			runtime.Gosched()
		}
		checkRegion(t, thread, 31)
	}
}

func everyItemOnce(t *testing.T, new factory) {
	for _, workers := range []int{1, 2, 3, 8, 130} {
		thread := new(t, workers).Thread()
		for _, mask := range []int{1, 2, 3, 7, 8, 129, 130} {
			if thread.SetNumThreads(mask) != nil {
				continue
			}
			for _, chunk := range []int{0, 1, 5, 64, 1 << 62} {
				_, err := thread.SetChunkSize(chunk)
				require.NoError(t, err)
				for _, n := range []int{0, 1, 2, 3, 5, 8, 9, 31, 130, 131, 943} {
					checkRegion(t, thread, n)
				}
				thread.For(-1, func(*parallel.Thread, int, int) { t.Error("a negative number of items has none") })
			}
		}
	}
}

// fewItems is Numba's test_parallel_low_work: fewer items than threads.
func fewItems(t *testing.T, new factory) {
	thread := new(t, 8).Thread()
	for n := range 9 {
		for range 50 {
			checkRegion(t, thread, n)
		}
	}
}

// participantsMeet has two bodies wait for each other, which is against the contract of For, to show that both run.
func participantsMeet(t *testing.T, new factory) {
	for range 20 {
		pool := new(t, 2)
		if pool.Layer() == parallel.LayerSerial || runtime.GOMAXPROCS(0) == 1 {
			t.Skip("one goroutine runs a region here")
		}
		var arrived atomic.Int32
		pool.Thread().For(2, func(*parallel.Thread, int, int) {
			arrived.Add(1)
			await(func() bool { return arrived.Load() == 2 })
		})
	}
}

func closedPool(t *testing.T, new factory) {
	before := runtime.NumGoroutine()
	for workers := range 4 {
		for _, used := range []bool{false, true} {
			pool := new(t, 1+workers)
			if used {
				checkRegion(t, pool.Thread(), 50)
			}
			pool.Close()
			checkRegion(t, pool.Thread(), 50)
		}
	}
	await(func() bool { return runtime.NumGoroutine() <= before })
}
