package engine

import (
	"runtime"
	"sync"

	"github.com/weft-nd/weft/device"
)

// streamLane runs operations on one stream of a device that the host cannot address. One goroutine launches: it enqueues
// the work and makes the event known, so that dependants on the device need not wait for the host. Another waits for the
// events and ends the operations.
type streamLane struct {
	device device.Device
	core   *core

	mu       sync.Mutex
	changed  sync.Cond
	ready    queue
	launched []launch
	stopped  bool

	stream  device.Stream // used by the launcher alone, and by stop when that has ended
	broken  error         // why there is no stream
	running sync.WaitGroup
}

// launch is an operation whose work is on the stream.
type launch struct {
	op    *Operation
	event device.Event
	err   *Error // of the enqueuing itself
}

func newStreamLane(d device.Device, c *core) *streamLane {
	l := &streamLane{device: d, core: c}
	l.changed.L = &l.mu
	return l
}

// start runs the lane's goroutines until stop.
func (l *streamLane) start() {
	l.running.Go(func() {
		runtime.LockOSThread() // drivers keep the current device per thread
		defer runtime.UnlockOSThread()
		for op := l.takeReady(); op != nil; op = l.takeReady() {
			l.core.executor.dispatch(l.launch(op))
		}
	})
	l.running.Go(func() {
		for next, ok := l.takeLaunched(); ok; next, ok = l.takeLaunched() {
			l.core.executor.dispatch(l.conclude(next))
		}
	})
}

func (l *streamLane) add(op *Operation) {
	l.mu.Lock()
	l.ready.add(op)
	l.mu.Unlock()
	l.changed.Broadcast()
}

func (l *streamLane) takeReady() *Operation {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.ready.first == nil && !l.stopped {
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

// launch enqueues op and returns what may be launched behind it.
func (l *streamLane) launch(op *Operation) queue {
	if err := l.core.refuse(op); err != nil {
		return l.core.finish(op, outcome{err: err})
	}
	next, ok := l.enqueue(op)
	if !ok {
		return l.core.finish(op, outcome{err: next.err, ran: true})
	}
	var ready queue
	if next.err == nil {
		ready = l.core.issue(op, next.event)
	}
	l.mu.Lock()
	l.launched = append(l.launched, next)
	l.mu.Unlock()
	l.changed.Broadcast()
	return ready
}

// enqueue gives the work of op to the stream; ok is false if nothing of it can be on the device.
func (l *streamLane) enqueue(op *Operation) (next launch, ok bool) {
	if l.stream == nil && l.broken == nil {
		l.openStream()
	}
	if l.broken != nil {
		return launch{op: op, err: op.failed(l.broken)}, false
	}
	for _, earlier := range op.after {
		if earlier.lane == l {
			continue
		}
		if err := l.stream.Wait(earlier.event); err != nil {
			return launch{op: op, err: op.failed(err)}, false
		}
	}
	op.run.Stream = l.stream
	failure := op.call(nil, nil)
	event, err := l.stream.Record()
	if err != nil {
		return launch{op: op, err: op.failed(err)}, false
	}
	return launch{op: op, event: event, err: failure}, true
}

// conclude waits for the event of an operation and ends it.
func (l *streamLane) conclude(next launch) queue {
	if err := next.event.Wait(); err != nil && next.err == nil {
		next.err = next.op.failed(err)
	}
	return l.core.finish(next.op, outcome{err: next.err, ran: true})
}

// runToEnd launches op and waits for it.
func (l *streamLane) runToEnd(op *Operation) queue {
	if err := l.core.refuse(op); err != nil {
		return l.core.finish(op, outcome{err: err})
	}
	l.mu.Lock()
	next, ok := l.enqueue(op)
	l.mu.Unlock()
	if !ok {
		return l.core.finish(op, outcome{err: next.err, ran: true})
	}
	return l.conclude(next)
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

func (s *laneSet) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.lanes {
		l.stop()
	}
	s.lanes = nil
}
