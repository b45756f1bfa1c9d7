package paralleltest

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/parallel"
)

var chunks = []property{
	{"TheChunkSizeIsReturnedWhenReplaced", chunkSizeIsReturned},
	{"TheChunkSizeIsRestored", chunkSizeIsRestored},
	{"BodiesHaveChunkSizeZero", chunkSizeInBodies},
	{"ChunksAreThoseOfNumba", chunkBounds},
	{"BlocksCoverASpace", blocksCover},
}

// chunkSizeIsReturned is Numba's test_python_parallel_chunksize_basic and _negative.
func chunkSizeIsReturned(t *testing.T, new factory) {
	thread := new(t, 2).Thread()
	require.Zero(t, thread.ChunkSize())
	old, err := thread.SetChunkSize(7)
	require.NoError(t, err)
	require.Zero(t, old)
	old, err = thread.SetChunkSize(-1)
	require.ErrorContains(t, err, "chunk size must be greater than or equal to 0, not -1")
	require.Equal(t, 7, old)
	old, err = thread.SetChunkSize(0)
	require.NoError(t, err)
	require.Equal(t, 7, old)
	require.Zero(t, thread.ChunkSize())
}

// chunkSizeIsRestored is Numba's test_python_with_chunksize and _negative.
func chunkSizeIsRestored(t *testing.T, new factory) {
	thread := new(t, 2).Thread()
	_, err := thread.SetChunkSize(3)
	require.NoError(t, err)
	require.NoError(t, thread.WithChunkSize(8, func() {
		require.Equal(t, 8, thread.ChunkSize())
		require.NoError(t, thread.WithChunkSize(0, func() { require.Zero(t, thread.ChunkSize()) }))
		require.Equal(t, 8, thread.ChunkSize())
		_, err := thread.SetChunkSize(5)
		require.NoError(t, err)
	}))
	require.Equal(t, 3, thread.ChunkSize())
	require.Error(t, thread.WithChunkSize(-1, func() { t.Error("a chunk size below zero") }))
	require.Equal(t, 3, thread.ChunkSize())
	require.Panics(t, func() { _ = thread.WithChunkSize(4, func() { panic("stop") }) })
	require.Equal(t, 3, thread.ChunkSize())
}

// chunkSizeInBodies is Numba's test_all_iterations_reset_chunksize, and the example of its documentation.
func chunkSizeInBodies(t *testing.T, new factory) {
	thread := new(t, 4).Thread()
	for _, n := range []int{1000, 997, 943, 961} {
		for size := 1; size <= 15; size++ {
			_, err := thread.SetChunkSize(size)
			require.NoError(t, err)
			runs := make([]atomic.Int32, n)
			thread.For(n, func(inner *parallel.Thread, lo, hi int) {
				require.Zero(t, inner.ChunkSize())
				for i := lo; i < hi; i++ {
					runs[i].Add(1)
				}
			})
			for i := range runs {
				require.EqualValues(t, 1, runs[i].Load())
			}
			require.Equal(t, size, thread.ChunkSize())
		}
	}
}

// chunkBounds has the chunks that a region runs, in order, agree with the division of the same items.
func chunkBounds(t *testing.T, new factory) {
	for _, workers := range []int{1, 2, 3, 8} {
		thread := new(t, workers).Thread()
		for n := range 40 {
			for size := 1; size < 20; size++ {
				var mutex sync.Mutex
				var got []int
				require.NoError(t, thread.WithChunkSize(size, func() {
					thread.For(n, func(_ *parallel.Thread, lo, hi int) {
						mutex.Lock()
						defer mutex.Unlock()
						got = append(got, lo, hi)
					})
				}))
				slices.Sort(got)
				var want []int
				for _, block := range parallel.Divide([]int{n}, parallel.Chunks(n, workers, size)) {
					want = append(want, block.Lo[0], block.Hi[0])
				}
				require.Equal(t, want, got, "n %d threads %d chunk size %d", n, workers, size)
			}
		}
	}
}

func blocksCover(t *testing.T, new factory) {
	for _, workers := range []int{1, 3, 4} {
		thread := new(t, workers).Thread()
		for _, shape := range [][]int{{}, {0}, {7}, {-3}, {5, 0}, {1, 1}, {7, 5}, {3, 1, 4}, {2, 3, 4, 5}, {1, 100}} {
			for _, size := range []int{0, 1, 4, 1000} {
				t.Run(fmt.Sprint(workers, shape, size), func(t *testing.T) {
					items := 1
					for _, length := range shape {
						items *= max(0, length)
					}
					runs := make([]atomic.Int32, items)
					require.NoError(t, thread.WithChunkSize(size, func() {
						thread.ForBlocks(shape, func(inner *parallel.Thread, lo, hi []int) {
							require.Equal(t, 1, inner.Level())
							for item := range runs {
								inside, rest := true, item
								for axis := len(shape) - 1; axis >= 0; axis-- {
									index := rest % shape[axis]
									inside = inside && lo[axis] <= index && index < hi[axis]
									rest /= shape[axis]
								}
								if inside {
									runs[item].Add(1)
								}
							}
						})
					}))
					for i := range runs {
						require.EqualValues(t, 1, runs[i].Load())
					}
				})
			}
		}
	}
}
