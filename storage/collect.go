package storage

import (
	"runtime"
	"runtime/metrics"
	"time"
	"weak"
)

// markPoll is how often collect looks whether the collector has marked what is alive, which takes about a millisecond.
const markPoll = 200 * time.Microsecond

// collect runs one whole cycle of Go's collector, up to the end of marking: then the weak pointers to what was unreachable
// before are nil. runtime.GC also sweeps the heap, and lets every other goroutine run between two spans: where kernels keep the
// processors busy that may take many times as long, and nothing here needs it.
func collect() {
	lost := weak.Make(new(sentinel))
	cycles := newCycleCount()
	before := cycles.read()
	returned := make(chan struct{})
	go func() {
		defer close(returned)
		runtime.GC()
	}()
	poll := time.NewTicker(markPoll)
	defer poll.Stop()
	for {
		select {
		case <-returned:
			return
		case <-poll.C:
		}
		// While it marks, a look at the weak pointer would keep the sentinel alive. A cycle that had begun before does not find it.
		if now := cycles.read(); now != before {
			if lost.Value() == nil {
				return
			}
			before = now
		}
	}
}

// sentinel is too large to share its block of Go's heap with other objects.
type sentinel [64]byte

// cycleCount reads how often the collector has run. It is not safe for concurrent use.
type cycleCount []metrics.Sample

func newCycleCount() cycleCount {
	return cycleCount{{Name: "/gc/cycles/total:gc-cycles"}}
}

func (c cycleCount) read() uint64 {
	metrics.Read(c)
	return c[0].Value.Uint64()
}
