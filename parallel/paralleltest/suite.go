package paralleltest

import (
	"runtime"
	"slices"
	"testing"

	"github.com/weft-nd/weft/parallel"
)

// factory makes pools of so many workers, of the layer under test, that are closed at the end of the test.
type factory = func(t *testing.T, workers int) *parallel.Pool

// property is one promise of the package.
type property struct {
	name  string
	check func(t *testing.T, new factory)
}

// RunAll runs every property as a subtest of t, each on pools of its own that new makes.
func RunAll(t *testing.T, new func(workers int) *parallel.Pool) {
	closed := func(t *testing.T, workers int) *parallel.Pool {
		pool := new(workers)
		t.Cleanup(pool.Close)
		return pool
	}
	for _, p := range slices.Concat(items, masks, chunks, nestings, callers, panics, reductions) {
		t.Run(p.name, func(t *testing.T) { p.check(t, closed) })
	}
}

// await returns when condition holds; a condition that never holds ends in the time limit of the test.
func await(condition func() bool) {
	for !condition() {
		runtime.Gosched()
	}
}
