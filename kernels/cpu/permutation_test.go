package cpu

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPermutationIsUniformOverAllOrders(t *testing.T) {
	const rounds = 24_000
	found := map[[4]int64]float64{}
	for sequence := range int64(rounds) {
		found[[4]int64(drawn[int64](t, "permutation", []int{4}, layout(sequence%2), 9, sequence))]++
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
	order := drawn[int64](t, "permutation", []int{5000}, scattered, 1, 1)
	seen := map[int64]bool{}
	for _, i := range order {
		require.True(t, i >= 0 && i < 5000 && !seen[i])
		seen[i] = true
	}
}
