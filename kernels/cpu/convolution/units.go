package convolution

import (
	"sync/atomic"

	"github.com/weft-nd/weft/parallel"
)

// lot is the units of a worker, of which so many are taken.
type lot struct {
	taken atomic.Int64
	_     [56]byte
}

// own is what a worker writes again and again, on lines of the cache that no other worker's is on, nor beside.
type own[A any] struct {
	of A
	_  [128]byte
}

// eachUnit calls do for all units, which take so many nanoseconds together, by so many workers at a time: each has
// memory of its own. A worker first does the units next to each other that it has whenever there are as many, since it
// has met what they read and write, and then what is left of others.
func eachUnit(t *parallel.Thread, workers, units int, nanoseconds float64, do func(worker, unit int)) {
	if workers == 1 {
		for unit := range units {
			do(0, unit)
		}
		return
	}
	lots := make([]lot, workers)
	t.ForCost(workers, nanoseconds/float64(workers), func(_ *parallel.Thread, lo, hi int) {
		for worker := lo; worker < hi; worker++ {
			for i := range workers {
				number := (worker + i) % workers
				first, last := units*number/workers, units*(number+1)/workers
				for unit := first + int(lots[number].taken.Add(1)) - 1; unit < last; unit = first + int(lots[number].taken.Add(1)) - 1 {
					do(worker, unit)
				}
			}
		}
	})
}
