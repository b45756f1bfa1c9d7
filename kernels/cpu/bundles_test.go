package cpu

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// joinedSums adds the sums of one half of as many bundles as a power of two to those of the other, where there are any.
func joinedSums(all [][]float32, power int) []float32 {
	if power == 1 {
		return slices.Clone(all[0])
	}
	sums := joinedSums(all[:min(len(all), power/2)], power/2)
	if len(all) > power/2 {
		for i, v := range joinedSums(all[power/2:], power/2) {
			sums[i] += v
		}
	}
	return sums
}

func TestBundlesAreJoinedInOneOrderWhoeverHasWhichOfThem(t *testing.T) {
	r := random()
	for _, width := range []int{1, 2, 14, 130} {
		for count := 1; count <= 35; count++ {
			all := make([][]float32, count)
			for i := range all {
				all[i] = make([]float32, width)
				for j := range all[i] {
					all[i][j] = float32(r.NormFloat64())
				}
			}
			want := joinedSums(all, 64)
			for range 5 {
				features.Each(func(level features.Level) {
					b := newBundles(make([]float32, count*bundleRoom(width)), count, width)
					var ranges [][2]int
					for lo := 0; lo < count; {
						hi := lo + 1 + r.IntN(count-lo)
						ranges, lo = append(ranges, [2]int{lo, hi}), hi
					}
					r.Shuffle(len(ranges), func(i, j int) { ranges[i], ranges[j] = ranges[j], ranges[i] })
					for _, part := range ranges {
						for i := part[0]; i < part[1]; i++ {
							copy(b.at(i), all[i])
							b.finish(part[0], i)
						}
					}
					require.Equal(t, want, b.total(), fmt.Sprint(count, width, ranges, level))
				})
			}
		}
	}
}
