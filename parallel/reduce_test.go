package parallel

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

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

func TestReduceIsEqualForAllNumbersOfWorkers(t *testing.T) {
	values := make([]float32, 10007)
	for i := range values {
		values[i] = float32(math.Sin(float64(i)*1.7)) * float32(math.Pow(10, float64(i%9-4)))
	}
	order := map[float32]bool{}
	for _, n := range []int{1, 2, 3, 63, 64, 65, 999, 10007} {
		for _, block := range []int{1, 3, 64, 1000, 20000} {
			want := math.Float32bits(pairwise(values[:n], block))
			order[math.Float32frombits(want)] = true
			for _, workers := range []int{1, 2, 8} {
				thread := newPool(t, workers).Thread()
				for _, chunk := range []int{0, 1, 100, math.MaxInt} {
					_, err := thread.SetChunkSize(chunk)
					require.NoError(t, err)
					got, ok := Reduce(thread, n, block, func(_ *Thread, lo, hi int) float32 {
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

func TestReduceJoinsInOrder(t *testing.T) {
	thread := newPool(t, 4).Thread()
	for n := range 70 {
		got, ok := Reduce(thread, n, 3, func(_ *Thread, lo, hi int) []int {
			items := []int{}
			for i := lo; i < hi; i++ {
				items = append(items, i)
			}
			return items
		}, func(a, b []int) []int { return append(a, b...) })
		require.Equal(t, n > 0, ok)
		require.Len(t, got, n)
		for i, item := range got {
			require.Equal(t, i, item)
		}
	}
}

func TestReduceRejectsSenselessArguments(t *testing.T) {
	body := func(*Thread, int, int) int { return 0 }
	join := func(a, b int) int { return a + b }
	require.Panics(t, func() { Reduce(Serial(), 1, 0, body, join) })
	require.Panics(t, func() { Reduce(Serial(), -1, 1, body, join) })
	require.PanicsWithValue(t, "body", func() {
		Reduce(newPool(t, 2).Thread(), 100, 1, func(_ *Thread, lo, hi int) int { panic("body") }, join)
	})
}
