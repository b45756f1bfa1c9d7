package engine

import (
	"runtime"
	"sync"

	"github.com/weft-nd/weft/device"
)

// streamLane runs tasks on one stream of a device that the host cannot address. One goroutine launches: it enqueues the
// work and makes the event known, so that dependants on the device need not wait for the host. Another waits for the events
// and finishes the tasks.
type streamLane struct {
	device device.Device
	name   string
	core   *core

	mu       sync.Mutex
	changed  sync.Cond
	ready    lane
	launched []launch
	stopped  bool

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
	l := &streamLane{device: d, name: d.String() + map[Property]string{
		Normal: " compute", Prioritized: " priority", CopyFromDevice: " copy from", CopyToDevice: " copy to",
	}[p], core: c}
	l.changed.L = &l.mu
	return l
}

// start runs the lane's goroutines until stop.
func (l *streamLane) start() {
	l.running.Add(2)
	go l.launchAll()
	go func() {
		defer l.running.Done()
		for next, ok := l.takeLaunched(); ok; next, ok = l.takeLaunched() {
			l.conclude(next)
		}
	}()
}

func (l *streamLane) launchAll() {
	runtime.LockOSThread() // drivers keep the current device per thread
	returned := false
	defer func() {
		if returned {
			l.running.Done()
		} else {
			go l.launchAll() // A function called runtime.Goexit.
		}
	}()
	for t := l.takeReady(); t != nil; t = l.takeReady() {
		l.launch(t)
	}
	returned = true
	runtime.UnlockOSThread()
}

func (l *streamLane) add(t *task) {
	l.mu.Lock()
	l.ready.add(t)
	l.mu.Unlock()
	l.changed.Broadcast()
}

func (l *streamLane) takeReady() *task {
	l.mu.Lock()
	defer l.mu.Unlock()
	for (l.ready.length() == 0 || l.core.signals.paused.Load()) && !l.stopped {
		l.changed.Wait()
	}
	return l.ready.take()
}

func (l *streamLane) takeLaunched() (next launch, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.launched) == 0 && !l.stopped {
		l.changed.Wait()
	}
	if len(l.launched) == 0 {
		return launch{}, false
	}
	next = l.launched[0]
	l.launched[0] = launch{}
	l.launched = l.launched[1:]
	return next, true
}

// launch enqueues t, and lets what may follow it on the device be launched.
func (l *streamLane) launch(t *task) {
	c := l.core
	c.mu.Lock()
	c.parking.staged--
	if c.signals.paused.Load() { // Since it was taken.
		c.held.add(t)
		c.unlock()
		return
	}
	if c.parking.count > 0 && c.parksBehind(t) {
		c.unlock()
		return
	}
	c.begin(t).lane = l.name
	c.mu.Unlock()
	l.enqueue(t, func(next launch) {
		if next.event == nil {
			c.complete(t, next.outcome)
			return
		}
		c.mu.Lock()
		if next.outcome.err == nil {
			t.staging().event = next.event
			c.issue(t)
			c.leaveParking(t)
		}
		c.unlock()
		l.mu.Lock()
		l.launched = append(l.launched, next)
		l.mu.Unlock()
		l.changed.Broadcast()
	})
}

// enqueue gives the work of t to the stream and tells then how that went: without an event if nothing of t can be on the
// device. It tells so too if the function of t calls runtime.Goexit.
func (l *streamLane) enqueue(t *task, then func(next launch)) {
	next := launch{task: t}
	if err := l.prepare(t); err != nil {
		next.outcome = outcome{err: t.operation.failed(err, t.site), ran: true}
		then(next)
		return
	}
	t.runner.run.Stream = l.stream
	next.outcome = outcome{err: t.operation.failed(errExit, t.site), ran: true}
	defer func() {
		if next.outcome.ran && next.outcome.starvation() == nil { // It may have enqueued something even if it failed.
			event, err := l.stream.Record()
			if err != nil {
				next.outcome.err = t.operation.failed(err, t.site)
			} else {
				next.event = event
			}
		}
		then(next)
	}()
	if next.outcome = l.core.perform(t); next.outcome.err != nil {
		next.outcome = l.core.persist(t, next.outcome)
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

// conclude waits for the event of a task and finishes it.
func (l *streamLane) conclude(next launch) {
	if err := next.event.Wait(); err != nil && next.outcome.err == nil {
		next.outcome.err = next.task.operation.failed(err, next.task.site)
	}
	l.core.complete(next.task, next.outcome)
}

// runToEnd launches t, which has a runner, and waits for it.
func (l *streamLane) runToEnd(t *task) {
	l.mu.Lock()
	l.enqueue(t, func(next launch) {
		l.mu.Unlock()
		if next.event == nil {
			l.core.complete(t, next.outcome)
		} else {
			l.conclude(next)
		}
	})
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
	l.mu.Unlock()
	l.changed.Broadcast()
	l.running.Wait()
	if l.stream != nil {
		l.stream.Close()
	}
}

// laneSet holds the lanes of an engine, opened when first used.
type laneSet struct {
	open  func(d device.Device, p Property) *streamLane
	mu    sync.Mutex
	lanes map[laneKey]*streamLane
}

type laneKey struct {
	device   device.Device
	property Property
}

func (s *laneSet) of(d device.Device, p Property) *streamLane {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := laneKey{d, p}
	l := s.lanes[key]
	if l == nil {
		l = s.open(d, p)
		if s.lanes == nil {
			s.lanes = map[laneKey]*streamLane{}
		}
		s.lanes[key] = l
	}
	return l
}

// wake makes the lanes look whether they may launch.
func (s *laneSet) wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.lanes {
		l.mu.Lock()
		l.changed.Broadcast()
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
