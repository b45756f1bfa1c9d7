package engine

import (
	"slices"
	"time"
)

// concluder waits for the tasks of a lane that are launched, and finishes them in their order.
//
// Asking a driver about an event takes it about half as long as a launch, and keeps others from launching meanwhile. So while
// the launcher is at work the concluder asks only now and then, once for many tasks: a stream reaches its events in order, so
// one that is complete implies all before it. It never blocks for a later event than the first, so that no result is held back
// behind other work.
type concluder struct {
	lane    *streamLane
	backlog []launch // oldest first
	passed  int      // of the backlog, at the beginning, that are finished
	streak  int      // tasks that were done when it asked last
	called  chan struct{}
	timer   *time.Timer

	// Guarded by lane.mu.
	launched []launch // since the backlog was last added to
	wanted   int      // launched tasks for which to call it; 0 if it is at work
}

// While the launcher is at work, the concluder asks when so many tasks were launched, and after this time at the
// latest, as the launcher may be kept in the driver.
const (
	concludeCrowd = 32
	concludePause = 200 * time.Microsecond
)

// concludeBatch is how many tasks are finished at most before others may have core.mu.
const concludeBatch = 16

func (d *concluder) start() {
	d.called, d.timer = make(chan struct{}, 1), time.NewTimer(concludePause)
	d.timer.Stop()
}

// add hands over a task that was launched. If no more follows at once the call is left to takeReady, so that the concluder is
// not woken just before the launcher begins to wait. The caller holds lane.mu.
func (d *concluder) add(done launch, more bool) {
	d.launched = append(d.launched, done)
	if more {
		d.call(d.wanted)
	}
}

// call wakes the concluder if it waits, and at least the given number of tasks was launched. The caller holds lane.mu.
func (d *concluder) call(least int) {
	if d.wanted > 0 && len(d.launched) >= least {
		d.wanted = 0
		d.called <- struct{}{} // has room: the concluder takes it before it waits again
	}
}

// concludeAll finishes what is launched until the lane is stopped.
func (d *concluder) concludeAll() {
	for d.await() {
		done := d.backlog[d.passed:][:d.reached()]
		for i := range done {
			done[i].await()
		}
		d.finish(done)
		clear(done)
		if d.passed += len(done); 2*d.passed >= len(d.backlog) { // so that each is moved once, on average
			left := append(d.backlog[:0], d.backlog[d.passed:]...)
			clear(d.backlog[len(left):])
			d.backlog, d.passed = left, 0
		}
	}
}

// await adds what was launched to the backlog when it is time to ask for it. It reports false if the lane is stopped.
func (d *concluder) await() bool {
	l := d.lane
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(d.backlog)+len(d.launched) == 0 {
		if l.stopped {
			return false
		}
		d.wanted = 1
		l.mu.Unlock()
		<-d.called
		l.mu.Lock()
	}
	if !l.waits && !l.stopped && len(d.launched) < concludeCrowd {
		d.pause()
	}
	d.backlog = append(d.backlog, d.launched...)
	clear(d.launched)
	d.launched = d.launched[:0]
	return true
}

// pause waits until there is a crowd, the launcher has nothing to do, or time has passed. The caller holds lane.mu, which is let go of
// meanwhile.
func (d *concluder) pause() {
	d.wanted = concludeCrowd
	d.lane.mu.Unlock()
	d.timer.Reset(concludePause)
	called := false
	select {
	case <-d.called:
		called = true
		d.timer.Stop()
	case <-d.timer.C:
	}
	d.lane.mu.Lock()
	if d.wanted == 0 && !called { // At the same time.
		<-d.called
	}
	d.wanted = 0
}

// reached returns how many tasks of the backlog to finish: some that are done, or else the first.
func (d *concluder) reached() int {
	left := d.backlog[d.passed:]
	n := min(max(2*d.streak, 1), len(left))
	for n > 1 && !left[n-1].event.Done() {
		n /= 2
	}
	d.streak = n
	return n
}

// finish finishes tasks that are done.
func (d *concluder) finish(done []launch) {
	c := d.lane.core
	for part := range slices.Chunk(done, concludeBatch) {
		c.mu.Lock()
		for i := range part {
			c.finish(part[i].task, part[i].outcome)
		}
		c.unlock()
	}
}

// await waits until what was launched is done.
func (l *launch) await() {
	if err := l.event.Wait(); err != nil && l.outcome.err == nil {
		l.outcome.err = l.task.operation.failed(err, l.task.site)
	}
}
