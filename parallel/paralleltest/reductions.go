package paralleltest

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/parallel"
)

var reductions = []property{
	{"ReductionsGoOnWhateverMaskBodiesSet", reductionsSetMask},
	{"ReduceIsEqualForAllNumbersOfWorkers", reduceIsEqual},
	{"ReduceJoinsInOrder", reduceInOrder},
	{"ReduceRejectsSenselessArguments", reduceRejects},
}

// reductionsSetMask is Numba's TestParforReductionSetNumThreads: test_add, test_mul and test_max.
func reductionsSetMask(t *testing.T, new factory) {
	thread := new(t, 4).Thread()
	const n = 60
	for name, c := range map[string]struct {
		item func(i int) float64
		join func(a, b float64) float64
		want float64
	}{
		"add": {func(i int) float64 { return float64(i) }, func(a, b float64) float64 { return a + b }, n * (n - 1) / 2},
		"mul": {func(i int) float64 { return math.Ldexp(1, i%3-1) }, func(a, b float64) float64 { return a * b }, 1},
		"max": {func(i int) float64 { return -math.Abs(float64(i - 17)) }, math.Max, 0},
	} {
		got, ok := parallel.Reduce(thread, n, 4, func(inner *parallel.Thread, lo, hi int) float64 {
			require.NoError(t, inner.SetNumThreads(1+lo%4))
			total := c.item(lo)
			for i := lo + 1; i < hi; i++ {
				total = c.join(total, c.item(i))
			}
			return total
		}, c.join)
		require.True(t, ok)
		require.Equal(t, c.want, got, name)
		require.Equal(t, 4, thread.NumThreads())
	}
}

func sum(values []float32) float32 {
	total := float32(0)
	for _, v := range values {
		total += v
	}
	return total
}

// pairwise is the oracle: the recursive definition of the order in which Reduce joins.
func pairwise(values []float32, block int) float32 {
	blocks := (len(values) + block - 1) / block
	if blocks == 1 {
		return sum(values)
	}
	half := 1
	for half*2 < blocks {
		half *= 2
	}
	return pairwise(values[:half*block], block) + pairwise(values[half*block:], block)
}

func reduceIsEqual(t *testing.T, new factory) {
	values := make([]float32, 10007)
	for i := range values {
		values[i] = float32(math.Sin(float64(i)*1.7)) * float32(math.Pow(10, float64(i%9-4)))
	}
	order := map[float32]bool{}
	for _, workers := range []int{1, 2, 8} {
		thread := new(t, workers).Thread()
		for _, n := range []int{1, 2, 3, 63, 64, 65, 999, 10007} {
			for _, block := range []int{1, 3, 64, 1000, 20000} {
				want := math.Float32bits(pairwise(values[:n], block))
				order[math.Float32frombits(want)] = true
				for _, chunk := range []int{0, 1, 100, math.MaxInt} {
					_, err := thread.SetChunkSize(chunk)
					require.NoError(t, err)
					got, ok := parallel.Reduce(thread, n, block, func(_ *parallel.Thread, lo, hi int) float32 {
						return sum(values[lo:hi])
					}, func(a, b float32) float32 { return a + b })
					require.True(t, ok)
					require.Equal(t, want, math.Float32bits(got), "n %d block %d workers %d chunk %d", n, block, workers, chunk)
				}
			}
		}
	}
	require.Greater(t, len(order), 8, "the values are such that the order of joining shows")
}

func reduceInOrder(t *testing.T, new factory) {
	thread := new(t, 4).Thread()
	for n := range 70 {
		got, ok := parallel.Reduce(thread, n, 3, func(_ *parallel.Thread, lo, hi int) []int {
			var items []int
			for i := lo; i < hi; i++ {
				items = append(items, i)
			}
			return items
		}, func(a, b []int) []int { return append(a, b...) })
		require.Equal(t, n > 0, ok)
		require.Len(t, got, n)
		require.True(t, slices.IsSorted(got))
	}
}

func reduceRejects(t *testing.T, new factory) {
	body := func(*parallel.Thread, int, int) int { return 0 }
	join := func(a, b int) int { return a + b }
	thread := new(t, 2).Thread()
	require.Panics(t, func() { parallel.Reduce(thread, 1, 0, body, join) })
	require.Panics(t, func() { parallel.Reduce(thread, -1, 1, body, join) })
	require.Equal(t, "body", caught(func() {
		parallel.Reduce(thread, 100, 1, func(*parallel.Thread, int, int) int { panic("body") }, join)
	}).Value)
}
