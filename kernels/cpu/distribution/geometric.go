package distribution

import (
	"math"

	"github.com/weft-nd/weft/kernels/cpu/internal/elementary"
)

// Geometric fills dst, at most BlockSize elements, with the numbers of trials up to the first success, which has the given probability, by
// inversion: the least k with (1 − p)^k at most a uniform number. What is beyond int64 becomes its largest number.
func Geometric(dst []int64, s Source, first uint64, probability float64) {
	perTrial := elementary.Log1p(-probability)
	counting(dst, s, first, func(n *numbers, _ int) int64 {
		switch k := math.Ceil(elementary.LogUnit(n.next()) / perTrial); {
		case k >= 1<<63:
			return math.MaxInt64
		default:
			return max(int64(k), 1)
		}
	})
}
