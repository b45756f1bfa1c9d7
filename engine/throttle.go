package engine

import (
	"runtime"
	"slices"
)

// limits bound what may be pending while goroutines push.
type limits struct {
	operations uint64
	bytes      int64
}

// load is what had been pushed when a goroutine's own push was entered.
type load struct {
	operations uint64
	bytes      int64
}

// within reports whether what is pending of l, of which that much is done, is within the limits.
func (m limits) within(l load, operations uint64, bytes int64) bool {
	return l.operations <= operations+m.operations && l.bytes-bytes <= m.bytes
}

// relaxed returns what a goroutine that was over the limit waits for, so that it does not have to wait again soon.
func (m limits) relaxed() limits { return limits{m.operations - m.operations/2, m.bytes - m.bytes/2} }

// throttled is a goroutine that waits until less is pending.
type throttled struct {
	load load
	wake chan struct{}
}

// throttleRounds times throttleLoads looks, with a yield between them, is the window in which a throttled goroutine does not
// park: long enough for half of the default limit of brief functions. Parked, it would be woken on the processor of the
// worker, and both would run by turns.
const (
	throttleRounds = 1000
	throttleLoads  = 200
)

// throttle keeps a goroutine that pushes from running ahead without bound. It waits while leaves run, which end by themselves.
// If none runs, because the workers have other things to do, it helps: with one leaf at a time, and not with what that makes
// ready. It never waits for a host function, which may need something that the goroutine holds.
func (e *threaded) throttle(pushed load) {
	if e.limits.within(pushed, e.signals.progress.Load(), e.signals.released.Load()) || e.signals.paused.Load() {
		return
	}
	relaxed := e.limits.relaxed()
	if e.seesProgress(pushed, relaxed) {
		return
	}
	e.intake.mu.Lock()
	e.intake.closeBulks() // What is gathered counts, and might wait for this goroutine.
	e.intake.mu.Unlock()
	e.wake()
	e.mu.Lock()
	for !relaxed.within(pushed, e.counted, e.bytes) {
		if e.progressing() {
			e.awaitProgress(pushed)
			continue
		}
		e.absorb()
		e.route()
		t := e.take()
		if t == nil {
			break
		}
		e.runLeaf(t, nil)
	}
	e.wakeThrottled()
	e.unlock()
}

// seesProgress waits for a moment, while a worker is at work, until less is pending, and reports whether it is. It takes no
// lock: a worker that runs one brief function after another would have to hand it over.
func (e *threaded) seesProgress(pushed load, limits limits) bool {
	for range throttleRounds {
		for range throttleLoads {
			if limits.within(pushed, e.signals.progress.Load(), e.signals.released.Load()) {
				return true
			}
		}
		if e.signals.serving.Load() == 0 {
			return false
		}
		runtime.Gosched()
	}
	return false
}

// progressing reports whether a leaf runs, or a worker looks for one. The caller holds core.mu.
func (e *threaded) progressing() bool { return e.busy > 0 || e.signals.serving.Load() > 0 }

// awaitProgress parks the goroutine until less is pending or no leaf runs. The caller holds core.mu, which is let go of
// meanwhile.
func (e *threaded) awaitProgress(pushed load) {
	w := throttled{pushed, make(chan struct{})}
	e.waitingToPush = append(e.waitingToPush, w)
	e.mu.Unlock()
	<-w.wake
	e.mu.Lock()
}

// wakeThrottled wakes those who need not wait any more, and reports whether there are such. The caller holds core.mu.
func (e *threaded) wakeThrottled() (woken bool) {
	e.waitingToPush = slices.DeleteFunc(e.waitingToPush, func(w throttled) bool {
		free := !e.progressing() || e.limits.relaxed().within(w.load, e.counted, e.bytes)
		if free {
			close(w.wake)
			woken = true
		}
		return free
	})
	return woken
}
