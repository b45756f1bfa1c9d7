package engine

import (
	"sync"

	"github.com/weft-nd/weft/device"
)

// streamLane runs tasks on one stream of a device that the host cannot address. One goroutine launches: it enqueues the
// work and makes the event known, so that dependants on the device need not wait for the host. Another waits for the events
// and finishes the tasks; see concluder.
type streamLane struct {
	device   device.Device
	property Property
	name     string
	core     *core

	mu        sync.Mutex
	ready     lane
	waits     bool      // the launcher has nothing to do, and was not called yet
	called    sync.Cond // the launcher
	stopped   bool
	concluder concluder

	stream  device.Stream // used by the launcher alone, and by stop when that has ended
	broken  error         // why there is no stream
	running sync.WaitGroup
}

// launch is a task whose work is on the stream.
type launch struct {
	task    *task
	event   device.Event
	outcome outcome // of the enqueuing itself
}

func newStreamLane(d device.Device, p Property, c *core) *streamLane {
	l := &streamLane{device: d, property: p, name: d.String() + map[Property]string{
		Normal: " compute", Prioritized: " priority", CopyFromDevice: " copy from", CopyToDevice: " copy to",
	}[p], core: c}
	l.called.L = &l.mu
	l.concluder.lane = l
	return l
}

// run runs the lane's goroutines until stop.
func (l *streamLane) run() {
	l.concluder.start()
	l.running.Add(2)
	go l.launchAll()
	go func() {
		defer l.running.Done()
		l.concluder.concludeAll()
	}()
}

// launchAll launches until the lane is stopped. Its goroutine is not locked to a thread: so the thread of a goroutine that
// waits for a result can go on to launch, wait for the device and return to that goroutine, without waking another thread,
// which takes longer than a launch. Therefore streams set, at each call, what a driver keeps for each thread.
func (l *streamLane) launchAll() {
	returned := false
	defer func() {
		if returned {
			l.running.Done()
		} else {
			go l.launchAll() // A function called runtime.Goexit.
		}
	}()
	for t := l.takeReady(); t != nil; t = l.takeReady() {
		for t = l.start(t); t != nil; {
			t = l.handOver(l.enqueue(t, func(done launch) { l.handOver(done, false) }), true)
		}
	}
	returned = true
}

func (l *streamLane) add(t *task) {
	l.mu.Lock()
	l.ready.add(t)
	l.call()
	l.mu.Unlock()
}

// call lets the launcher look for work, if it waits for some. The caller holds l.mu.
func (l *streamLane) call() {
	if l.waits {
		l.waits = false
		l.called.Signal()
	}
}

func (l *streamLane) takeReady() *task {
	l.mu.Lock()
	defer l.mu.Unlock()
	for (l.ready.length() == 0 || l.core.signals.paused.Load()) && !l.stopped {
		l.waits = true
		l.concluder.call(1)
		l.called.Wait()
	}
	l.waits = false
	l.concluder.call(l.concluder.wanted) // It may not have been called for what was launched last; see add.
	return l.ready.take()
}

// start begins t, which was ready, and returns it, or nil if it must not run now.
func (l *streamLane) start(t *task) *task {
	c := l.core
	c.mu.Lock()
	if l.begin(t) {
		c.mu.Unlock()
		return t
	}
	c.unlock()
	return nil
}

// begin gives t a runner. It reports false if t must not run now. The caller holds core.mu.
func (l *streamLane) begin(t *task) bool {
	c := l.core
	c.parking.staged--
	if c.signals.paused.Load() { // Since it was taken.
		c.held.add(t)
		return false
	}
	if c.parking.count > 0 && c.parksBehind(t) {
		return false
	}
	c.begin(t).lane = l.name
	return true
}

// handOver lets what may follow a task on the device be launched, and leaves the task to the concluder. If more is wanted it
// returns the task to launch next, begun, if there is one already, so that core.mu, which is contended, is locked once for each
// task.
func (l *streamLane) handOver(done launch, more bool) (next *task) {
	c := l.core
	c.mu.Lock()
	switch {
	case done.event == nil:
		c.finish(done.task, done.outcome)
	case done.outcome.err == nil:
		done.task.staging().event = done.event
		c.issue(done.task)
		c.leaveParking(done.task)
	}
	c.absorb()
	c.route()
	l.mu.Lock()
	if more && c.inline.first == nil { // What is inline comes before, and may end the goroutine.
		next = l.ready.take()
	}
	if done.event != nil {
		l.concluder.add(done, next != nil || c.inline.first != nil)
	}
	l.mu.Unlock()
	if next != nil && !l.begin(next) {
		next = nil
		c.route()
	}
	c.letGo()
	return next
}

// enqueue gives the work of t to the stream and returns how that went: without an event if nothing of t can be on the device.
// If the function of t calls runtime.Goexit, exited is called instead.
func (l *streamLane) enqueue(t *task, exited func(done launch)) (done launch) {
	done = launch{task: t, outcome: outcome{ran: true}}
	if err := l.prepare(t); err != nil {
		done.outcome.err = t.operation.failed(err, t.site)
		return done
	}
	t.runner.run.Stream = l.stream
	returned := false
	defer func() {
		if !returned {
			done.outcome.err = t.operation.failed(errExit, t.site)
			l.record(&done)
			exited(done)
		}
	}()
	if done.outcome = l.core.perform(t); done.outcome.err != nil {
		done.outcome = l.core.persist(t, done.outcome)
	}
	returned = true
	l.record(&done)
	return done
}

// record gives done its event. The function may have enqueued something even if it has failed.
func (l *streamLane) record(done *launch) {
	if !done.outcome.ran || done.outcome.starvation() != nil {
		return
	}
	var err error
	if done.event, err = l.stream.Record(); err != nil {
		done.event, done.outcome.err = nil, done.task.operation.failed(err, done.task.site)
	}
}

// prepare opens the stream, if need be, and makes it wait for what t follows on others.
func (l *streamLane) prepare(t *task) error {
	if l.stream == nil && l.broken == nil {
		l.openStream()
	}
	if l.broken != nil || t.staging() == nil {
		return l.broken
	}
	for _, earlier := range t.staging().after {
		if earlier.lane == l {
			continue
		}
		if err := l.stream.Wait(earlier.event); err != nil {
			return err
		}
	}
	return nil
}

// runToEnd launches t, which has a runner, and waits for it.
func (l *streamLane) runToEnd(t *task) {
	end := func(done launch) {
		l.mu.Unlock()
		if done.event != nil {
			done.await()
		}
		l.core.complete(t, done.outcome)
	}
	l.mu.Lock()
	end(l.enqueue(t, end))
}

func (l *streamLane) openStream() {
	backend, err := device.BackendOf(l.device.Kind)
	if err == nil {
		l.stream, err = backend.NewStream(l.device.Index)
	}
	l.broken = err
}

// stop ends the lane's goroutines and closes the stream.
func (l *streamLane) stop() {
	l.mu.Lock()
	l.stopped = true
	l.call()
	l.concluder.call(0)
	l.mu.Unlock()
	l.running.Wait()
	if l.stream != nil {
		l.stream.Close()
	}
}

// laneSet holds the lanes of an engine, opened when first used.
type laneSet struct {
	open  func(d device.Device, p Property) *streamLane
	mu    sync.Mutex
	lanes []*streamLane // a few
}

func (s *laneSet) of(d device.Device, p Property) *streamLane {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.lanes {
		if l.device == d && l.property == p {
			return l
		}
	}
	l := s.open(d, p)
	s.lanes = append(s.lanes, l)
	return l
}

// wake makes the lanes look whether they may launch.
func (s *laneSet) wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.lanes {
		l.mu.Lock()
		l.call()
		l.mu.Unlock()
	}
}

func (s *laneSet) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.lanes {
		l.stop()
	}
	s.lanes = nil
}
