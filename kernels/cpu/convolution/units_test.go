package convolution

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/parallel"
)

// TestEachUnitIsDoneOnceAndNoWorkerByTwo has as many workers as units, fewer and more, and fewer threads than workers.
func TestEachUnitIsDoneOnceAndNoWorkerByTwo(t *testing.T) {
	pool := parallel.New(3)
	defer pool.Close()
	for workers := 1; workers <= 5; workers++ {
		for _, units := range []int{0, 1, 2, 5, 40} {
			done, busy := make([]atomic.Int32, units), make([]atomic.Int32, workers)
			eachUnit(pool.Thread(), workers, units, 1e6, func(worker, unit int) {
				if busy[worker].Add(1) > 1 {
					t.Errorf("worker %d of %d does two units at a time", worker, workers)
				}
				done[unit].Add(1)
				busy[worker].Add(-1)
			})
			for unit := range done {
				require.EqualValues(t, 1, done[unit].Load(), "unit %d of %d, %d workers", unit, units, workers)
			}
		}
	}
}
