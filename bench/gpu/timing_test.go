package gpu

import (
	"slices"
	"time"
)

// median returns the median time of eleven runs, after one that does not count.
func median(run func()) time.Duration {
	run()
	times := make([]time.Duration, 11)
	for i := range times {
		begin := time.Now()
		run()
		times[i] = time.Since(begin)
	}
	slices.Sort(times)
	return times[len(times)/2]
}
