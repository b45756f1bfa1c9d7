package engine

import (
	"runtime"
	"sync"
	"time"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/parallel"
	"github.com/weft-nd/weft/profile"
)

// threaded runs leaves on the workers of the process, tasks on devices that the host cannot address on streams, and host
// functions on goroutines of their own.
type threaded struct {
	core
	_       [64]byte
	layout  layout
	limits  limits
	quota   int // copies on the host that run at a time while there is something else to do
	streams laneSet
	started sync.Once

	_ [64]byte // What follows is written all the time.

	// Guarded by core.mu.
	hosts         []*hostLanes // by device
	turn          int          // the device that is served next
	leaves        int          // in hosts
	busy          int          // leaves that run
	patience      patience
	waitingToPush []throttled
}

// crowdLoads is how many looks at the signals a worker waits for more in the intake: well below a microsecond.
const crowdLoads = 1000

// hasteLooks is how many times in a row a worker does not wait for more in the intake after a goroutine has waited: an
// operation that will be waited for can be done before its waiter shows up.
const hasteLooks = 16

// burst is how many tasks a worker runs one after another until it looks for other work than what these made ready.
const burst = 64

// NewPerDevice returns the default engine: every CPU device has queues of its own, for kernels and for copies, which all
// workers of the process serve in turn, and every other device streams of its own, for kernels, for those with priority and
// for each direction of copies. Host functions run on goroutines of their own.
func NewPerDevice(opts ...Option) Engine { return newThreaded(perDevice, opts) }

// NewPooled returns an engine as NewPerDevice does, but with one pair of queues for all CPU devices, and with one stream for
// kernels and one for copies on every other device.
func NewPooled(opts ...Option) Engine { return newThreaded(pooled, opts) }

func newThreaded(l layout, opts []Option) Engine {
	o := newOptions(opts)
	e := &threaded{layout: l, limits: o.limits, quota: o.copies}
	if e.quota == 0 {
		e.quota = l.copies(o.pool.NumWorkers())
	}
	e.setUp(e, o)
	e.patience.timer = time.AfterFunc(time.Hour, e.losePatience)
	e.patience.timer.Stop()
	e.streams.open = func(d device.Device, p Property) *streamLane {
		s := newStreamLane(d, p, &e.core)
		s.run()
		return s
	}
	return e
}

// Name implements Engine.
func (e *threaded) Name() string { return e.layout.name }

func (e *threaded) laneOf(t *task) *streamLane {
	op := t.operation
	if t.waiter() != nil || op.Property == DeleteVar || op.Host || t.refused() {
		return nil
	}
	return e.streams.of(op.Device, e.layout.stream(op.Property))
}

// enqueue makes a leaf available to the workers.
func (e *threaded) enqueue(t *task) {
	e.hostLanes(t.operation.Device).add(t)
	e.leaves++
}

func (e *threaded) hostLanes(d device.Device) *hostLanes {
	d = e.layout.host(d)
	for i := range e.hosts {
		if e.hosts[i].device == d {
			return e.hosts[i]
		}
	}
	e.hosts = append(e.hosts, &hostLanes{device: d})
	return e.hosts[len(e.hosts)-1]
}

func (e *threaded) publish() bool {
	if len(e.waitingToPush) > 0 {
		e.wakeThrottled()
	}
	queued := e.leaves > 0
	if queued != e.signals.queued.Load() {
		e.signals.queued.Store(queued)
	}
	return queued
}

func (e *threaded) wake() { e.call(false) }

// offer leaves what was pushed to a worker that soon looks by itself, if goroutines that push mostly run it themselves, and
// nothing pushed before is already left to that worker: a goroutine that pushes again is not waiting yet.
func (e *threaded) offer() { e.call(true) }

// call makes sure that a worker looks for work: soon, if it may be late, otherwise at once.
func (e *threaded) call(late bool) {
	if e.isServed() || e.signals.awaiting.Load() {
		return
	}
	e.started.Do(func() { e.pool.AddSource(e) })
	switch {
	case !e.pool.Sleeps():
	case !e.IsCalm():
		e.hurry() // Waking a worker yields the processor to it; nothing more is pushed meanwhile.
		e.pool.Notify()
	case late && e.pool.Dozes() && !e.signals.deferred.Load():
		e.signals.deferred.Store(true)
	default:
		e.pool.Rouse()
	}
}

func (e *threaded) resume() { e.streams.wake() }

func (e *threaded) queued() int { return e.leaves }

func (e *threaded) inline(t *task) {
	r := t.runner
	r.run.Thread = r.thread(e.pool)
	e.runAlone(t)
}

// HasWork implements parallel.Source.
func (e *threaded) HasWork() bool {
	s := &e.signals
	return (s.queued.Load() || s.arrived.Load() && !s.awaiting.Load()) && !s.paused.Load() && !e.isServed()
}

// take removes the task to run next, nil if none is ready, and gives it a runner. The devices take turns. The caller holds
// core.mu.
func (e *threaded) take() *task {
	if e.leaves == 0 || e.signals.paused.Load() {
		return nil
	}
	for range e.hosts {
		if e.turn++; e.turn >= len(e.hosts) {
			e.turn = 0
		}
		h := e.hosts[e.turn]
		for t := h.take(e.quota); t != nil; t = h.take(e.quota) {
			e.leaves--
			if e.parking.count > 0 && e.parksBehind(t) {
				h.giveBack(t)
				continue
			}
			e.begin(t)
			e.busy++
			return t
		}
	}
	return nil
}

// RunOne implements parallel.Source: the worker runs a task, then what that makes ready, whose operands it has in its cache,
// then what else is ready.
func (e *threaded) RunOne(thread *parallel.Thread) bool {
	if e.isServed() {
		return false
	}
	second := e.signals.serving.Add(1) > 1
	start := time.Duration(0)
	if second {
		start = profile.Now()
	}
	e.awaitLeaves()
	t, n, done := e.take(), 0, e.counted
	for t != nil {
		e.runLeaf(t, thread)
		n++
		pause := n%burst == 0
		if pause && second && e.areBrief(start, done, n) {
			break
		}
		t = e.next(pause)
	}
	switch {
	case second && n > 0:
		e.areBrief(start, done, n)
	case second:
		e.wasNeedless()
	}
	if n > 0 {
		e.doubtHelp()
	}
	e.stopServing()
	e.route()
	e.release()
	return n > 0
}

// awaitLeaves registers what is pushed until there is something to run, or nothing more comes; meanwhile nobody else need do
// so. It returns with core.mu held.
func (e *threaded) awaitLeaves() {
	e.signals.awaiting.Store(true)
	for {
		full := e.awaitCrowd()
		e.mu.Lock()
		if !full {
			e.absorb()
		}
		e.findLeaves()
		if e.leaves > 0 || e.core.inline.first != nil || !full || e.pool.HasWorkBeside(e) {
			break
		}
		e.release()
	}
	e.signals.awaiting.Store(false)
	if e.leaves > 0 && e.signals.arrived.Load() { // A goroutine that has just pushed may have relied on this worker.
		e.mu.Unlock()
		e.wake()
		e.mu.Lock()
	}
}

// stopServing tells throttled goroutines that the worker no longer looks for leaves. The caller holds core.mu.
func (e *threaded) stopServing() {
	e.signals.serving.Add(-1)
	e.wakeThrottled()
}

// awaitCrowd gives goroutines that push a moment to push more, unless there is something else to do. It reports whether they
// have handed something over. If they lately waited for what they pushed they will again, so they get no such moment.
func (e *threaded) awaitCrowd() bool {
	s := &e.signals
	if haste := s.haste.Load(); haste > 0 && !e.intake.offers() {
		s.haste.Store(haste - 1)
		return false
	}
	for range crowdLoads {
		switch {
		case e.intake.offers():
			return true
		case s.queued.Load():
			return false
		case s.hurried.Load():
			s.haste.Store(hasteLooks)
			return false
		}
	}
	return false
}

// runLeaf runs t, which take or next has returned, and finishes it. The caller holds core.mu, which is let go of meanwhile.
// Without a thread it is not a worker that runs t.
func (e *threaded) runLeaf(t *task, thread *parallel.Thread) {
	t.runner.lane = "worker"
	if thread == nil {
		t.runner.lane = "caller"
		thread = t.runner.thread(e.pool)
	}
	t.runner.run.Thread = thread
	op := t.operation
	d, copies := op.Device, op.isCopy() // not to be looked at when it has ended
	if e.core.inline.first == nil {
		e.release()
	} else {
		e.releaseFor(t)
	}
	thread.Reset()
	if op.Async != nil {
		e.start(t)
		e.mu.Lock()
		e.leave(d, copies)
		return
	}
	o := e.perform(t)
	e.mu.Lock()
	e.finish(t, o)
	e.leave(d, copies)
}

// release lets go of core.mu for the time in which a leaf runs.
func (e *threaded) release() {
	woken := len(e.waitingToPush) > 0 && e.wakeThrottled()
	e.letGo() // Those who pushed the rest may have relied on this worker.
	if woken {
		runtime.Gosched() // A woken goroutine is next on this processor, and would otherwise start late.
	}
}

// releaseFor is release for the goroutine that is about to run t. It runs deletions first, and one of them may end the
// goroutine.
func (e *threaded) releaseFor(t *task) {
	returned := false
	defer func() {
		if !returned {
			go e.standIn(t)
		}
	}()
	e.release()
	returned = true
}

// standIn runs t, which has a runner, in place of a goroutine that has ended, and counts that one out.
func (e *threaded) standIn(t *task) {
	r, d, copies := t.runner, t.operation.Device, t.operation.isCopy()
	worker := r.lane == "worker"
	r.run.Thread = r.thread(e.pool)
	e.runAlone(t)
	e.leave(d, copies)
	if worker {
		e.stopServing()
	}
	e.unlock()
}

// leave counts one running leaf of d less.
func (e *threaded) leave(d device.Device, copies bool) {
	e.busy--
	if copies {
		e.hostLanes(d).copying--
	}
}

func (e *threaded) abandoned(op *Operation, worker bool) {
	if op.isHostLeaf() {
		e.mu.Lock()
		e.leave(op.Device, op.isCopy())
		if worker {
			e.stopServing()
		} else {
			e.wakeThrottled()
		}
		e.mu.Unlock()
	}
}

// isHostLeaf reports whether op takes a worker.
func (op *Operation) isHostLeaf() bool {
	return !op.Host && op.Device.OnHost() && op.Property != DeleteVar
}

// next returns the task to run after another: preferably one that the other has made ready. At a pause it registers some of
// what was pushed, takes its turn among all that are ready, and returns nil if the worker is wanted elsewhere.
func (e *threaded) next(pause bool) *task {
	if pause {
		if e.pool.HasWorkBeside(e) {
			return nil
		}
		if e.absorbNext() {
			e.absorbNext() // As many as were run since the last time.
		} else {
			e.absorb()
		}
		for _, h := range e.hosts {
			h.compute.preferred += burst // to what waits there
		}
	}
	if t := e.ready.first; t != nil && e.parking.count == 0 && t.isPlainLeaf() && !e.urgent() && !(pause && e.leaves > 0) && !e.signals.paused.Load() {
		e.ready.take()
		e.route()
		r := e.begin(t)
		if e.observers != nil && e.core.inline.first == nil {
			r.start = e.record.End // The clock takes longer than what was between.
		}
		e.busy++
		return t
	}
	e.findLeaves()
	return e.take()
}

// findLeaves registers what was handed over until there is a leaf to run. The rest stays in the intake, where it is small, so
// that the tasks in use stay in the processor's cache. The caller holds core.mu.
func (e *threaded) findLeaves() {
	for e.route(); e.leaves == 0 && e.absorbNext(); {
		e.route()
	}
}

// isPlainLeaf reports whether t needs no queue if a worker has time for it.
func (t *task) isPlainLeaf() bool {
	return (t.rare == nil || t.rare.staging == nil && t.isAccepted()) && t.operation.isPlainLeaf()
}

// urgent reports whether a task is ready that comes before those of priority zero.
func (e *threaded) urgent() bool {
	for i := range e.hosts {
		if e.hosts[i].compute.urgent() {
			return true
		}
	}
	return false
}

func (e *threaded) stop() {
	e.pool.RemoveSource(e)
	e.streams.stop()
}
