package paralleltest

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/parallel"
)

var callers = []property{
	{"ManyGoroutinesShareTheWorkers", manyCallers},
	{"CallersMixAnyJobs", mixedCallers},
	{"TheFirstUseMayComeFromManyGoroutines", firstUse},
}

// manyCallers are more than helpers can see at a time.
func manyCallers(t *testing.T, new factory) {
	for _, workers := range []int{2, 4} {
		pool := new(t, workers)
		var group sync.WaitGroup
		for caller := range 100 {
			group.Go(func() {
				thread := pool.Thread()
				for i := range 10 {
					_ = thread.SetNumThreads(1 + (caller+i)%workers)
					_, _ = thread.SetChunkSize(i % 3)
					checkRegion(t, thread, (caller*31+i*17)%200)
				}
			})
		}
		group.Wait()
	}
}

// mixedCallers is Numba's TestParallelBackend: random jobs from four goroutines at once, with masks 1 and 2.
func mixedCallers(t *testing.T, new factory) {
	pool := new(t, 4)
	jobs := []func(t testing.TB, thread *parallel.Thread){
		func(t testing.TB, thread *parallel.Thread) { checkRegion(t, thread, 100) },
		func(t testing.TB, thread *parallel.Thread) {
			thread.For(3, func(inner *parallel.Thread, lo, hi int) { checkRegion(t, inner, 30) })
		},
		func(t testing.TB, thread *parallel.Thread) {
			var volume atomic.Int64
			thread.ForBlocks([]int{9, 10, 11}, func(_ *parallel.Thread, lo, hi []int) {
				volume.Add(int64((hi[0] - lo[0]) * (hi[1] - lo[1]) * (hi[2] - lo[2])))
			})
			require.EqualValues(t, 9*10*11, volume.Load())
		},
		func(t testing.TB, thread *parallel.Thread) {
			sum, _ := parallel.Reduce(thread, 100, 7, func(_ *parallel.Thread, lo, hi int) int { return hi - lo }, func(a, b int) int { return a + b })
			require.Equal(t, 100, sum)
		},
		func(t testing.TB, thread *parallel.Thread) {
			require.NotNil(t, caught(func() { thread.For(20, func(*parallel.Thread, int, int) { panic("job") }) }))
		},
	}
	for mask := 1; mask <= 2; mask++ {
		var group sync.WaitGroup
		for caller := range 4 {
			group.Go(func() {
				random := rand.New(rand.NewPCG(uint64(mask), uint64(caller)))
				thread := pool.Thread()
				require.NoError(t, thread.SetNumThreads(mask))
				for range 100 {
					jobs[random.IntN(len(jobs))](t, thread)
					require.Equal(t, mask, thread.NumThreads())
				}
			})
		}
		group.Wait()
	}
}

// firstUse is Numba's test_concurrent_mix_use.
func firstUse(t *testing.T, new factory) {
	for range 30 {
		pool := new(t, 3)
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() { checkRegion(t, pool.Thread(), 20) })
		}
		group.Wait()
	}
}
