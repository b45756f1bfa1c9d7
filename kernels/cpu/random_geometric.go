package cpu

import (
	"math"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/elementary"
	"github.com/weft-nd/weft/parallel"
)

// geometric counts trials up to the first success, which has the probability Scalars[0], by inversion: the least k with
// (1 − p)^k at most a uniform number. What is beyond int64 becomes its largest number.
func geometric(t *parallel.Thread, a *device.Arguments) error {
	perTrial := elementary.Log1p(-a.Scalars[0])
	drawing(t, a, 15, func(s source, first uint64, count int, operands pointers) {
		counting(slice[int64](operands[0], count), s, first, func(n *numbers, _ int) int64 {
			switch k := math.Ceil(elementary.LogUnit(n.next()) / perTrial); {
			case k >= 1<<63:
				return math.MaxInt64
			default:
				return max(int64(k), 1)
			}
		})
	})
	return nil
}

var _ = register("geometric", entry{dtype.Int64.String(), geometric})
