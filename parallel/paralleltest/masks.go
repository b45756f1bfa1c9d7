package paralleltest

import (
	"math"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/parallel"
)

var masks = []property{
	{"TheMaskIsBoundedByTheWorkers", maskBounds},
	{"ACalleeSetsTheMaskOfItsHandle", calleeSetsMask},
	{"BodiesSeeTheMaskOfTheirLauncher", bodiesSeeMask},
	{"ARegionSamplesTheMaskAtEntry", maskSampledAtEntry},
	{"IdentitiesAreAsManyAsTheMask", identitiesAreTheMask},
	{"OutsideRegionsTheIdentityIsZero", identityOutside},
	{"AFreshHandleHasTheDefaults", freshHandle},
}

// maskBounds is Numba's test_set_num_threads_basic.
func maskBounds(t *testing.T, new factory) {
	thread := new(t, 4).Thread()
	require.Equal(t, 4, thread.NumThreads())
	for _, n := range []int{1, 2, 4, 3} {
		require.NoError(t, thread.SetNumThreads(n))
		require.Equal(t, n, thread.NumThreads())
	}
	for _, n := range []int{0, -1, 5, math.MaxInt} {
		err := thread.SetNumThreads(n)
		var rangeError *parallel.RangeError
		require.ErrorAs(t, err, &rangeError)
		require.Equal(t, parallel.RangeError{Quantity: "number of threads", Value: n, Min: 1, Max: 4}, *rangeError)
		require.ErrorContains(t, err, "number of threads must be between 1 and 4")
		require.Equal(t, 3, thread.NumThreads())
	}
}

// calleeSetsMask is Numba's test_set_num_threads_basic_jit.
func calleeSetsMask(t *testing.T, new factory) {
	thread := new(t, 4).Thread()
	callee := func(thread *parallel.Thread, mask int) {
		require.NoError(t, thread.SetNumThreads(mask))
		checkRegion(t, thread, 50)
	}
	for _, mask := range []int{1, 3, 2, 4} {
		callee(thread, mask)
		require.Equal(t, mask, thread.NumThreads())
	}
}

// bodiesSeeMask is Numba's test_set_num_threads_outside_jit.
func bodiesSeeMask(t *testing.T, new factory) {
	thread := new(t, 4).Thread()
	require.NoError(t, thread.SetNumThreads(2))
	seen := make([]int, 1000)
	thread.For(len(seen), func(inner *parallel.Thread, lo, hi int) {
		for i := lo; i < hi; i++ {
			seen[i] = inner.NumThreads()
		}
	})
	for _, mask := range seen {
		require.Equal(t, 2, mask)
	}
}

// maskSampledAtEntry is Numba's test_set_num_threads_inside_jit, and sets another mask while the region runs.
func maskSampledAtEntry(t *testing.T, new factory) {
	thread := new(t, 4).Thread()
	for mask := 1; mask <= 4; mask++ {
		require.NoError(t, thread.SetNumThreads(mask))
		thread.For(64, func(inner *parallel.Thread, lo, hi int) {
			require.Equal(t, mask, inner.NumThreads())
			require.Less(t, inner.ID(), mask)
			require.NoError(t, inner.SetNumThreads(1+lo%4))
		})
		require.Equal(t, mask, thread.NumThreads())
	}
}

// identitiesAreTheMask is Numba's test_get_num_threads_truth_outside_jit and _inside_jit.
func identitiesAreTheMask(t *testing.T, new factory) {
	thread := new(t, 5).Thread()
	for mask := 1; mask <= 5; mask++ {
		for _, chunk := range []int{0, 1} {
			require.NoError(t, thread.SetNumThreads(mask))
			_, err := thread.SetChunkSize(chunk)
			require.NoError(t, err)
			var seen [5]atomic.Bool
			thread.For(5000, func(inner *parallel.Thread, lo, hi int) { seen[inner.ID()].Store(true) })
			count := 0
			for id := range seen {
				if seen[id].Load() {
					require.Less(t, id, mask)
					count++
				}
			}
			if chunk == 0 {
				require.Equal(t, mask, count)
			}
			require.Positive(t, count)
			require.Equal(t, mask, thread.NumThreads())
		}
	}
}

// identityOutside is Numba's test_get_thread_id_not_parallel.
func identityOutside(t *testing.T, new factory) {
	thread := new(t, 3).Thread()
	require.Zero(t, thread.ID())
	checkRegion(t, thread, 10)
	require.Zero(t, thread.ID())
	require.Zero(t, thread.Level())
}

func freshHandle(t *testing.T, new factory) {
	pool := new(t, 4)
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
