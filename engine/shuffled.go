package engine

import (
	"math/rand/v2"
	"os"
	"strconv"
	"sync"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
)

// scheduleVariable seeds the order in which the engine shuffled runs operations; 0 if it is not set.
const scheduleVariable = "WEFT_SCHEDULE_SEED"

// shuffled gathers leaves and runs them one at a time, each drawn from those that are ready. It runs them at points where the
// order of the draws depends on nothing but the calls of the goroutine that pushes: in its pushes, as often as the seed says,
// and in its waits. Only what these leave over, because a goroutine waits for a host function or for a channel, is run
// elsewhere.
type shuffled struct {
	naive
	limits limits

	// Guarded by core.mu.
	random  *rand.Rand
	haste   float64   // how likely a push runs a leaf
	leaves  []*task   // ready
	busy    bool      // a goroutine runs leaves
	rested  sync.Cond // busy has become false
	demands []*demand // of goroutines that wait
	silence silence
}

// NewShuffled returns an engine that finds operations whose accesses do not tell all that they touch: it runs leaves one at
// a time, in an order that their accesses allow and that is otherwise drawn from a generator with the given seed, and mostly
// long after their push. What a program computes must not depend on it. The order of a program with one goroutine that pushes,
// and without host functions, depends on the seed alone; priorities do not matter. Leaves run during pushes and
// waits; where nobody does either, they run some 20 ms after the last push. Otherwise it is like NewNaive.
func NewShuffled(seed uint64, opts ...Option) Engine {
	o := newOptions(opts)
	e := &shuffled{limits: o.limits, random: rand.New(rand.NewPCG(seed, 0))}
	e.haste = e.random.Float64()
	e.rested.L = &e.mu
	e.setUp(e, o)
	e.eager = true
	e.streams.open = func(d device.Device, p Property) *streamLane { return newStreamLane(d, p, &e.core) }
	return e
}

func newShuffledFromEnvironment(opts ...Option) Engine {
	seed := uint64(0)
	if value := os.Getenv(scheduleVariable); value != "" {
		var err error
		if seed, err = strconv.ParseUint(value, 10, 64); err != nil {
			panic(fault.Variable(scheduleVariable, value, "a number of 64 bits"))
		}
	}
	return NewShuffled(seed, opts...)
}

// Name implements Engine.
func (e *shuffled) Name() string { return "shuffled" }

func (e *shuffled) publish() bool { return true }

func (e *shuffled) enqueue(t *task) {
	e.leaves = append(e.leaves, t)
	if !e.busy {
		e.listen()
	}
}

func (e *shuffled) queued() int { return len(e.leaves) }

// draw removes the task to run next, nil if none may run. The caller holds core.mu.
func (e *shuffled) draw() *task {
	for len(e.leaves) > 0 && !e.signals.paused.Load() {
		i, last := e.random.IntN(len(e.leaves)), len(e.leaves)-1
		t := e.leaves[i]
		e.leaves[i], e.leaves[last] = e.leaves[last], nil
		e.leaves = e.leaves[:last]
		if e.parking.count == 0 || !e.parksBehind(t) {
			return t
		}
	}
	return nil
}

// runUntil runs leaves until enough tells so or none is ready. The caller holds core.mu, which runUntil lets go of. The leaves run
// in a goroutine of their own, so that one that calls runtime.Goexit does not end that of the caller, which may wait for others.
func (e *shuffled) runUntil(enough func() bool) {
	e.busy = true
	e.mu.Unlock()
	for finished := false; !finished; {
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			e.mu.Lock()
			for t := e.drawUnless(enough); t != nil; t = e.drawUnless(enough) {
				e.runHere(t)
				e.unlock()
				e.mu.Lock()
			}
			e.mu.Unlock()
			finished = true
		}()
		<-ended
	}
	e.mu.Lock()
	e.busy = false
	e.rested.Broadcast()
	e.listen()
	e.unlock()
}

func (e *shuffled) drawUnless(enough func() bool) *task {
	if enough() {
		return nil
	}
	return e.draw()
}

func (e *shuffled) help(*Var, uint64) bool { return false }

// throttle runs leaves while the goroutine that pushes waits: one if it is drawn to, as many as it takes if it is over the limit.
func (e *shuffled) throttle(pushed load) {
	e.mu.Lock()
	e.silence.ticks = 0
	within := func() bool { return e.limits.within(pushed, e.counted, e.bytes) }
	for e.busy && !within() {
		e.rested.Wait()
	}
	switch {
	case e.busy:
		e.mu.Unlock()
	case !within():
		e.runUntil(func() bool { return e.limits.relaxed().within(pushed, e.counted, e.bytes) })
	case e.random.Float64() < e.haste:
		ran := false
		e.runUntil(func() (enough bool) { enough, ran = ran, true; return enough })
	default:
		e.mu.Unlock()
	}
}
