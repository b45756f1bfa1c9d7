package engine

import (
	"sync"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/parallel"
)

// naive runs every leaf in the goroutine that made it ready: the one that pushed it, unless another goroutine's operation
// was in the way. Streams are waited for. It is slow and obviously in order: the oracle for the other engines, and the
// one to debug with.
type naive struct {
	core
	threads sync.Pool
	lanes   laneSet
}

// NewNaive returns an engine that runs every operation where it is pushed, before Push returns. Host functions run on
// their own goroutines all the same, since they may wait for something that their pusher holds.
func NewNaive(opts ...Option) Engine {
	o := options{}
	for _, opt := range opts {
		opt(&o)
	}
	e := &naive{}
	e.threads.New = func() any {
		if o.pool != nil {
			return o.pool.Thread()
		}
		return parallel.Default().Thread()
	}
	e.core = newCore(e)
	e.lanes.open = func(d device.Device, _ Property) *streamLane { return newStreamLane(d, &e.core) }
	return e
}

// Name implements Engine.
func (e *naive) Name() string { return "naive" }

func (e *naive) dispatch(ready queue) {
	for op := ready.take(); op != nil; op = ready.take() {
		if op.Host {
			go e.runHost(op)
			continue
		}
		ready.append(e.run(op))
	}
}

func (e *naive) run(op *Operation) queue {
	if !op.Device.OnHost() && op.waiter == nil && op.Property != DeleteVar && !op.Host {
		return e.lanes.of(op.Device, Normal).runToEnd(op)
	}
	t := e.threads.Get().(*parallel.Thread)
	defer e.threads.Put(t)
	t.Reset()
	return e.execute(op, t)
}

func (e *naive) runHost(op *Operation) { e.dispatch(e.run(op)) }

func (e *naive) throttle() {}

func (e *naive) laneOf(*Operation) *streamLane { return nil }

func (e *naive) stop() { e.lanes.stop() }
