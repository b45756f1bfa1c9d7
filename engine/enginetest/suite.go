package enginetest

import (
	"fmt"
	"os"
	"runtime/pprof"
	"slices"
	"testing"
	"time"

	"github.com/weft-nd/weft/engine"
)

// factory makes the engines under test.
type factory = func(opts ...engine.Option) engine.Engine

// property is one promise of the interface.
type property struct {
	name  string
	check func(t *testing.T, new factory)
}

// patience is how long a property may take before it counts as hanging. It never decides between two correct outcomes.
const patience = time.Minute

// properties are all that every engine must have.
var properties = [][]property{
	workloads, crossings, orderings, ranges, versions, anchors,
	failures, chains, cures, forgettings,
	waitings, selfWaits, hosts, asyncs, limits, priorities, operators, cancellations, stoppings, closings, misuses, steps, streams, inspections, bulks, recordings, bulkFailures, parkings, briefs, inlines, alones, workers,
}

// RunAll runs every property as a subtest of t, each on engines of its own that new makes.
func RunAll(t *testing.T, new func(opts ...engine.Option) engine.Engine) {
	for _, p := range slices.Concat(properties...) {
		p.run(t, new, patience)
	}
}

// run checks p as a subtest of t. It ends the process if that takes too long.
func (p property) run(t *testing.T, new factory, patience time.Duration) {
	t.Run(p.name, func(t *testing.T) {
		ended := make(chan struct{})
		defer close(ended)
		go func() {
			if outlasts(ended, patience) {
				pprof.Lookup("goroutine").WriteTo(os.Stderr, 2)
				panic(fmt.Sprintf("enginetest: %s hangs", t.Name()))
			}
		}()
		p.check(t, new)
	})
}

// outlasts reports whether patience is over before ended is closed. It counts seconds, so that a process which was stopped, or got no
// processor for a while, does not take that for hanging.
func outlasts(ended chan struct{}, patience time.Duration) bool {
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for range int(patience / time.Second) {
		select {
		case <-ended:
			return false
		case <-second.C:
		}
	}
	return true
}
