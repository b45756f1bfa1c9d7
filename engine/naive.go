package engine

import "github.com/weft-nd/weft/device"

// naive runs every leaf in the goroutine that made it ready: the one that pushed it, unless another goroutine's operation
// was in the way. Streams are waited for. It is slow and obviously in order: the oracle for the other engines, and the
// one to debug with.
type naive struct {
	core
	streams laneSet
}

// NewNaive returns an engine that runs every operation where it is pushed, before Push returns. Host functions run on
// their own goroutines all the same, since they may wait for something that their pusher holds.
func NewNaive(opts ...Option) Engine {
	e := &naive{}
	e.setUp(e, newOptions(opts))
	e.eager, e.serial = true, true
	e.streams.open = func(d device.Device, p Property) *streamLane { return newStreamLane(d, p, &e.core) }
	return e
}

// Name implements Engine.
func (e *naive) Name() string { return "naive" }

func (e *naive) enqueue(t *task) { e.runHere(t) }

func (e *naive) inline(t *task) {
	r := t.runner
	r.run.Thread = r.thread(e.pool)
	if op := t.operation; !op.Device.OnHost() && op.Property != DeleteVar {
		e.streams.of(op.Device, Normal).runToEnd(t)
		e.mu.Lock()
	} else {
		e.runAlone(t)
	}
}

func (e *naive) abandoned(*Operation, bool) {}

func (e *naive) publish() bool { return false }

func (e *naive) wake() {}

func (e *naive) offer() {}

func (e *naive) resume() {}

func (e *naive) throttle(load) {}

func (e *naive) help(*Var, uint64) bool { return false }

func (e *naive) queued() int { return 0 }

func (e *naive) laneOf(*task) *streamLane { return nil }

func (e *naive) stop() { e.streams.stop() }
