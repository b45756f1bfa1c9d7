package paralleltest

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/parallel"
)

var nestings = []property{
	{"RegionsNest", deepNesting},
	{"ANestedRegionUsesTheMaskSetInTheBody", nestedMask},
	{"AMaskSetInTheChildPersistsInItsHandle", childMaskPersists},
	{"AnInnerMaskMayExceedTheOuter", innerMaskExceeds},
}

func deepNesting(t *testing.T, new factory) {
	var count atomic.Int64
	new(t, 4).Thread().For(8, func(t1 *parallel.Thread, lo, hi int) {
		for range hi - lo {
			t1.For(8, func(t2 *parallel.Thread, lo, hi int) {
				for range hi - lo {
					t2.For(8, func(t3 *parallel.Thread, lo, hi int) {
						require.Equal(t, 3, t3.Level())
						count.Add(int64(hi - lo))
					})
				}
			})
		}
	})
	require.EqualValues(t, 8*8*8, count.Load())
}

// nestedMask is Numba's test_nested_parallelism_1: each item of the parent sets its own mask, and the regions it opens have
// that mask.
func nestedMask(t *testing.T, new factory) {
	pool := new(t, 4)
	items := 2 * pool.NumWorkers()
	var sum, expected atomic.Int64
	pool.Thread().For(items, func(outer *parallel.Thread, lo, hi int) {
		for i := lo; i < hi; i++ {
			mask := 1 + i%(pool.NumWorkers()-1)
			expected.Add(int64(mask) * 10)
			require.NoError(t, outer.SetNumThreads(mask))
			outer.For(10, func(inner *parallel.Thread, lo, hi int) { sum.Add(int64(inner.NumThreads() * (hi - lo))) })
			require.Equal(t, mask, outer.NumThreads())
		}
	})
	require.Equal(t, expected.Load(), sum.Load())
}

// childMaskPersists is Numba's test_nested_parallelism_2: a child that runs items serially, in a region, or in a region per
// item sets the mask of the handle that it got; its parent, of the same kinds, finds it set.
func childMaskPersists(t *testing.T, new factory) {
	const outer, inner = 12, 20
	type kind struct {
		name string
		run  func(thread *parallel.Thread, n int, body func(thread *parallel.Thread, i int))
	}
	serial := kind{"serial", func(thread *parallel.Thread, n int, body func(*parallel.Thread, int)) {
		for i := range n {
			body(thread, i)
		}
	}}
	region := func(name string, chunk int) kind {
		return kind{name, func(thread *parallel.Thread, n int, body func(*parallel.Thread, int)) {
			require.NoError(t, thread.WithChunkSize(chunk, func() {
				thread.For(n, func(thread *parallel.Thread, lo, hi int) {
					for i := lo; i < hi; i++ {
						body(thread, i)
					}
				})
			}))
		}}
	}
	children := []kind{serial, region("region", 0), region("chunks", 1)}
	parents := append(children, region("chunks of 3", 3), kind{"blocks", func(thread *parallel.Thread, n int, body func(*parallel.Thread, int)) {
		thread.ForBlocks([]int{n, 2}, func(thread *parallel.Thread, lo, hi []int) {
			for i := lo[0]; i < hi[0] && lo[1] == 0; i++ {
				body(thread, i)
			}
		})
	}})
	for _, parent := range parents {
		for _, child := range children {
			t.Run(parent.name+" over "+child.name, func(t *testing.T) {
				thread := new(t, 4).Thread()
				var ran atomic.Int64
				parent.run(thread, outer, func(handle *parallel.Thread, i int) {
					mask := 1 + i%4
					require.NoError(t, handle.SetNumThreads(mask))
					child.run(handle, inner, func(handle *parallel.Thread, j int) {
						require.Equal(t, mask, handle.NumThreads())
						ran.Add(1)
					})
					require.Equal(t, mask, handle.NumThreads())
				})
				require.EqualValues(t, outer*inner, ran.Load())
			})
		}
	}
}

// innerMaskExceeds is Numba's test_nested_parallelism_3: each inner region has exactly its identities.
func innerMaskExceeds(t *testing.T, new factory) {
	thread := new(t, 4).Thread()
	require.NoError(t, thread.SetNumThreads(2))
	const items = 1000
	var total atomic.Int64
	var outerSlots [2]atomic.Bool
	thread.For(2, func(outer *parallel.Thread, lo, hi int) {
		outerSlots[outer.ID()].Store(true)
		require.Equal(t, 2, outer.NumThreads())
		require.NoError(t, outer.SetNumThreads(3))
		var slots [3]atomic.Bool
		outer.For(items, func(inner *parallel.Thread, lo, hi int) {
			slots[inner.ID()].Store(true)
			total.Add(int64(hi - lo))
		})
		require.True(t, slots[0].Load() && slots[1].Load() && slots[2].Load())
	})
	require.True(t, outerSlots[0].Load() && outerSlots[1].Load())
	require.EqualValues(t, 2*items, total.Load())
	require.Equal(t, 2, thread.NumThreads())
}
