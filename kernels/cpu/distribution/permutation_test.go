package distribution

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPermutationIsUniformOverAllOrders(t *testing.T) {
	const rounds = 24_000
	found := map[[4]int64]float64{}
	for sequence := range uint64(rounds) {
		var order [4]int64
		Permutation(order[:], Source{9, sequence})
		found[order]++
	}
	require.Len(t, found, 24)
	var counts []float64
	for order, count := range found {
		seen := [4]bool{}
		for _, i := range order {
			seen[i] = true
		}
		require.Equal(t, [4]bool{true, true, true, true}, seen)
		counts = append(counts, count)
	}
	require.Less(t, chiSquareOf(counts, rounds/24), 56.0) // 23 degrees of freedom: 1 in 10^4
	order := make([]int64, 5000)
	Permutation(order, Source{1, 1})
	seen := map[int64]bool{}
	for _, i := range order {
		require.True(t, i >= 0 && i < 5000 && !seen[i])
		seen[i] = true
	}
}
