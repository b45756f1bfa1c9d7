package convolution

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// TestRowsOfSumsHaveTheSameBitsInAnyNumber computes numbers of filters whose sums take kernels of several heights, one below the other, by
// every instruction set and number of workers, in one block of steps and in several.
func TestRowsOfSumsHaveTheSameBitsInAnyNumber(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 1))
	for filters := 7; filters <= 60; filters++ {
		if filters > 16 && (testing.Short() || filters%15 > 0 && filters%11 > 0) {
			continue
		}
		for _, channels := range []int{8, 60} {
			s := Shape{1, 1, channels, filters, [3]Axis{NoAxis, axis(8, 3, 1, 1, 0, 0), axis(14, 3, 1, 1, 0, 0)}}
			x := newTrial(s, [4]layout{}, uniform[float32](r))
			for number, d := range directions[float32]()[:2] {
				var want []float32
				features.Each(func(level features.Level) {
					for _, workers := range []int{1, 2, 8} {
						got := x.run(t, d, workers)
						if want == nil {
							want = got
						}
						require.True(t, sameBits(want, got), "%v, %d workers, direction %d of %v", level, workers, number, s)
					}
				})
			}
		}
	}
}
